"""Read what a note of a pregnancy, a birth or a newborn tells, in the words of the release.

The table is `data/births.tsv`. It holds what the codes of the parts cannot say: that blood was
lost, by what a diabetes is treated, which grade a disease has, what was suspected and excluded.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .visits import antenatal_visit, birth_entry, previous_cesarean
from .weights import weight_told

_READ = 1024  # texts whose telling is kept: each is asked for several times


class Told(NamedTuple):
    """What a note tells: the name of it in the release, and how its code begins."""

    words: str
    code: str


class _Row(NamedTuple):
    told: re.Pattern[str]
    unless: re.Pattern[str]
    result: Told


@lru_cache(_READ)
def told_of_birth(text: str) -> Told | None:
    """Return what a note of a mother or a newborn tells, None where it is none or tells no such.

    >>> told_of_birth("uterine atony after SVD, EBL 1.4L").words
    'Other immediate postpartum hemorrhage'
    >>> told_of_birth("NB term SVD").code, told_of_birth("prev GDM on metformin")
    ('Z38.00', None)
    """
    text = " ".join(text.split())
    for read in (birth_entry, antenatal_visit, previous_cesarean, weight_told):
        if found := read(text):
            return Told(*found)
    rows = (row for row in _table() if row.told.search(text))
    return next((row.result for row in rows if not row.unless.search(text)), None)


def place_told(text: str, parts: tuple[str, ...]) -> int:
    """Return the place of the part that tells by itself what its note does, 0 without one."""
    told = told_of_birth(text)
    return next((place for place, part in enumerate(parts) if told_of_birth(part) == told), 0)


@lru_cache(maxsize=1)
def _table() -> tuple[_Row, ...]:
    return tuple(
        _Row(re.compile(told, re.I), re.compile(unless, re.I), Told(words, code))
        for told, unless, words, code in packaged_rows("births.tsv")
    )
