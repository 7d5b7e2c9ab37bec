"""List the units on which judges disagree most, with every vote."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...scoring.raters.distance import disagreement
from ...scoring.votes import Vote
from .agreement_units import Measured, Unit, label


@dataclass(frozen=True)
class Contested:
    """A unit on which verdicts differ.

    disagreement: the mean distance of two verdicts, 0 to 1, as in `scoring.disagreement`. votes:
    all votes, also the failed and abstained ones.
    """

    step: str
    case: str
    item: tuple[str, ...]
    disagreement: float
    votes: tuple[Vote, ...]


def contested_units(units: Sequence[Unit], how: Mapping[str, Measured]) -> list[Contested]:
    """Return the units whose verdicts differ, largest disagreement first, then by step and case."""
    contested = [row for unit in units if (row := _contested(unit, how[unit.step])) is not None]
    contested.sort(key=lambda row: (-round(row.disagreement, 9), row.step, row.case, row.item))
    return contested


def _contested(unit: Unit, how: Measured) -> Contested | None:
    votes = [vote for mine in unit.votes.values() for vote in mine.values()]
    verdicts = [(vote.judge, label(vote)) for vote in votes]
    mean = disagreement(verdicts, how.scale, span=how.span, categories=how.categories)
    if math.isnan(mean) or mean == 0:
        return None
    return Contested(unit.step, unit.case, unit.item, mean, tuple(votes))
