"""Read a state or a factor that is told in everyday words: "left knee replaced", "sleeping rough".

The table is `data/told.tsv`. A term that a text means in this way is only looked up, so the
words never find one that is merely alike.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ..packaged import packaged_rows
from .abbreviations import expand_abbreviations
from .normalise import normalise_text

# A time that is years ago, as it stands after a condition or an operation.
LONG_AGO = (
    r"(?:(?:(?:back )?in |since |about |around )?(?:19|20)\d\d|"
    r"(?:about |around |over |more than |some )?(?:(?:\d+|an?|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|twelve|fifteen|twenty|thirty|forty|several|many) )?"
    r"(?:years?|yrs?|decades?) (?:ago|back)|"
    r"long ago|last (?:year|winter|summer|spring|autumn|fall)|"
    r"(?:in|during) (?:(?:early|late|his|her) )*(?:childhood|infancy|adolescence|youth|teens)|"
    r"(?:as|when) (?:an? )?(?:young |small )?(?:child|kid|baby|infant|boy|girl|teenager|"
    r"young adult))"
)
_WHEN = re.compile(rf"[\s,(]+{LONG_AGO}\)?(?=[\s,.]*$|\s*,)", re.IGNORECASE)
_SIDE = re.compile(
    r"\b(?:left|right|bilateral|both) (?!breasts\b)|(?: on the)? (?:left|right)(?: side)?$"
)


def terms_told(text: str) -> tuple[str, ...]:
    """Return the wordings of what a text means, none where the table holds no such text.

    >>> terms_told("left knee replaced 2015")
    ('presence of artificial knee joint',)
    >>> terms_told("takes ibuprofen every day")[-1], terms_told("knee replacement tomorrow")
    ('long-term NSAIDs use', ())
    """
    text = " ".join(text.split())
    plain = _WHEN.sub("", text)
    told = terms_in((text, plain, expand_abbreviations(plain).text), _table())
    return (*told, *terms_in(told[:1], _table()))  # a drug that is taken has a class


def terms_in(written: Iterable[str], table: "_Table") -> tuple[str, ...]:
    """Return the wordings of the first row of a table that holds one of the texts, else none."""
    folded = dict.fromkeys(map(normalise_text, written))
    for words in dict.fromkeys((*folded, *(_SIDE.sub("", words) for words in folded))):
        if table.any.fullmatch(words):
            matches = ((pattern.fullmatch(words), term) for pattern, term in table.rows)
            return next(tuple(match.expand(term).split("|")) for match, term in matches if match)
    return ()


class _Table(NamedTuple):
    any: re.Pattern[str]  # matches what one of the rows matches
    rows: tuple[tuple[re.Pattern[str], str], ...]


@lru_cache(maxsize=1)
def _table() -> _Table:
    rows = packaged_rows("told.tsv")
    whole = re.compile("|".join(f"(?:{pattern})" for pattern, *_ in rows))
    return _Table(whole, tuple((re.compile(pattern), term) for pattern, term, _ in rows))
