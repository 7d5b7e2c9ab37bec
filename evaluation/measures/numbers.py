"""From measures to numbers: intervals, bounds, counts, groups, ranks and paired differences."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Floats, Plan, Statistic, bootstrap_differences, bootstrap_many
from ...scoring.flat import RankChange, rank_changes, ranks
from .measure import Combine, Measure, Status, Units, combined

_Mask = NDArray[np.bool_]
ALL = ""


@dataclass(frozen=True)
class Number:
    """One reported number.

    slice: "" or a level or chapter of the ontology; group_by, group: the cases it is over.
    low, high: limits of the interval, NaN where `warning` says why. worst, best: the number if
    all unresolved units were wrong, or right. n: units that count, with the unresolved ones;
    failed, abstained, invalid: how many of them ended so. unmapped: predictions without a code.
    """

    metric: str
    model: str
    judge: str
    slice: str
    group_by: str
    group: str
    value: float
    low: float
    high: float
    worst: float
    best: float
    n: int
    failed: int
    abstained: int
    unmapped: int
    invalid: int
    warning: str
    higher_is_better: bool = True


@dataclass(frozen=True)
class Gap:
    """First model minus second on the same resampled units, with a two-sided p-value."""

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
    n: int
    warning: str


@dataclass(frozen=True)
class Rank:
    """A model's place under one metric, from 1."""

    metric: str
    judge: str
    slice: str
    group_by: str
    group: str
    model: str
    value: float
    rank: int


def numbers_of(measures: Sequence[Measure], units: Units, plan: Plan) -> list[Number]:
    """Every measure as numbers: over all units, and over every group of every column.

    Slices are not broken down by group. The same resamples serve all models, so that numbers
    can be compared.
    """
    found: list[Number] = []
    for held in _alike(measures):
        cells = list(_cells(held, units))
        columns = [_masked(measure, mask) for measure, _, _, mask in cells]
        made = bootstrap_many(
            _statistic(columns, held[0].combine),
            len(units.ids),
            present=np.column_stack([(below > 0).any(axis=1) for _, below in columns]),
            plan=plan,
        )
        for (measure, by, group, mask), interval in zip(cells, made, strict=True):
            n = sum(measure.count(status, mask) for status in _COUNTED)
            if not n:
                continue
            worst, best = measure.bounds(mask)
            found.append(
                Number(
                    measure.metric,
                    measure.model,
                    measure.judge,
                    measure.slice,
                    by,
                    group,
                    interval.estimate,
                    interval.low,
                    interval.high,
                    worst,
                    best,
                    n,
                    measure.count("failed", mask),
                    measure.count("abstained", mask),
                    0 if measure.unmapped is None else int(measure.unmapped[mask].sum()),
                    measure.count("invalid", mask),
                    interval.warning or "",
                    measure.higher_is_better,
                )
            )
    return found


_COUNTED: tuple[Status, ...] = ("done", "abstained", "failed", "invalid")


def _alike(measures: Sequence[Measure]) -> Iterator[list[Measure]]:
    """Measures that one bootstrap serves: the same metric on any slice."""
    by_metric: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        by_metric.setdefault((measure.metric, measure.combine), []).append(measure)
    yield from by_metric.values()


def _cells(measures: Sequence[Measure], units: Units) -> Iterator[tuple[Measure, str, str, _Mask]]:
    everything = np.ones(len(units.ids), dtype=bool)
    groups = [
        (column, value, units.mask(column, value))
        for column in units.groups
        for value in units.values(column)
    ]
    for measure in measures:
        yield measure, ALL, ALL, everything
        if not measure.slice:
            for column, value, mask in groups:
                yield measure, column, value, mask


def _masked(measure: Measure, mask: _Mask) -> tuple[Floats, Floats]:
    return measure.numerator * mask[:, None], measure.denominator * mask[:, None]


def _statistic(columns: Sequence[tuple[Floats, Floats]], how: Combine) -> Statistic:
    """Weights (b, units) to the values of every cell (b, cells)."""
    width = columns[0][0].shape[1]
    above = np.hstack([numerator for numerator, _ in columns])
    below = np.hstack([denominator for _, denominator in columns])

    def statistic(drawn: Floats) -> Floats:
        shape = (len(drawn), len(columns), width)
        return combined((drawn @ above).reshape(shape), (drawn @ below).reshape(shape), how)

    return statistic


def joint_statistic(measures: Sequence[Measure]) -> Statistic:
    """Weights (b, units) to the values of measures that combine alike: (b, measures)."""
    columns = [(one.numerator, one.denominator) for one in measures]
    return _statistic(columns, measures[0].combine)


def differences_of(
    measures: Iterable[Measure], units: Units, plan: Plan, *, grouped: Iterable[str] = ()
) -> list[Gap]:
    """Paired differences between every two models under each metric, judge and slice.

    `grouped` names the metrics for which the differences are also taken in every group.
    """
    held: dict[tuple[str, str, str], list[Measure]] = {}
    for measure in measures:
        held.setdefault((measure.metric, measure.judge, measure.slice), []).append(measure)
    everything = np.ones(len(units.ids), dtype=bool)
    masks = [(ALL, ALL, everything)]
    in_groups = masks + [
        (column, value, units.mask(column, value))
        for column in units.groups
        for value in units.values(column)
    ]
    wanted = set(grouped)
    found: list[Gap] = []
    for (metric, _, where), alike in held.items():
        chosen = in_groups if metric in wanted and not where else masks
        for by, group, mask in chosen:
            found += _differences(alike, by, group, mask, plan)
    return found


def _differences(
    measures: Sequence[Measure], by: str, group: str, mask: _Mask, plan: Plan
) -> list[Gap]:
    pairs = list(itertools.combinations(range(len(measures)), 2))
    if not pairs or not mask.any():
        return []
    columns = [_masked(measure, mask) for measure in measures]
    statistic = _statistic(columns, measures[0].combine)
    counted = [(below > 0).any(axis=1) for _, below in columns]
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    made = bootstrap_differences(
        lambda drawn: (values := statistic(drawn))[:, first] - values[:, second],
        len(mask),
        present=np.column_stack([counted[i] & counted[j] for i, j in pairs]),
        plan=plan,
    )
    return [
        Gap(
            measures[i].metric,
            measures[i].judge,
            measures[i].slice,
            by,
            group,
            measures[i].model,
            measures[j].model,
            one.interval.estimate,
            one.interval.low,
            one.interval.high,
            one.p_value,
            one.interval.n,
            one.interval.warning or "",
        )
        for (i, j), one in zip(pairs, made, strict=True)
    ]


def ranks_of(numbers: Sequence[Number]) -> list[Rank]:
    """The models' places under every metric, judge, slice and group; without a value no place."""
    held: dict[tuple[str, str, str, str, str], list[Number]] = {}
    for one in numbers:
        key = (one.metric, one.judge, one.slice, one.group_by, one.group)
        held.setdefault(key, []).append(one)
    found = []
    for key, alike in held.items():
        scores = {one.model: one.value for one in alike if not math.isnan(one.value)}
        placed = ranks(scores, higher_is_better=alike[0].higher_is_better)
        found += [
            Rank(*key, model=model, value=scores[model], rank=place)
            for model, place in placed.items()
        ]
    return found


def rank_shift(
    numbers: Sequence[Number], before: str, after: str
) -> dict[str, tuple[RankChange, ...]]:
    """How ranks change from one metric to another, by judge, over the models that have both."""
    tables: dict[str, dict[str, dict[str, float]]] = {before: {}, after: {}}
    for one in numbers:
        if one.metric in tables and not (one.slice or one.group_by) and one.value == one.value:
            tables[one.metric].setdefault(one.judge, {})[one.model] = one.value
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
