"""Read the codes in a text: "K35.80", "Gout M10.9", "ICD-10: J18.9", "G43909 Migraine"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .tree import Tree

_LONGEST = 400  # characters of a text that are read
_TOKEN = re.compile(r"\w[\w.:/_†*–-]*")
_END = ".:/_†*–-"
_TRISOMIES = frozenset(("T13", "T18", "T21"))  # as charts write them; the codes are categories
# Beside words of a fever it is a temperature; poisonings by drugs have these codes.
_TEMPERATURE = re.compile(r"T(?:3[5-9]|4[0-2])\.\d")
_FEVER = re.compile(
    r"\b(?:fever\w*|febrile|fn|anc|temp|rigors?|transfus\w*|sepsis|septic|neutropeni\w*|w[bc]c|hr|"
    r"bp|spo2|sats|cough|chemo\w*|fnhtr)\b",
    re.IGNORECASE,
)
_NO_MARK = re.compile(r"[\w\s.:–-]")


class WrittenCodes(NamedTuple):
    """The codes in a text. `sure` are codes without doubt; `words` is the text without them.

    `likely` are words that look like codes, such as "S100" and "I131". They count only where the
    other words agree.
    """

    sure: tuple[str, ...]
    likely: tuple[str, ...]
    words: str


class _Token(NamedTuple):
    """A word that may be a code.

    is_named: the name of its vocabulary stands before it. is_marked: it holds a sign that codes
    of this release hold and words seldom do, such as "#".
    """

    text: str
    start: int
    end: int
    is_named: bool
    is_marked: bool = False


def written_codes(text: str, tree: Tree) -> WrittenCodes:
    """Return the codes of the release in a text, with or without a dot and a vocabulary's name.

    A code is sure where the text has no other words, where it has a dot, where its vocabulary's
    name stands before it, or where it stands in brackets or before a colon. Headings such as
    chapters and ranges do not count. A code of letters only counts where it is the whole text.
    """
    whole = _whole_code(text, tree)
    if whole in _TRISOMIES and tree.children(tree.node(whole)):
        return WrittenCodes((), (), text)
    if whole is not None:
        return WrittenCodes((whole,), (), "")
    tokens = [
        (token, code)
        for token in _tokens(text[:_LONGEST], tree)
        if (code := _code(token.text, tree)) is not None
        and not (_TEMPERATURE.fullmatch(token.text) and _FEVER.search(text))
    ]
    if not tokens:
        return WrittenCodes((), (), text)
    alone = not re.search(r"\w", _without([token for token, _ in tokens], text))
    sure = [(token, code) for token, code in tokens if alone or _is_sure(token, text)]
    if not sure:
        likely = dict.fromkeys(
            code for token, code in tokens if token.is_marked or not _is_number(token.text)
        )
        return WrittenCodes((), tuple(likely), text)
    words = " ".join(_without([token for token, _ in sure], text).split()).strip(" :;,-–—()[]")
    return WrittenCodes(tuple(dict.fromkeys(code for _, code in sure)), (), words)


def _without(tokens: list[_Token], text: str) -> str:
    for token in reversed(tokens):
        text = f"{text[: token.start]} {text[token.end :]}"
    return text


def _tokens(text: str, tree: Tree) -> Iterator[_Token]:
    vocabularies = (tree.descriptor, *tree.descriptor.akin)
    signs = _signs(tree)
    pattern = _TOKEN if signs is None else re.compile(rf"[\w.:/_†*–{re.escape(signs)}-]+")
    before: re.Match[str] | None = None
    for match in pattern.finditer(text):
        word, start = match.group().rstrip(_END), match.start()
        if signs is not None:
            word, start = _trimmed(match, tree)
        is_marked = signs is not None and any(sign in word for sign in signs)
        if is_marked or re.search(r"\d", word):
            name, _, code = word.rpartition(":")
            beside = before if before and not text[before.end() : start].strip() else None
            named = name or (beside.group() if beside else "")
            is_named = bool(named) and any(
                vocabulary.is_named(named) for vocabulary in vocabularies
            )
            first = beside.start() if beside and is_named and not name else start
            yield _Token(word, first, start + len(word), is_named, is_marked)
        before = match


@lru_cache(maxsize=8)
def _signs(tree: Tree) -> str | None:
    """The signs of the release's codes; None where its grammar gives codes a shape without any."""
    characters = sorted(set().union(*(node.code for node in tree.nodes)))
    signs = "".join(char for char in characters if not _NO_MARK.match(char))
    return signs if signs or tree.descriptor.codes.is_code is None else None


def _trimmed(match: re.Match[str], tree: Tree) -> tuple[str, int]:
    """The longest code in a word between the signs around it, and its start."""
    word = match.group()
    letters = [at for at, char in enumerate(word) if char.isalnum()] or [0]
    for start in range(letters[0] + 1):
        for end in range(len(word), letters[-1], -1):
            if _code(word[start:end], tree) is not None:
                return word[start:end], match.start() + start
    return word[letters[0] : letters[-1] + 1], match.start() + letters[0]


def _whole_code(text: str, tree: Tree) -> str | None:
    """The code that the whole text is, with or without the release's prefix."""
    word = text.strip()
    name, _, rest = word.partition(":")
    is_curie = name.upper() == tree.descriptor.curie_prefix.upper()
    for written in (word, rest.strip()) if is_curie else (word,):
        code = _code(written, tree)
        has_shape = tree.descriptor.codes.is_code is not None
        if code is not None and (not has_shape or code.casefold() == written.casefold()):
            return code
    return None


def _code(word: str, tree: Tree) -> str | None:
    is_code = tree.descriptor.codes.is_code
    if (is_code and not is_code(word)) or not tree.contains(word):
        return None
    node = tree.node(word)
    return node.code if tree.is_code(node) else None


def _is_sure(token: _Token, text: str) -> bool:
    before, after = text[: token.start], text[token.end :]
    if token.is_named:
        return True
    in_brackets = before.rstrip().endswith(("(", "[")) and after.lstrip().startswith((")", "]"))
    is_apart = in_brackets or after.lstrip().startswith(":")
    is_mixed = not _is_number(token.text) and any(char.isdigit() for char in token.text)
    return is_mixed and ("." in token.text or token.is_marked or is_apart)


def _is_number(word: str) -> bool:
    return not any(char.isalpha() for char in word)
