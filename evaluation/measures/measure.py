"""A metric of one model under one judge as arrays over units, ready to resample and to group.

A unit is a case, or a pair of items. Nearly every number is a ratio of two sums over units, or
a function of two such ratios (HDF1 is their harmonic mean). Written so, one matrix product
serves all models, groups and resamples, and what unresolved units could have been is known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Floats
from ..cases import Case

Combine = Literal["ratio", "harmonic", "difference"]
Status = Literal["done", "abstained", "failed", "invalid", "none"]


@dataclass(frozen=True)
class Units:
    """What is resampled: the ids, and each unit's values in the group columns."""

    ids: tuple[str, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def mask(self, column: str, value: str) -> NDArray[np.bool_]:
        """The units of a group."""
        return np.array([value in held for held in self.groups[column]], dtype=bool)

    def values(self, column: str) -> list[str]:
        """The groups of a column, sorted."""
        return sorted({value for held in self.groups[column] for value in held})


def case_units(cases: Sequence[Case]) -> Units:
    """Every case a unit."""
    columns = list(cases[0].groups)
    return Units(
        tuple(case.id for case in cases),
        {name: tuple(case.groups[name] for case in cases) for name in columns},
    )


@dataclass(frozen=True, eq=False)
class Measure:
    """One metric of one model, under one judge, on one slice ("" is everything).

    numerator, denominator: units x k; a unit whose denominator is 0 does not count. Units in
    `open` count, but have no verdict: `worst` and `best` are the k numerators (and `fill` the
    denominators) that they could have. status: one a unit. unmapped: predictions without a
    code, by unit.
    """

    metric: str
    model: str
    judge: str
    numerator: Floats
    denominator: Floats
    open: NDArray[np.bool_]
    status: tuple[Status, ...]
    worst: Floats | tuple[float, ...]
    best: Floats | tuple[float, ...]
    fill: Floats | tuple[float, ...]
    combine: Combine = "ratio"
    slice: str = ""
    unmapped: NDArray[np.int_] | None = None
    top: float = 1.0
    higher_is_better: bool = True

    def bounds(self, mask: NDArray[np.bool_]) -> tuple[float, float]:
        """The number if all unresolved units of the mask were as bad or as good as can be."""
        ends = []
        for filler in (self.worst, self.best):
            rows = self.open[:, None]
            filled = np.where(rows, np.broadcast_to(filler, self.numerator.shape), self.numerator)
            below = np.where(rows, np.broadcast_to(self.fill, filled.shape), self.denominator)
            sums = mask[None, :].astype(float)
            ends.append(float(combined(sums @ filled, sums @ below, self.combine)[0]))
        return min(ends), max(ends)

    def count(self, status: Status, mask: NDArray[np.bool_]) -> int:
        """How many units of the mask have a status."""
        return sum(held == status for held, wanted in zip(self.status, mask, strict=True) if wanted)

    def values(self) -> Floats:
        """The number of each unit alone; NaN where it has none."""
        return combined(self.numerator, self.denominator, self.combine)


def combined(numerators: Floats, denominators: Floats, how: Combine) -> Floats:
    """Sums (b, k) to values (b,); NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = numerators / np.where(denominators > 0, denominators, np.nan)
    if how == "ratio":
        return ratios[..., 0]
    first, second = ratios[..., 0], ratios[..., 1]
    if how == "difference":
        return first - second
    both = first + second
    return np.divide(2 * first * second, both, out=np.where(both == 0, 0.0, both), where=both > 0)


@dataclass(frozen=True)
class Score:
    """One unit's score under a simple metric: a value, or None where it has no verdict.

    A status of "none" says that the metric does not concern the unit.
    """

    value: float | None
    status: Status


NOT_CONCERNED = Score(None, "none")


def mean_measure(
    metric: str,
    model: str,
    judge: str,
    scores: Sequence[Score],
    *,
    low: float = 0.0,
    top: float = 1.0,
    higher_is_better: bool = True,
    unmapped: Sequence[int] | None = None,
) -> Measure:
    """The measure whose number is the mean of the units' scores, each between low and top."""
    value = np.array([np.nan if s.value is None else s.value for s in scores], dtype=float)
    known = ~np.isnan(value)
    unresolved = np.array([s.status == "failed" for s in scores], dtype=bool)
    best, worst = (top, low) if higher_is_better else (low, top)
    return Measure(
        metric,
        model,
        judge,
        np.where(known, value, 0.0)[:, None],
        known.astype(float)[:, None],
        unresolved,
        tuple(s.status for s in scores),
        (worst,),
        (best,),
        (1.0,),
        top=top,
        higher_is_better=higher_is_better,
        unmapped=None if unmapped is None else np.array(unmapped, dtype=int),
    )
