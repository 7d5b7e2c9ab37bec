"""Read the codes in a text: "K35.80", "Gout M10.9", "ICD-10: J18.9", "G43909 Migraine"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .release import Release
from .tree import Tree

_LONGEST = 400  # characters of a text that are read
_TOKEN = re.compile(r"\w[\w.:/_†*–-]*")
_END = ".:/_†*–-"


class WrittenCodes(NamedTuple):
    """The codes in a text. `sure` are codes without doubt; `words` is the text without them.

    `likely` are words that look like codes, such as "S100" and "I131". They count only where the
    other words agree.
    """

    sure: tuple[str, ...]
    likely: tuple[str, ...]
    words: str


class _Token(NamedTuple):
    """A word with a digit in it; `is_named`: the name of its vocabulary stands before it."""

    text: str
    start: int
    end: int
    is_named: bool


def written_codes(text: str, tree: Tree) -> WrittenCodes:
    """Return the codes of the release in a text, with or without a dot and a vocabulary's name.

    A code is sure where the text has no other words, where it has a dot, where its vocabulary's
    name stands before it, or where it stands in brackets or before a colon. Headings such as
    chapters and ranges do not count.
    """
    tokens = [
        (token, code)
        for token in _tokens(text[:_LONGEST], tree.descriptor)
        if (code := _code(token.text, tree)) is not None
    ]
    if not tokens:
        return WrittenCodes((), (), text)
    alone = not re.search(r"\w", _without([token for token, _ in tokens], text))
    sure = [(token, code) for token, code in tokens if alone or _is_sure(token, text)]
    if not sure:
        likely = dict.fromkeys(code for token, code in tokens if not _is_number(token.text))
        return WrittenCodes((), tuple(likely), text)
    words = " ".join(_without([token for token, _ in sure], text).split()).strip(" :;,-–—()[]")
    return WrittenCodes(tuple(dict.fromkeys(code for _, code in sure)), (), words)


def _without(tokens: list[_Token], text: str) -> str:
    for token in reversed(tokens):
        text = f"{text[: token.start]} {text[token.end :]}"
    return text


def _tokens(text: str, release: Release) -> Iterator[_Token]:
    vocabularies = (release, *release.akin)
    before: re.Match[str] | None = None
    for match in _TOKEN.finditer(text):
        word = match.group().rstrip(_END)
        if re.search(r"\d", word):
            name, _, code = word.rpartition(":")
            beside = before if before and not text[before.end() : match.start()].strip() else None
            named = name or (beside.group() if beside else "")
            is_named = bool(named) and any(
                vocabulary.is_named(named) for vocabulary in vocabularies
            )
            start = beside.start() if beside and is_named and not name else match.start()
            yield _Token(word, start, match.start() + len(word), is_named)
        before = match


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
    return not _is_number(token.text) and ("." in token.text or is_apart)


def _is_number(word: str) -> bool:
    return not any(char.isalpha() for char in word)
