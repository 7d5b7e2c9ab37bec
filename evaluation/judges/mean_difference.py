"""Differences of two models for conclusions: over all judges, and with missing verdicts filled."""

from collections.abc import Sequence

import numpy as np

from ...scoring.bootstrap import Difference, Plan
from ...scoring.differences import Columns, mean_columns, paired_differences
from ..measures.measure import Measure
from ..measures.standings import Gap
from .swap_table import SwapTable


def joint_differences(table: SwapTable, plan: Plan) -> dict[tuple[str, str], Difference]:
    """Return the mean difference over the judges of a table, by pair, over the common units."""
    if len(table.models) < 2:
        return {}
    everything = np.ones(len(table.units.ids), dtype=bool)
    width = len(table.models)
    mean_of = [
        mean_columns([measure.columns(everything) for measure in table.measures[at::width]])
        for at in range(width)
    ]
    differences = _differences(mean_of, table, plan)
    names = table.models
    return {(names[i], names[j]): difference for (i, j), difference in differences.items()}


def _differences(
    models: Sequence[Columns], table: SwapTable, plan: Plan
) -> dict[tuple[int, int], Difference]:
    order = table.units.order
    ordered = [
        Columns(one.numerator[order], one.denominator[order], one.resolved[order]) for one in models
    ]
    drawn = None if table.units.clusters is None else table.drawn
    return paired_differences(ordered, table.measures[0].combine, clusters=drawn, plan=plan)


def limits_if_missing(table: SwapTable, gap: Gap, plan: Plan) -> tuple[float, float]:
    """Return the limits of a difference with the missing verdicts at their worst for each model.

    The first limit is the lower one if every missing verdict were as low as possible for the first
    model and as high as possible for the second; the other is the upper one in the reverse case.
    Only if the first is above 0, the missing verdicts cannot change that the first model is ahead
    (Horowitz and Manski 1998, "Censoring of outcomes and regressors", Journal of Econometrics 84,
    with the sampling error of the extreme case added).
    """
    if not gap.unresolved:
        return gap.low, gap.high
    measure_of = {(one.judge, one.model): one for one in table.measures}
    first, second = (measure_of.get((gap.judge, model)) for model in (gap.first, gap.second))
    if first is None or second is None:
        return float("nan"), float("nan")
    (a_low, a_high), (b_low, b_high) = _extremes(first), _extremes(second)
    lowest = _differences([a_low, b_high], table, plan)[0, 1].interval.low
    highest = _differences([a_high, b_low], table, plan)[0, 1].interval.high
    return lowest, highest


def _extremes(measure: Measure) -> tuple[Columns, Columns]:
    """Return the columns with the missing verdicts as low and as high as they could be."""
    everything = np.ones(len(measure.open), dtype=bool)
    ends = sorted((measure.worst, measure.best),
                  key=lambda filler: measure.if_filled(filler, everything))  # fmt: skip
    return measure.filled(ends[0]), measure.filled(ends[1])
