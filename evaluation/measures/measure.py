"""A metric of one model under one judge as arrays over units, ready to resample and to group.

A unit is a case, or a pair of items. Nearly every number is a ratio of two sums over units, or
a function of two such ratios (HDF1 is their harmonic mean). Written so, one matrix product
serves all models, groups and resamples, and what unresolved units could have been is known.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...scoring import SAME
from ...scoring.bootstrap import Floats
from ...scoring.differences import Columns
from ...scoring.ratios import Combine, ratio_of_sums
from ..cases import Case

Status = Literal["done", "abstained", "failed", "invalid", "none"]


@dataclass(frozen=True)
class Units:
    """The rows of all measures: the ids, and each unit's values in the group columns.

    clusters: what is resampled, one name a unit (the pair of an item); None where every unit
    stands for itself.
    """

    ids: tuple[str, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    clusters: tuple[str, ...] | None = None

    @property
    def drawn(self) -> tuple[str, ...]:
        """What is resampled, by unit."""
        return self.ids if self.clusters is None else self.clusters

    @cached_property
    def order(self) -> NDArray[np.int_]:
        """An order of the units that does not depend on that of the rows in a file."""
        keys = list(zip(self.drawn, self.ids, strict=True))
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=int)

    @cached_property
    def places(self) -> NDArray[np.int_]:
        """The number of each unit's cluster."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(name, len(numbers)) for name in self.drawn], dtype=int)

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
    code, invalid: answers that match no option (default: the units of that status), both by
    unit. low, top: the ends of the scale. by_cluster: counts are of clusters (pairs of items).
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
    invalid: NDArray[np.int_] | None = None
    low: float = 0.0
    top: float = 1.0
    by_cluster: bool = False
    higher_is_better: bool = True

    def bounds(self, mask: NDArray[np.bool_]) -> tuple[float, float]:
        """The number if all unresolved units of the mask were as bad or as good as can be."""
        ends = self.if_filled(self.worst, mask), self.if_filled(self.best, mask)
        return min(ends), max(ends)

    def if_filled(self, filler: Floats | tuple[float, ...], mask: NDArray[np.bool_]) -> float:
        """The number over the mask if all its unresolved units had these numerators."""
        rows = self.open[:, None]
        filled = np.where(rows, np.broadcast_to(filler, self.numerator.shape), self.numerator)
        below = np.where(rows, np.broadcast_to(self.fill, filled.shape), self.denominator)
        sums = mask[None, :].astype(float)
        return float(ratio_of_sums(sums @ filled, sums @ below, self.combine)[0])

    def columns(self, mask: NDArray[np.bool_]) -> Columns:
        """The units of the mask, with which of them are resolved in full."""
        full = np.broadcast_to(self.fill, self.denominator.shape)
        whole = ~self.open[:, None] | (self.denominator >= full - SAME)
        resolved = mask[:, None] & (self.denominator > 0) & whole
        return Columns(self.numerator, self.denominator, resolved)

    def has(self, statuses: Collection[Status], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The units of the mask that have one of these statuses."""
        marked = np.array([status in statuses for status in self.status], dtype=bool)
        chosen: NDArray[np.bool_] = marked & mask
        return chosen

    def values(self) -> Floats:
        """The number of each unit alone; NaN where it has none."""
        return ratio_of_sums(self.numerator, self.denominator, self.combine)


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
        low=low,
        top=top,
        higher_is_better=higher_is_better,
        unmapped=None if unmapped is None else np.array(unmapped, dtype=int),
    )
