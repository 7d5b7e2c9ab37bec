"""From measures to numbers: intervals, bounds, counts, groups, ranks and paired differences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...scoring.bootstrap import Floats, Interval, Plan, Statistic, bootstrap_many
from ...scoring.ratios import Combine, ratio_of_sums
from ...scoring.share_limits import share_of_sums
from .measure import Measure, Status, Units

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


def numbers_of(measures: Sequence[Measure], units: Units, plan: Plan) -> list[Number]:
    """Every measure as numbers: over all units, and over every group of every column.

    Slices are not broken down by group. The same resamples serve all models, so that numbers
    can be compared.
    """
    found: list[Number] = []
    order = units.order
    drawn = [units.drawn[at] for at in order]
    for held in _alike(measures):
        cells = list(cells_of(held, units))
        columns = [_masked(measure, mask) for measure, _, _, mask in cells]
        made = bootstrap_many(
            _statistic([(above[order], below[order]) for above, below in columns], held[0].combine),
            drawn,
            present=np.column_stack([(below > 0).any(axis=1) for _, below in columns])[order],
            plan=plan,
        )
        for (measure, by, group, mask), interval in zip(cells, made, strict=True):
            number = _number(measure, by, group, mask, interval, units, plan)
            if number.n:
                found.append(number)
    return found


def _number(
    measure: Measure, by: str, group: str, mask: _Mask, interval: Interval, units: Units, plan: Plan
) -> Number:
    interval = _share(measure, mask, units, plan) or interval
    worst, best = measure.bounds(mask)

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
        worst,
        best,
        count(*_COUNTED),
        count("failed"),
        count("abstained"),
        0 if measure.unmapped is None else int(measure.unmapped[mask].sum()),
        count("invalid") if measure.invalid is None else int(measure.invalid[mask].sum()),
        interval.warning or "",
        measure.higher_is_better,
    )


def _share(measure: Measure, mask: _Mask, units: Units, plan: Plan) -> Interval | None:
    """The interval of a number whose units lie at the two ends of its scale: that of a share."""
    above, below = _masked(measure, mask)
    if measure.combine != "ratio" or not (below > 0).any():
        return None
    width = measure.top - measure.low
    marks = (above[:, 0] - measure.low * below[:, 0]) / width
    counted = below[:, 0] > 0
    if not np.isin(np.round(marks[counted] / below[counted, 0], 12), (0.0, 1.0)).all():
        return None
    yes, items = (np.bincount(units.places, column) for column in (marks, below[:, 0]))
    made = share_of_sums(yes.astype(float), items.astype(float), plan.level, fewest=plan.fewest)
    ends = (measure.low + width * end for end in (made.estimate, made.low, made.high))
    estimate, low, high = ends
    return replace(made, estimate=estimate, low=low, high=high)


_COUNTED: tuple[Status, ...] = ("done", "abstained", "failed", "invalid")


def _alike(measures: Sequence[Measure]) -> Iterator[list[Measure]]:
    """Measures that one bootstrap serves: the same metric on any slice."""
    by_metric: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        by_metric.setdefault((measure.metric, measure.combine), []).append(measure)
    yield from by_metric.values()


def cells_of(
    measures: Sequence[Measure], units: Units
) -> Iterator[tuple[Measure, str, str, NDArray[np.bool_]]]:
    """Every measure over all units; those without a slice also in every group of every column."""
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
        return ratio_of_sums((drawn @ above).reshape(shape), (drawn @ below).reshape(shape), how)

    return statistic


def joint_statistic(measures: Sequence[Measure], mask: NDArray[np.bool_]) -> Statistic:
    """Weights (b, units) to the values of measures that combine alike, over the mask's units."""
    return _statistic([_masked(one, mask) for one in measures], measures[0].combine)
