"""Where judges disagree most, with every vote."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ...scoring._ratings import is_number
from ...scoring.votes import Vote
from .agreement_units import Measured, Unit, label


@dataclass(frozen=True)
class Contested:
    """A unit on which verdicts differ.

    disagreement: mean distance over pairs of verdicts of different judges, 0 to 1: of numbers
    that are not nominal |a - b| / span, else 1 where they differ. Of one judge alone, over its
    own repeats. `votes` holds all of them, failed and abstained ones too.
    """

    step: str
    case: str
    item: tuple[str, ...]
    disagreement: float
    votes: tuple[Vote, ...]


def contested_units(units: Sequence[Unit], how: Mapping[str, Measured]) -> list[Contested]:
    """The units whose verdicts differ, those that differ most first; ties by step and case."""
    found = [made for unit in units if (made := _contested(unit, how[unit.step])) is not None]
    found.sort(key=lambda one: (-round(one.disagreement, 9), one.step, one.case, one.item))
    return found


def _contested(unit: Unit, how: Measured) -> Contested | None:
    votes = [vote for mine in unit.votes.values() for vote in mine.values()]
    distances = list(_distances(votes, how, alone=len(unit.votes) == 1))
    if not any(distances):
        return None
    mean = fmean(distances)
    return Contested(unit.step, unit.case, unit.item, min(1.0, mean), tuple(votes))


def _distances(votes: Sequence[Vote], how: Measured, *, alone: bool) -> Iterator[float]:
    for one, two in itertools.combinations(votes, 2):
        a, b = label(one), label(two)
        if a is None or b is None or (one.judge == two.judge and not alone):
            continue
        yield _distance(a, b, how)


def _distance(a: Any, b: Any, how: Measured) -> float:
    if how.scale != "nominal":
        if is_number(a) and is_number(b):
            return abs(float(a) - float(b)) / how.span
        if how.categories is not None and len(how.categories) > 1:
            apart = abs(how.categories.index(a) - how.categories.index(b))
            return apart / (len(how.categories) - 1)
    return float(a != b)
