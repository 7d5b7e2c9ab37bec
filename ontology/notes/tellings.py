"""Read what a whole note tells by two things in it: "PJP, new HIV" is HIV disease.

The table is `data/tellings.tsv`.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .parts import NotePart, Retold


class _Row(NamedTuple):
    told: re.Pattern[str]
    unless: re.Pattern[str] | None
    words: str
    codes: tuple[str, ...]


def told_in(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what the first row of the table that a note fits says that it tells, else none.

    >>> told_in("fever 5d, NS1 pos", ()), told_in("fever 5d, NS1 neg", ())
    ((Retold(words='dengue', place=0, codes=('A90', 'A91')),), ())
    """
    text = " ".join(text.split())
    for row in _table():
        match = row.told.search(text)
        if match and not (row.unless and row.unless.search(text)):
            place = place_of(match["said"], parts)
            return (Retold(match.expand(row.words), place, row.codes),)
    return ()


def place_of(said: str, parts: tuple[NotePart, ...]) -> int:
    """Return the place of the first part that holds the words, 0 where none does.

    >>> place_of("HIV", (NotePart("PJP", "PJP", "first"), NotePart("new HIV", "", "listed")))
    1
    """
    words = said.casefold()
    return next((n for n, part in enumerate(parts) if words in part.text.casefold()), 0)


@lru_cache(maxsize=1)
def _table() -> tuple[_Row, ...]:
    return tuple(
        _Row(
            re.compile(told, re.IGNORECASE),
            re.compile(unless, re.IGNORECASE) if unless else None,
            words,
            tuple(codes.split()),
        )
        for told, unless, words, codes, _ in packaged_rows("tellings.tsv")
    )
