"""The kinds of codes that a note may mean, and what its parts mean by themselves."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ..mapping import Mapping
from ..packaged import packaged_rows
from ..reading.query import Query
from .alone import is_doubted
from .parts import NotePart

SYMPTOM, FACTOR = "R", "Z"
ACCIDENT = ("V", "W", "X", "Y")
DRUG = ("T36", "T37", "T38", "T39", "T4", "T50")
CATEGORY = 3
"""Letters of a category."""

_SURE = 0.6  # the least score of the category of a part that is a term


class ReadPart(NamedTuple):
    """A part of a note, and what it means by itself, or in the words for such a patient.

    told: how the codes begin that it may have as what the whole note tells (retold.py), else none.
    """

    part: NotePart
    place: int
    query: Query
    mapping: Mapping
    in_context: bool = False
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Option:
    """A code that a note may mean; `read` is what it is taken from, None for the whole text."""

    code: str
    read: ReadPart | None
    score: float
    category_score: float
    words: str


def is_clear(read: ReadPart) -> bool:
    """Return whether a part is a term, without doubt, denial or a frame."""
    mapping = read.mapping
    is_term = mapping.code is not None and mapping.decided_by == "exact" and not read.in_context
    return is_term and not is_doubted(read.query) and mapping.category_score >= _SURE


def listed_beside() -> tuple[str, ...]:
    """Return the codes that do not explain a complaint."""
    return (
        SYMPTOM,
        FACTOR,
        *ACCIDENT,
        *listed_codes("chronic"),
        *listed_codes("complaint"),
    )


@cache
def listed_codes(kind: str) -> tuple[str, ...]:
    """Return the codes of a kind in data/parts.tsv: chronic, complaint, encounter or second."""
    return tuple(code for code, listed, _ in packaged_rows("parts.tsv") if listed == kind)
