"""Whether a conclusion survives a swap of the judge: the same responses under each judge.

Everything is over the metrics of the main table that a judge decides. Intervals resample the
same cases for all judges and models, so that what is compared is paired.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...agents.engine.families import families_of
from ...agents.outcome import Outcome
from ...scoring import SAME
from ...scoring.bootstrap import Floats, Plan, bootstrap_many
from ...scoring.means import mean_interval
from ..result import Evaluation
from ..tasks import EXTRACTIONS
from .conclusions import conclusions_of
from .self_preference import Families, family_rows
from .swap_rows import FlipRate, FlipRow, JudgeRow, LeaveOutRow, ScoreRow, Swap, TauRow
from .swap_table import SwapTable, swap_table


def swap_of(made: Evaluation, families: Families = families_of) -> Swap | None:
    """The swap report of an evaluation; None with fewer than two judges that judge something.

    `families` gives the families of a judge or a model by its name.
    """
    titles = {
        metric: column.title_of(metric)
        for column in made.columns
        for metric in dict.fromkeys(one.metric for one in made.measures)
        if column.covers(metric) and not column.by
    }
    judges = made.judged.single_judges
    tables = {
        metric: table
        for metric in titles
        if (table := swap_table(made.measures, metric, judges, made.units)) is not None
    }
    if len(judges) < 2 or not tables:
        return None
    plan = made.settings.plan
    shown = {metric: titles[metric] for metric in tables}
    return Swap(
        made.judged.single_judges,
        made.judged.models,
        shown,
        tuple(_scores(made, tables)),
        tuple(_taus(made, tables)),
        tuple(row for table in tables.values() for row in _leave_out(table, plan)),
        tuple(row for table in tables.values() for row in _flips(table)),
        tuple(row for table in tables.values() for row in _flip_rates(table, plan)),
        tuple(row for table in tables.values() for row in family_rows(table, families, plan)),
        tuple(_costs(made, families)),
        tuple(conclusions_of(made.gaps, judges, tables, shown, plan)),
    )


def _scores(made: Evaluation, metrics: Mapping[str, SwapTable]) -> Iterator[ScoreRow]:
    places = {
        (one.metric, one.judge, one.model): one.rank
        for one in made.ranks
        if not (one.slice or one.group_by)
    }
    for metric in metrics:
        for judge in made.judged.single_judges:
            for model in made.judged.models:
                one = made.number(metric, model, judge)
                if one is not None:
                    yield ScoreRow(metric, judge, model, one.value, one.low, one.high,
                                   places.get((metric, judge, model)), one.n, one.failed,
                                   one.warning)  # fmt: skip


def _taus(made: Evaluation, metrics: Mapping[str, SwapTable]) -> Iterator[TauRow]:
    for metric in metrics:
        if metric in made.stability:
            for (first, second), one in made.stability[metric].taus.items():
                yield TauRow(metric, first, second, one.estimate, one.low, one.high,
                             one.warning or "")  # fmt: skip


def _leave_out(table: SwapTable, plan: Plan) -> Iterator[LeaveOutRow]:
    judges, models = len(table.judges), len(table.models)
    if judges < 2:
        return

    def change(drawn: Floats) -> Floats:
        values = table.means(drawn)
        every = values.mean(axis=1)
        made: Floats = np.concatenate(
            [np.delete(values, at, axis=1).mean(axis=1) - every for at in range(judges)], axis=1
        )
        return made

    present = np.repeat(table.present, judges * models, axis=1)
    made = bootstrap_many(change, table.drawn, present=present, plan=plan)
    means = table.means(np.ones((1, len(table.drawn))))[0]
    placed = table.ranked(means.mean(axis=0))
    for at, judge in enumerate(table.judges):
        rest = np.delete(means, at, axis=0).mean(axis=0)
        again = table.ranked(rest)
        for m, model in enumerate(table.models):
            one = made[at * models + m]
            yield LeaveOutRow(table.metric, judge, model, float(means[:, m].mean()),
                              float(rest[m]), one.estimate, one.low, one.high,
                              placed.get(model), again.get(model),
                              one.warning or "")  # fmt: skip


def _flips(table: SwapTable) -> Iterator[FlipRow]:
    models, pairs = _flip_marks(table)
    for at, unit in enumerate(table.units.ids):
        known, ordered = models[:, at], pairs[:, at]
        if (~np.isnan(known)).any():
            yield FlipRow(
                table.metric, unit, int(np.nansum(known)), int((~np.isnan(known)).sum()),
                int(np.nansum(ordered)), int((~np.isnan(ordered)).sum()),
            )  # fmt: skip


def _flip_marks(table: SwapTable) -> tuple[Floats, Floats]:
    """1 flipped, 0 not, NaN without two scores: models x units, and pairs of models x units."""
    values = table.by_unit()
    several = (~np.isnan(values)).sum(axis=0) > 1
    spread = np.where(several, _highest(values) + _highest(-values), np.nan)
    marks = np.where(np.isnan(spread), np.nan, (spread > SAME) * 1.0)
    first, second = np.triu_indices(len(table.models), k=1)
    apart = values[:, first] - values[:, second]
    both = (~np.isnan(apart)).sum(axis=0) > 1
    crossed = (_highest(apart) > SAME) & (_highest(-apart) > SAME)
    return marks, np.where(both, crossed * 1.0, np.nan)


def _highest(values: Floats) -> Floats:
    """The largest value over judges, -inf where there is none."""
    found: Floats = np.where(np.isnan(values), -np.inf, values).max(axis=0)
    return found


def _flip_rates(table: SwapTable, plan: Plan) -> Iterator[FlipRate]:
    for kind, marks in zip(("score", "order of two models"), _flip_marks(table), strict=True):
        rows, units = np.nonzero(~np.isnan(marks))
        if rows.size:
            cases = [table.units.drawn[at] for at in units]
            made = mean_interval(marks[rows, units].tolist(), clusters=cases, plan=plan)
            yield FlipRate(table.metric, kind, made.estimate, made.low, made.high, made.n,
                           made.warning or "")  # fmt: skip


def _costs(made: Evaluation, families: Families) -> Iterator[JudgeRow]:
    for judge in made.judged.single_judges:
        held: list[tuple[str, Outcome]] = [
            (case, one.outcome)
            for (task, name, _, case), verdicts in made.judged.verdicts.items()
            if name == judge and task not in EXTRACTIONS
            for one in verdicts
        ]
        if not held:
            continue
        outcomes = [outcome for _, outcome in held]
        ended = [outcome.status for outcome in outcomes]
        rate = mean_interval([status == "failed" for status in ended],
                             clusters=[case for case, _ in held],
                             plan=made.settings.plan)  # fmt: skip
        yield JudgeRow(
            judge, "; ".join(sorted(families(judge))), len(held), ended.count("done"),
            ended.count("abstained"), ended.count("failed"), rate.estimate, rate.low, rate.high,
            sum(outcome.calls for outcome in outcomes),
            _total([outcome.tokens_in for outcome in outcomes]),
            _total([outcome.tokens_out for outcome in outcomes]),
            _total([outcome.cost for outcome in outcomes]),
        )  # fmt: skip


def _total(values: Sequence[Any]) -> Any:
    """The sum; None where one of them is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
