"""Texts as the tokens of the packaged encoder: BERT's WordPiece, without accents and upper case.

The library `tokenizers`, which brings 33 MB with what it needs, gives the same numbers. It differs
for 500 rare signs that it counts as letters since its tables of Unicode are older.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_LONGEST_WORD = 100  # characters; a longer word is unknown
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """The tokens of a vocabulary, read from `tokenizer.json`.

    Args:
        path: the file, as the library `tokenizers` writes it.
        longest: the most tokens of a text, with the one before and the one after it.
    """

    def __init__(self, path: Path, longest: int) -> None:
        self.vocabulary: dict[str, int] = json.loads(path.read_bytes())["model"]["vocab"]
        self._longest = longest - 2
        self._before, self._after = self.vocabulary["[CLS]"], self.vocabulary["[SEP]"]
        # Most words of a list of terms occur in many of them.
        self._pieces: Callable[[str], tuple[int, ...]] = lru_cache(maxsize=1 << 16)(self._cut)

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text's tokens."""
        tokens: list[int] = []
        for part in _SPECIAL.split(text):
            if _SPECIAL.fullmatch(part):
                tokens.append(self.vocabulary[part])
                continue
            for word in words_of(part):
                tokens += self._pieces(word)
        return [self._before, *tokens[: self._longest], self._after]

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the longest pieces of a word, from its begin; one unknown makes all unknown."""
        unknown = (self.vocabulary["[UNK]"],)
        if len(word) > _LONGEST_WORD:
            return unknown
        pieces, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.vocabulary), None)
            if end is None:
                return unknown
            pieces.append(self.vocabulary[mark + word[start:end]])
            start = end
        return tuple(pieces)


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case without accents; punctuation marks are words.

    >>> words_of("Ménière's disease")
    ['meniere', "'", 's', 'disease']
    """
    return "".join(map(_written, text)).split()


@lru_cache(maxsize=1 << 14)
def _written(character: str) -> str:
    """Return a character as the encoder reads it: nothing, a space, or letters."""
    if character.isspace() and not _is_control(character):
        return " "
    if character in "\0\ufffd" or _is_control(character):
        return ""
    if any(low <= ord(character) <= high for low, high in _CJK):
        return f" {_plain(character)} "
    return "".join(f" {one} " if _is_mark(one) else one for one in _plain(character))


def _plain(character: str) -> str:
    letters = unicodedata.normalize("NFD", character)
    return "".join(one.lower() for one in letters if unicodedata.category(one) != "Mn")


def _is_control(character: str) -> bool:
    return character not in "\t\n\r" and unicodedata.category(character) in ("Cc", "Cf", "Co")


def _is_mark(character: str) -> bool:
    is_ascii_sign = character.isascii() and character.isprintable() and not character.isalnum()
    return (is_ascii_sign and character != " ") or unicodedata.category(character).startswith("P")
