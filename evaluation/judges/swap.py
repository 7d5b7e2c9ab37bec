"""Report whether a conclusion survives a swap of the judge: the same responses, other judges.

The report covers the metrics of the main table that depend on a judge. The intervals resample the
same cases for all judges and models, so that all comparisons are paired.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...agents.engine.families import families_of
from ...agents.outcome import Outcome
from ...scoring.bootstrap import Floats, Plan, bootstrap_many
from ...scoring.means import mean_interval
from ...scoring.stability import leave_one_out, order_flips, score_flips
from ..result import Evaluation
from ..tasks import EXTRACTIONS
from .conclusions import conclusions_of
from .errors_in_common import shared_error_rows
from .self_preference import Families, family_rows
from .swap_rows import FlipRate, FlipRow, JudgeRow, LeaveOutRow, ScoreRow, Swap, TauRow
from .swap_table import SwapTable, swap_table


def swap_of(evaluation: Evaluation, families: Families = families_of) -> Swap | None:
    """Return the swap report of an evaluation; None with fewer than two judges.

    families: returns the families of a judge or a model from its name.
    """
    titles = {
        metric: column.title_of(metric)
        for column in evaluation.columns
        for metric in dict.fromkeys(one.metric for one in evaluation.measures)
        if column.covers(metric) and not column.by
    }
    judges = evaluation.judged.single_judges
    tables = {
        metric: table
        for metric in titles
        if (table := swap_table(evaluation.measures, metric, judges, evaluation.units)) is not None
    }
    if len(judges) < 2 or not tables:
        return None
    plan = evaluation.settings.plan
    shown = {metric: titles[metric] for metric in tables}
    shared = [row for table in tables.values() for row in shared_error_rows(table, families, plan)]
    return Swap(
        evaluation.judged.single_judges,
        evaluation.judged.models,
        shown,
        tuple(_scores(evaluation, tables)),
        tuple(_taus(evaluation, tables)),
        tuple(row for table in tables.values() for row in _leave_out(table, plan)),
        tuple(row for table in tables.values() for row in _flips(table)),
        tuple(row for table in tables.values() for row in _flip_rates(table, plan)),
        tuple(row for table in tables.values() for row in family_rows(table, families, plan)),
        tuple(_costs(evaluation, families)),
        tuple(conclusions_of(evaluation.gaps, judges, tables, shown, plan, shared)),
        tuple(
            gap
            for gap in evaluation.gaps
            if gap.metric in tables and gap.judge in judges and not (gap.slice or gap.group_by)
        ),
        tuple(shared),
    )


def _scores(evaluation: Evaluation, metrics: Mapping[str, SwapTable]) -> Iterator[ScoreRow]:
    places = {
        (one.metric, one.judge, one.model): one.rank
        for one in evaluation.ranks
        if not (one.slice or one.group_by)
    }
    for metric in metrics:
        for judge in evaluation.judged.single_judges:
            for model in evaluation.judged.models:
                one = evaluation.number(metric, model, judge)
                if one is not None:
                    yield ScoreRow(metric, judge, model, one.value, one.low, one.high,
                                   places.get((metric, judge, model)), one.n, one.failed,
                                   one.warning)  # fmt: skip


def _taus(evaluation: Evaluation, metrics: Mapping[str, SwapTable]) -> Iterator[TauRow]:
    for metric in metrics:
        if metric in evaluation.stability:
            for (first, second), one in evaluation.stability[metric].taus.items():
                yield TauRow(metric, first, second, one.estimate, one.low, one.high,
                             one.warning or "")  # fmt: skip


def _leave_out(table: SwapTable, plan: Plan) -> Iterator[LeaveOutRow]:
    judges, models = len(table.judges), len(table.models)
    if judges < 2:
        return

    def change(drawn: Floats) -> Floats:
        every, without = leave_one_out(table.means(drawn))
        changes: Floats = (without - every[:, None]).reshape(len(drawn), -1)
        return changes

    present = np.repeat(table.present, judges * models, axis=1)
    intervals = bootstrap_many(change, table.drawn, present=present, plan=plan)
    (every,), (without,) = leave_one_out(table.means(np.ones((1, len(table.drawn)))))
    placed = table.ranked(every)
    for at, judge in enumerate(table.judges):
        rest = without[at]
        again = table.ranked(rest)
        for m, model in enumerate(table.models):
            interval = intervals[at * models + m]
            yield LeaveOutRow(table.metric, judge, model, float(every[m]),
                              float(rest[m]), interval.estimate, interval.low, interval.high,
                              placed.get(model), again.get(model),
                              interval.warning or "")  # fmt: skip


def _flips(table: SwapTable) -> Iterator[FlipRow]:
    scores = table.by_unit()
    models, pairs = score_flips(scores), order_flips(scores)
    for at, unit in enumerate(table.units.ids):
        known, ordered = models[:, at], pairs[:, at]
        if (~np.isnan(known)).any():
            yield FlipRow(
                table.metric, unit, int(np.nansum(known)), int((~np.isnan(known)).sum()),
                int(np.nansum(ordered)), int((~np.isnan(ordered)).sum()),
            )  # fmt: skip


def _flip_rates(table: SwapTable, plan: Plan) -> Iterator[FlipRate]:
    scores = table.by_unit()
    kinds = {"score": score_flips(scores), "order of two models": order_flips(scores)}
    for kind, marks in kinds.items():
        rows, units = np.nonzero(~np.isnan(marks))
        if rows.size:
            cases = [table.units.drawn[at] for at in units]
            share = mean_interval(marks[rows, units].tolist(), clusters=cases, plan=plan)
            yield FlipRate(table.metric, kind, share.estimate, share.low, share.high, share.n,
                           share.warning or "")  # fmt: skip


def _costs(evaluation: Evaluation, families: Families) -> Iterator[JudgeRow]:
    for judge in evaluation.judged.single_judges:
        outcomes_by_case: list[tuple[str, Outcome]] = [
            (case, item.outcome)
            for (task, name, _, case), items in evaluation.judged.outcomes.items()
            if name == judge and task not in EXTRACTIONS
            for item in items
        ]
        if not outcomes_by_case:
            continue
        outcomes = [outcome for _, outcome in outcomes_by_case]
        ended = [outcome.status for outcome in outcomes]
        rate = mean_interval([status == "failed" for status in ended],
                             clusters=[case for case, _ in outcomes_by_case],
                             plan=evaluation.settings.plan)  # fmt: skip
        yield JudgeRow(
            judge, "; ".join(sorted(families(judge))), len(outcomes_by_case), ended.count("done"),
            ended.count("abstained"), ended.count("failed"), rate.estimate, rate.low, rate.high,
            sum(outcome.calls for outcome in outcomes),
            _total([outcome.tokens_in for outcome in outcomes]),
            _total([outcome.tokens_out for outcome in outcomes]),
            _total([outcome.cost for outcome in outcomes]),
        )  # fmt: skip


def _total(values: Sequence[Any]) -> Any:
    """Return the sum; None if one of the values is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
