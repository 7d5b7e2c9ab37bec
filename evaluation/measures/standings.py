"""Compare models: differences and ranks over the cases that all compared models resolved."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...files.counted import counted
from ...scoring.bootstrap import Difference, Plan
from ...scoring.comparisons.multiple import benjamini_hochberg, holm
from ...scoring.differences import Columns, common_values, paired_differences
from ...scoring.flat import RankChange, rank_changes, ranks
from .measure import UNRESOLVED, Measure, Units
from .numbers import cells_of

_Mask = NDArray[np.bool_]
ALL = ""


@dataclass(frozen=True)
class Gap:
    """First model minus second over the units that both resolved, with a two-sided p-value.

    p_holm, p_bh: the p-value after the correction of Holm, and of Benjamini and Hochberg. Each
    corrects the p-values of all pairs of models under one metric and judge, on one slice and in
    one group; `tests` is how many these are. n: the number of those units. unresolved: the number
    of units that at least one of the two did not resolve. if_wrong: the difference over all units
    if everything unresolved were wrong. lowest, highest: the ends of what the difference could be
    with the unresolved units.
    """

    metric: str
    judge: str
    slice: str
    group_by: str
    group: str
    first: str
    second: str
    value: float
    low: float
    high: float
    p_value: float
    p_holm: float
    p_bh: float
    tests: int
    n: int
    unresolved: int
    if_wrong: float
    lowest: float
    highest: float
    warning: str


@dataclass(frozen=True)
class Rank:
    """A model's rank under one metric, from 1, over the units that all models resolved.

    n: the number of those units; if it is 0, `rank` is None. A model that resolved no unit has no
    rank, `reason` says so, and the common units of the others do not depend on it. rank_if_wrong:
    the rank over all units if everything unresolved were wrong; None if the scale has no ends.
    overlaps: the models whose bounds overlap its own, so that the unresolved units could reverse
    the order; "; " separates them. reason: why there is no rank; "" if there is one.
    """

    metric: str
    judge: str
    slice: str
    group_by: str
    group: str
    model: str
    value: float
    rank: int | None
    n: int
    rank_if_wrong: int | None
    overlaps: str
    reason: str = ""


def differences_of(
    measures: Iterable[Measure], units: Units, plan: Plan, *, grouped: Iterable[str] = ()
) -> list[Gap]:
    """Return the paired differences of every two models under each metric, judge and slice.

    grouped: the metrics whose differences are also computed in every group.
    """
    wanted = set(grouped)
    gaps: list[Gap] = []
    for (by, group), mask, alike in _contests(measures, units):
        if not by or alike[0].metric in wanted:
            gaps += corrected(list(_differences(alike, by, group, mask, units, plan)))
    return gaps


def corrected(gaps: Sequence[Gap]) -> list[Gap]:
    """Return the differences with their p-values corrected as one family."""
    p_values = [gap.p_value for gap in gaps]
    tests = sum(p == p for p in p_values)
    return [
        replace(gap, p_holm=p_holm, p_bh=p_bh, tests=tests)
        for gap, p_holm, p_bh in zip(
            gaps, holm(p_values), benjamini_hochberg(p_values), strict=True
        )
    ]


def too_coarse(tests: int, plan: Plan) -> str:
    """Return a sentence where the resamples are too few for Holm's correction, else "".

    tests: the number of p-values in the largest family.

    A bootstrap p-value is at least 2 / (resamples + 1), and Holm multiplies the smallest p-value
    of a family by the number of its tests.
    """
    smallest, alpha = 2 * tests / (plan.resamples + 1), 1 - plan.level
    if tests < 2 or smallest <= alpha:
        return ""
    needed = math.ceil(round(2 * tests / alpha, 6)) - 1
    return (
        f"{tests:,} p-values are corrected together, and with "
        f"{counted(plan.resamples, 'resample')} no p-value after Holm's correction can be below "
        f"{min(smallest, 1.0):.3f}; {needed:,} resamples are needed for {alpha:.3g}"
    )


def _contests(
    measures: Iterable[Measure], units: Units
) -> Iterator[tuple[tuple[str, str], _Mask, list[Measure]]]:
    """Yield, cell by cell, the measures to compare with each other."""
    tables: dict[tuple[str, str, str], list[Measure]] = {}
    for measure in measures:
        tables.setdefault((measure.metric, measure.judge, measure.slice), []).append(measure)
    for alike in tables.values():
        for _, by, group, mask in cells_of(alike[:1], units):
            yield (by, group), mask, alike


def _differences(
    measures: Sequence[Measure], by: str, group: str, mask: _Mask, units: Units, plan: Plan
) -> Iterator[Gap]:
    if len(measures) < 2 or not mask.any():
        return
    columns = [measure.columns(mask) for measure in measures]
    order = units.order
    ordered = [
        Columns(one.numerator[order], one.denominator[order], one.resolved[order])
        for one in columns
    ]
    drawn = None if units.clusters is None else [units.clusters[at] for at in order]
    differences = paired_differences(ordered, measures[0].combine, clusters=drawn, plan=plan)
    sides = [
        _Side(one, one.bounds(mask, order), one.if_filled(one.worst, mask, order))
        for one in measures
    ]
    for (i, j), one in differences.items():
        yield _gap(sides[i], sides[j], by, group, mask, one)


class _Side(NamedTuple):
    """A measure in one cell, with its bounds and its value if everything unresolved were wrong."""

    measure: Measure
    ends: tuple[float, float]
    if_wrong: float


def _gap(
    first: _Side, second: _Side, by: str, group: str, mask: _Mask, difference: Difference
) -> Gap:
    (a_low, a_high), (b_low, b_high) = first.ends, second.ends
    about, other = first.measure, second.measure
    left_out = (about.open | other.open) & mask
    interval = difference.interval
    return Gap(
        about.metric, about.judge, about.slice, by, group, about.model, other.model,
        interval.estimate, interval.low, interval.high, difference.p_value, math.nan, math.nan, 0,
        difference.cases, int(left_out.sum()), first.if_wrong - second.if_wrong, a_low - b_high,
        a_high - b_low, interval.warning or "",
    )  # fmt: skip


def ranks_of(measures: Sequence[Measure], units: Units) -> list[Rank]:
    """Return the models' ranks under every metric, judge, slice and group.

    A model that resolved no unit has a row without a rank. If the other models resolved no unit
    in common, no model has a rank.
    """
    places: list[Rank] = []
    for (by, group), mask, alike in _contests(measures, units):
        resolved = [one for one in alike if one.columns(mask).resolved.any()]
        if resolved:
            ranked = {one.model: one for one in _places(resolved, by, group, mask, units.order)}
            places += [ranked.get(one.model) or _unplaced(one, by, group, mask) for one in alike]
    return places


def _unplaced(measure: Measure, by: str, group: str, mask: _Mask) -> Rank:
    """Return the row of a model that resolved no unit, with what happened to its units."""
    statuses = {status: int(measure.has((status,), mask).sum()) for status in UNRESOLVED}
    partly = int((measure.open & mask).sum()) - sum(statuses.values())
    counts = [f"{count:,} {status}" for status, count in statuses.items() if count]
    counts += [f"{partly:,} in part"] if partly > 0 else []
    why = f"no unit is resolved: {', '.join(counts)}" if counts else "no unit counts"
    return Rank(
        measure.metric, measure.judge, measure.slice, by, group, measure.model, math.nan, None, 0,
        None, "", why,
    )  # fmt: skip


def _places(
    measures: Sequence[Measure], by: str, group: str, mask: _Mask, order: NDArray[np.int_]
) -> Iterator[Rank]:
    higher = measures[0].higher_is_better
    columns = [
        Columns(one.numerator[order], one.denominator[order], one.resolved[order])
        for one in (measure.columns(mask) for measure in measures)
    ]
    values, n = common_values(columns, measures[0].combine)
    known = all(value == value for value in values)
    why = "" if known else "the models resolved no unit in common"
    placed = _ranked(measures, values, higher) if known else {}
    wrong = [one.if_filled(one.worst, mask, order) for one in measures]
    placed_if_wrong = _ranked(measures, wrong, higher)
    ends = {one.model: one.bounds(mask, order) for one in measures}
    loose = {one.model for one in measures if (one.open & mask).any()}
    for one, value in zip(measures, values, strict=True):
        overlaps = "; ".join(
            name
            for name in ends
            if name != one.model and {name, one.model} & loose and _overlap(ends, name, one.model)
        )
        yield Rank(
            one.metric, one.judge, one.slice, by, group, one.model, value, placed.get(one.model), n,
            placed_if_wrong.get(one.model), overlaps, why,
        )  # fmt: skip


def _ranked(measures: Sequence[Measure], values: Sequence[float], higher: bool) -> dict[str, int]:
    pairs = zip(measures, values, strict=True)
    scores = {one.model: value for one, value in pairs if value == value}
    return ranks(scores, higher_is_better=higher)


def _overlap(ends: Mapping[str, tuple[float, float]], first: str, second: str) -> bool:
    (a_low, a_high), (b_low, b_high) = ends[first], ends[second]
    return a_low <= b_high and b_low <= a_high


def rank_shift(
    places: Sequence[Rank], before: str, after: str
) -> dict[str, tuple[RankChange, ...]]:
    """Return how ranks change from one metric to another, by judge, over models with both."""
    tables: dict[str, dict[str, dict[str, float]]] = {before: {}, after: {}}
    for one in places:
        if one.metric in tables and one.rank and not (one.slice or one.group_by):
            tables[one.metric].setdefault(one.judge, {})[one.model] = -one.rank
    judges = {judge for table in tables.values() for judge in table if judge} or {""}
    shifts = {}
    for judge in sorted(judges):
        first, second = (table.get(judge) or table.get("", {}) for table in tables.values())
        common = [model for model in first if model in second]
        if common:
            shifts[judge] = rank_changes(
                {model: first[model] for model in common},
                {model: second[model] for model in common},
            )
    return shifts
