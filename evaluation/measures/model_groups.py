"""Average metrics over groups of models, such as all open models or all of one size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...scoring.bootstrap import Floats, Plan, bootstrap_many
from ...scoring.ratios import deviation_over_units
from .measure import Measure, Status, Units
from .numbers import ordered_statistic


@dataclass(frozen=True)
class GroupMean:
    """The mean of one metric over the models of a group.

    attribute, group: for example type and open. models: the models that have a number, separated
    by "; ". low, high: the limits when cases are resampled; the models stay the same. sd: the
    standard deviation over the models. worst, best: the means of the models' bounds. n: the number
    of units that count for at least one of the models. failed, undecided: how many numbers of
    units are missing, summed over the models.
    """

    attribute: str
    group: str
    models: str
    metric: str
    judge: str
    value: float
    low: float
    high: float
    sd: float
    worst: float
    best: float
    n: int
    failed: int
    undecided: int
    warning: str


def group_means(
    measures: Sequence[Measure],
    units: Units,
    plan: Plan,
    attributes: Mapping[str, Mapping[str, str]],
) -> list[GroupMean]:
    """Return the mean of every metric over every group of models.

    attributes: model -> attribute -> group. All models of a group have the same resamples.
    """
    tables: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        if not measure.slice:
            tables.setdefault((measure.metric, measure.judge), []).append(measure)
    means: list[GroupMean] = []
    for attribute in dict.fromkeys(name for own in attributes.values() for name in own):
        for alike in tables.values():
            of = {one.model: attributes.get(one.model, {}).get(attribute, "") for one in alike}
            for group in dict.fromkeys(filter(None, of.values())):
                members = [one for one in alike if of[one.model] == group]
                means += _means(attribute, group, members, units, plan)
    return means


def _means(
    attribute: str, group: str, measures: Sequence[Measure], units: Units, plan: Plan
) -> Iterator[GroupMean]:
    everything = np.ones(len(units.ids), dtype=bool)
    counted = [one for one in measures if (one.denominator > 0).any()]
    if not counted:
        return
    of_models = ordered_statistic(counted, units.order)

    def statistic(drawn: Floats) -> Floats:
        mean: Floats = of_models(drawn).mean(axis=1, keepdims=True)
        return mean

    present = np.any([(one.denominator > 0).any(axis=1) for one in counted], axis=0)
    drawn = [units.drawn[at] for at in units.order]
    interval = bootstrap_many(statistic, drawn, present=present[units.order][:, None], plan=plan)[0]
    values = of_models(np.ones((1, len(units.ids)))).T
    bounds = np.array([one.bounds(everything, units.order) for one in measures]).mean(axis=0)
    yield GroupMean(
        attribute,
        group,
        "; ".join(one.model for one in counted),
        counted[0].metric,
        counted[0].judge,
        interval.estimate,
        interval.low,
        interval.high,
        deviation_over_units(values, np.ones_like(values)),
        float(bounds[0]),
        float(bounds[1]),
        _units_of(counted, units),
        sum(_count(one, "failed", units) for one in measures),
        sum(_count(one, "undecided", units) for one in measures),
        interval.warning or "",
    )


def _count(measure: Measure, status: Status, units: Units) -> int:
    marked = np.array([one == status for one in measure.status], dtype=bool)
    return len({*units.places[marked].tolist()}) if measure.by_cluster else int(marked.sum())


def _units_of(measures: Sequence[Measure], units: Units) -> int:
    counted = np.any([np.array([s != "none" for s in one.status]) for one in measures], axis=0)
    return len({*units.places[counted].tolist()}) if measures[0].by_cluster else int(counted.sum())
