"""Hold a metric of one model under one judge as arrays over units.

A unit is a case, or an item of a pair. Nearly every number is a ratio of two sums over units, or
a function of two such ratios (HDF1 is their harmonic mean). In this form one matrix product
computes all models, groups and resamples, and the bounds for unresolved units follow.
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

Status = Literal["done", "abstained", "failed", "undecided", "invalid", "none"]
UNRESOLVED: tuple[Status, ...] = ("failed", "undecided")
"""The statuses of a unit that counts but has no verdict."""


@dataclass(frozen=True)
class Units:
    """The rows of all measures: the ids, and each unit's values in the group columns.

    clusters: what is resampled, one name per unit (the pair of an item). None if every unit is
    resampled on its own.
    """

    ids: tuple[str, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    clusters: tuple[str, ...] | None = None

    @property
    def drawn(self) -> tuple[str, ...]:
        """The name of what is resampled, one per unit."""
        return self.ids if self.clusters is None else self.clusters

    @cached_property
    def order(self) -> NDArray[np.int_]:
        """An order of the units that does not depend on the order of rows in a file."""
        keys = list(zip(self.drawn, self.ids, strict=True))
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=int)

    @cached_property
    def places(self) -> NDArray[np.int_]:
        """The number of each unit's cluster."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(name, len(numbers)) for name in self.drawn], dtype=int)

    def mask(self, column: str, value: str) -> NDArray[np.bool_]:
        """Return which units are in a group."""
        return np.array([value in groups for groups in self.groups[column]], dtype=bool)

    def values(self, column: str) -> list[str]:
        """Return the groups of a column, sorted."""
        return sorted({value for groups in self.groups[column] for value in groups})


def case_units(cases: Sequence[Case]) -> Units:
    """Return the units of cases, one per case."""
    columns = list(cases[0].groups)
    return Units(
        tuple(case.id for case in cases),
        {name: tuple(case.groups[name] for case in cases) for name in columns},
    )


@dataclass(frozen=True, eq=False)
class Measure:
    """One metric of one model, under one judge, on one slice ("" means everything).

    numerator, denominator: arrays of units x k. A unit with denominator 0 does not count.
    open: the units that count but have no verdict. worst, best, fill: the k numerators at the
    worst and the best, and the k denominators, that open units could have. status: one per unit.
    unmapped: the number of predictions without a code, by unit. invalid: the number of answers
    that match no option, by unit; None counts the units with that status. low, top: the ends of
    the scale. by_cluster: counts are numbers of clusters (pairs of items).
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

    def bounds(
        self, mask: NDArray[np.bool_], order: NDArray[np.int_] | None = None
    ) -> tuple[float, float]:
        """Return the number with all unresolved units at their worst and at their best, sorted.

        order: the order in which units are summed; with `Units.order` the last digit does not
        depend on the order of the rows in a file.
        """
        ends = [self.if_filled(filler, mask, order) for filler in (self.worst, self.best)]
        return min(ends), max(ends)

    def if_filled(
        self,
        filler: Floats | tuple[float, ...],
        mask: NDArray[np.bool_],
        order: NDArray[np.int_] | None = None,
    ) -> float:
        """Return the number over the mask if all its unresolved units had these numerators."""
        filled = self.filled(filler)
        at = slice(None) if order is None else order
        sums = mask[None, at].astype(float)
        above, below = sums @ filled.numerator[at], sums @ filled.denominator[at]
        return float(ratio_of_sums(above, below, self.combine)[0])

    def filled(self, filler: Floats | tuple[float, ...]) -> Columns:
        """Return the units as columns in which all unresolved ones have these numerators."""
        rows = self.open[:, None]
        above = np.where(rows, np.broadcast_to(filler, self.numerator.shape), self.numerator)
        below = np.where(rows, np.broadcast_to(self.fill, above.shape), self.denominator)
        return Columns(above, below, below > 0)

    def columns(self, mask: NDArray[np.bool_]) -> Columns:
        """Return the units as columns, and which units of the mask are fully resolved."""
        full = np.broadcast_to(self.fill, self.denominator.shape)
        whole = ~self.open[:, None] | (self.denominator >= full - SAME)
        resolved = mask[:, None] & (self.denominator > 0) & whole
        return Columns(self.numerator, self.denominator, resolved)

    def has(self, statuses: Collection[Status], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which units of the mask have one of these statuses."""
        marked = np.array([status in statuses for status in self.status], dtype=bool)
        chosen: NDArray[np.bool_] = marked & mask
        return chosen

    def values(self) -> Floats:
        """Return the number of each single unit, which is never clipped; NaN without one."""
        how = "ratio" if self.combine == "clipped" else self.combine
        return ratio_of_sums(self.numerator, self.denominator, how)


def worse(first: Status, second: Status) -> Status:
    """Return the worse of two statuses: failed, undecided, invalid, abstained, done, none."""
    order: tuple[Status, ...] = (*UNRESOLVED, "invalid", "abstained", "done", "none")
    return min(first, second, key=order.index)


@dataclass(frozen=True)
class Score:
    """One unit's score under a simple metric: a value, or None without a verdict.

    The status "none" means that the metric does not concern the unit.
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
    """Return the measure whose number is the mean of the scores, each between low and top."""
    value = np.array([np.nan if s.value is None else s.value for s in scores], dtype=float)
    known = ~np.isnan(value)
    unresolved = np.array([s.status in UNRESOLVED for s in scores], dtype=bool)
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
