"""Turn measures into numbers with intervals, bounds and counts, over all units and by group."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Floats, Interval, Plan, Statistic, bootstrap_many
from ...scoring.ratios import Combine, clip_interval, deviation_over_units, ratio_of_sums
from ...scoring.share_limits import share_of_sums
from .measure import Measure, Status, Units

_Mask = NDArray[np.bool_]
ALL = ""


@dataclass(frozen=True)
class Number:
    """One reported number.

    slice: "", or a level or chapter of the ontology. group_by, group: the group of cases that the
    number covers. low, high: the limits of the interval; NaN if there is none, and `warning` says
    why. interval: its method, wilson, bca or percentile; "" if there is none.
    sd: the standard deviation of the numbers of the single units (of the pairs, where pairs
    count). worst, best: the ends of what it could be with the unresolved units. n: the number of
    units that count, with the unresolved ones. failed, undecided (the votes of a jury are tied),
    abstained, invalid: how many of them ended so. unmapped: the number of predictions without a
    code. higher_is_better: the direction. scale_low, scale_high: the ends of the scale on which a
    single unit is scored; NaN where there is none.
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
    interval: str
    sd: float
    worst: float
    best: float
    n: int
    failed: int
    undecided: int
    abstained: int
    unmapped: int
    invalid: int
    warning: str
    higher_is_better: bool = True
    scale_low: float = math.nan
    scale_high: float = math.nan


def numbers_of(measures: Sequence[Measure], units: Units, plan: Plan) -> list[Number]:
    """Return every measure as numbers: over all units, and over every group of every column.

    Slices are not broken down by group. All models share the same resamples, so that their
    numbers are comparable.
    """
    numbers: list[Number] = []
    order = units.order
    drawn = [units.drawn[at] for at in order]
    for alike in _alike(measures):
        cells = list(cells_of(alike, units))
        columns = [_masked(measure, mask) for measure, _, _, mask in cells]
        how = alike[0].combine
        intervals = bootstrap_many(
            _statistic(
                [(above[order], below[order]) for above, below in columns],
                "ratio" if how == "clipped" else how,
            ),
            drawn,
            present=np.column_stack([(below > 0).any(axis=1) for _, below in columns])[order],
            plan=plan,
        )
        for (measure, by, group, mask), interval in zip(cells, intervals, strict=True):
            if how == "clipped":
                interval = clip_interval(interval)
            number = _number(measure, by, group, mask, interval, units, plan)
            if number.n:
                numbers.append(number)
    return numbers


def _number(
    measure: Measure, by: str, group: str, mask: _Mask, interval: Interval, units: Units, plan: Plan
) -> Number:
    interval = _share(measure, mask, units, plan) or interval
    worst, best = measure.bounds(mask, units.order)

    def count(*statuses: Status) -> int:
        marked = measure.has(statuses, mask)
        return len(set(units.places[marked].tolist())) if measure.by_cluster else int(marked.sum())

    return Number(
        measure.metric,
        measure.model,
        measure.judge,
        measure.slice,
        by,
        group,
        interval.estimate,
        interval.low,
        interval.high,
        method_of(interval),
        _deviation(measure, mask, units),
        worst,
        best,
        count(*_COUNTED),
        count("failed"),
        count("undecided"),
        count("abstained"),
        0 if measure.unmapped is None else int(measure.unmapped[mask].sum()),
        count("invalid") if measure.invalid is None else int(measure.invalid[mask].sum()),
        interval.warning or "",
        measure.higher_is_better,
        measure.low,
        measure.top,
    )


def method_of(interval: Interval) -> str:
    """Return the method of an interval: wilson, bca, percentile; "" if there are no limits."""
    return interval.method if interval.low == interval.low else ""


def _deviation(measure: Measure, mask: _Mask, units: Units) -> float:
    above, below = (part[units.order] for part in _masked(measure, mask))
    if measure.by_cluster:
        above, below = (_by_cluster(part, units) for part in (above, below))
    return deviation_over_units(above, below, measure.combine)


def _by_cluster(values: Floats, units: Units) -> Floats:
    """Sum values that are in the order of the units, one sum for each cluster in this order."""
    places = units.places[units.order]
    sums = np.zeros((int(places.max()) + 1, values.shape[1]))
    np.add.at(sums, places, values)
    return sums[list(dict.fromkeys(places.tolist()))]


def _share(measure: Measure, mask: _Mask, units: Units, plan: Plan) -> Interval | None:
    """Return the interval of a share if all units are at an end of the scale, else None."""
    above, below = _masked(measure, mask)
    if measure.combine != "ratio" or not (below > 0).any():
        return None
    width = measure.top - measure.low
    marks = (above[:, 0] - measure.low * below[:, 0]) / width
    counted = below[:, 0] > 0
    if not np.isin(np.round(marks[counted] / below[counted, 0], 12), (0.0, 1.0)).all():
        return None
    yes, items = (np.bincount(units.places, column) for column in (marks, below[:, 0]))
    share = share_of_sums(yes.astype(float), items.astype(float), plan.level, fewest=plan.fewest)
    ends = (measure.low + width * end for end in (share.estimate, share.low, share.high))
    estimate, low, high = ends
    return replace(share, estimate=estimate, low=low, high=high)


_COUNTED: tuple[Status, ...] = ("done", "abstained", "failed", "undecided", "invalid")


def _alike(measures: Sequence[Measure]) -> Iterator[list[Measure]]:
    """Yield the measures of each metric on all slices, which share one bootstrap."""
    by_metric: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        by_metric.setdefault((measure.metric, measure.combine), []).append(measure)
    yield from by_metric.values()


def cells_of(
    measures: Sequence[Measure], units: Units
) -> Iterator[tuple[Measure, str, str, NDArray[np.bool_]]]:
    """Yield every measure over all units; measures without a slice also over every group."""
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
    """Return the function from weights (b, units) to the values of every cell (b, cells)."""
    width = columns[0][0].shape[1]
    above = np.hstack([numerator for numerator, _ in columns])
    below = np.hstack([denominator for _, denominator in columns])

    def statistic(drawn: Floats) -> Floats:
        shape = (len(drawn), len(columns), width)
        return ratio_of_sums((drawn @ above).reshape(shape), (drawn @ below).reshape(shape), how)

    return statistic


def ordered_statistic(measures: Sequence[Measure], order: NDArray[np.int_]) -> Statistic:
    """Return the function from weights (b, units in this order) to values (b, measures).

    measures: all with the same `combine`.
    """
    columns = [(one.numerator[order], one.denominator[order]) for one in measures]
    return _statistic(columns, measures[0].combine)


def joint_statistic(
    measures: Sequence[Measure], mask: NDArray[np.bool_], order: NDArray[np.int_]
) -> Statistic:
    """Return the function from weights (b, units in this order) to values, over the mask.

    measures: all with the same `combine`. The values have the shape (b, measures).
    """
    columns = [_masked(one, mask) for one in measures]
    return _statistic([(above[order], below[order]) for above, below in columns],
                      measures[0].combine)  # fmt: skip


def group_statistic(
    measure: Measure, masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int_]
) -> Statistic:
    """Return the function from weights (b, units in `order`) to a measure's values (b, masks)."""
    above, below = measure.numerator[order], measure.denominator[order]
    columns = [(above * mask[:, None], below * mask[:, None]) for mask in masks]
    return _statistic(columns, measure.combine)
