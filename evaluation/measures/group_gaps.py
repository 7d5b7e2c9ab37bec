"""Gaps between subgroups: for every model and group column the best group minus the worst."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Plan, replicates
from ...scoring.comparisons.multiple import benjamini_hochberg, holm
from ...scoring.comparisons.subgroups import SubgroupGap, subgroup_gap
from .measure import Measure, Units
from .numbers import group_statistic

_Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class GroupGap:
    """The best group minus the worst one of a column, for one model, metric and judge.

    worst, best: the two groups, with their numbers and their resolved cases (or pairs). value: the
    gap as measured; it is too large on average. corrected: without its estimated upward bias.
    by_chance: the gap to expect if all groups were equal. low, high: limits of the true gap.
    p_value: of the hypothesis that all groups are equal; p_holm and p_bh correct it together with
    those of the other models under the same metric, judge and column, and `tests` is their number.
    groups: how many groups are compared. too_few: the groups with too few resolved cases, which
    are not compared, each with its number of cases. failed: the unresolved units of the compared
    groups.
    """

    metric: str
    judge: str
    model: str
    group_by: str
    worst: str
    worst_value: float
    worst_n: int
    best: str
    best_value: float
    best_n: int
    value: float
    corrected: float
    by_chance: float
    low: float
    high: float
    p_value: float
    p_holm: float
    p_bh: float
    tests: int
    groups: int
    too_few: str
    failed: int
    warning: str


def group_gaps_of(measures: Sequence[Measure], units: Units, plan: Plan) -> list[GroupGap]:
    """Return the gap of every measure without a slice, in every group column with two groups."""
    gaps: list[GroupGap] = []
    for by in units.groups:
        groups = {value: units.mask(by, value) for value in units.values(by)}
        if len(groups) < 2:
            continue
        families: dict[tuple[str, str], list[GroupGap]] = {}
        for one in measures:
            if not one.slice and (gap := _gap(one, by, groups, units, plan)) is not None:
                families.setdefault((one.metric, one.judge), []).append(gap)
        for family in families.values():
            gaps += _corrected(family)
    return gaps


def _gap(
    measure: Measure, by: str, groups: dict[str, _Mask], units: Units, plan: Plan
) -> GroupGap | None:
    """Compare the groups that have enough resolved cases; None where no group has a case."""
    masks = {name: mask & (measure.denominator > 0).any(axis=1) for name, mask in groups.items()}
    sizes = {name: len(np.unique(units.places[mask])) for name, mask in masks.items()}
    few = "; ".join(f"{name} ({n})" for name, n in sizes.items() if 0 < n < plan.fewest)
    names = [name for name, n in sizes.items() if n >= plan.fewest]
    if not any(sizes.values()):
        return None
    failed = int((measure.open & np.logical_or.reduce([groups[n] for n in names or groups])).sum())
    nothing = math.nan
    if len(names) < 2:
        warning = f"fewer than two groups have {plan.fewest} cases or more"
        return GroupGap(
            measure.metric, measure.judge, measure.model, by, "", nothing, 0, "", nothing, 0,
            nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, 0,
            len(names), few, failed, warning,
        )  # fmt: skip
    values, gap = _measured(measure, [masks[name] for name in names], units, plan)
    low_place, high_place = gap.smallest, gap.largest
    if not measure.higher_is_better:
        low_place, high_place = high_place, low_place
    worst, best = names[low_place], names[high_place]
    return GroupGap(
        measure.metric, measure.judge, measure.model, by,
        worst, values[low_place], sizes[worst], best, values[high_place], sizes[best],
        gap.value, gap.corrected, gap.by_chance, gap.low,
        min(gap.high, measure.top - measure.low), gap.p_value, nothing, nothing, 0,
        len(names), few, failed, "",
    )  # fmt: skip


def _measured(
    measure: Measure, masks: Sequence[_Mask], units: Units, plan: Plan
) -> tuple[list[float], SubgroupGap]:
    """Return the numbers of the groups, and their gap, on the same resampled cases."""
    order = units.order
    statistic = group_statistic(measure, [mask[order] for mask in masks], order)
    values: list[float] = statistic(np.ones((1, len(order))))[0].tolist()
    resampled = replicates(statistic, [units.drawn[at] for at in order], plan=plan)
    width = np.nan_to_num(measure.top - measure.low, posinf=0.0)
    sizes = [len(np.unique(units.places[mask])) for mask in masks]
    least = [
        _error_at_an_end(size, width) if constant else 0.0
        for size, constant in zip(sizes, np.ptp(resampled, axis=0) == 0, strict=True)
    ]
    return values, subgroup_gap(values, resampled, level=plan.level, sizes=sizes, errors=least)


def _error_at_an_end(n: int, width: float) -> float:
    """Return a standard error for a group whose cases are all alike, so that no resample differs.

    It is that of a share with one more case of each kind (Agresti and Caffo 2000).
    """
    share = 1 / (n + 2)
    return width * math.sqrt(share * (1 - share) / (n + 2))


def _corrected(family: Sequence[GroupGap]) -> Iterator[GroupGap]:
    p_values = [gap.p_value for gap in family]
    tests = sum(p == p for p in p_values)
    for gap, p_holm, p_bh in zip(family, holm(p_values), benjamini_hochberg(p_values), strict=True):
        yield replace(gap, p_holm=p_holm, p_bh=p_bh, tests=tests)
