"""Whether a conclusion survives a swap of the judge: the same responses under each judge.

Everything is over the metrics of the main table that a judge decides. Intervals resample the
same cases for all judges and models, so that what is compared is paired.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...agents.engine.families import families_of
from ...agents.outcome import Outcome
from ...scoring.bootstrap import Floats, Interval, Plan, bootstrap_many, mean_interval
from ...scoring.flat import SAME, ranks
from ..measures.measure import Measure
from ..measures.numbers import joint_statistic
from ..result import Evaluation
from ..tasks import EXTRACTIONS
from .conclusions import conclusions_of
from .swap_rows import (
    FamilyRow,
    FlipRate,
    FlipRow,
    JudgeRow,
    LeaveOutRow,
    ScoreRow,
    Swap,
    TauRow,
)

Families = Callable[[str], frozenset[str]]


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
    tables = {
        metric: table
        for metric in titles
        if (table := _table(made.measures, metric, made.judged.single_judges)) is not None
    }
    if len(made.judged.single_judges) < 2 or not tables:
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
        tuple(row for table in tables.values() for row in _flips(table, made.units.ids)),
        tuple(row for table in tables.values() for row in _flip_rates(table, plan)),
        tuple(row for table in tables.values() for row in _family(table, families, plan)),
        tuple(_costs(made, families)),
        tuple(conclusions_of(made, shown)),
    )


@dataclass(frozen=True)
class _Table:
    """One metric's measures, judge by judge and model by model."""

    metric: str
    judges: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[Measure, ...]

    @property
    def higher_is_better(self) -> bool:
        return self.measures[0].higher_is_better

    def means(self, drawn: Floats) -> Floats:
        """Weights (b, units) to values (b, judges, models)."""
        values = joint_statistic(self.measures)(drawn)
        shaped: Floats = values.reshape(len(drawn), len(self.judges), len(self.models))
        return shaped

    def by_unit(self) -> Floats:
        """The value of every unit alone: judges x models x units."""
        values = np.stack([one.values() for one in self.measures])
        shaped: Floats = values.reshape(len(self.judges), len(self.models), -1)
        return shaped

    @property
    def units(self) -> int:
        return len(self.measures[0].numerator)

    def present(self) -> NDArray[np.bool_]:
        """Units that count for every judge and model alike, as one column."""
        counted = [(one.denominator > 0).any(axis=1) for one in self.measures]
        every: NDArray[np.bool_] = np.logical_and.reduce(counted)[:, None]
        return every


def _table(measures: Sequence[Measure], metric: str, judges: tuple[str, ...]) -> _Table | None:
    """None where no judge decides the metric, or one has not scored all models."""
    held = {(m.judge, m.model): m for m in measures if m.metric == metric and not m.slice}
    models = tuple(dict.fromkeys(m.model for m in measures))
    wanted = list(itertools.product(judges, models))
    if not all(place in held for place in wanted):
        return None
    return _Table(metric, judges, models, tuple(held[place] for place in wanted))


def _scores(made: Evaluation, metrics: Mapping[str, _Table]) -> Iterator[ScoreRow]:
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


def _taus(made: Evaluation, metrics: Mapping[str, _Table]) -> Iterator[TauRow]:
    for metric in metrics:
        if metric in made.stability:
            for (first, second), one in made.stability[metric].taus.items():
                yield TauRow(metric, first, second, one.estimate, one.low, one.high,
                             one.warning or "")  # fmt: skip


def _leave_out(table: _Table, plan: Plan) -> Iterator[LeaveOutRow]:
    judges, models = len(table.judges), len(table.models)

    def change(drawn: Floats) -> Floats:
        values = table.means(drawn)
        every = values.mean(axis=1)
        made: Floats = np.concatenate(
            [np.delete(values, at, axis=1).mean(axis=1) - every for at in range(judges)], axis=1
        )
        return made

    present = np.repeat(table.present(), judges * models, axis=1)
    made = bootstrap_many(change, table.units, present=present, plan=plan)
    means = table.means(np.ones((1, table.units)))[0]
    placed = _ranked(table, means.mean(axis=0))
    for at, judge in enumerate(table.judges):
        rest = np.delete(means, at, axis=0).mean(axis=0)
        again = _ranked(table, rest)
        for m, model in enumerate(table.models):
            one = made[at * models + m]
            yield LeaveOutRow(table.metric, judge, model, float(means[:, m].mean()),
                              float(rest[m]), one.estimate, one.low, one.high,
                              placed.get(model), again.get(model),
                              one.warning or "")  # fmt: skip


def _ranked(table: _Table, values: Floats) -> dict[str, int]:
    scores = {m: v for m, v in zip(table.models, values.tolist(), strict=True) if v == v}
    return ranks(scores, higher_is_better=table.higher_is_better)


def _flips(table: _Table, units: Sequence[str]) -> Iterator[FlipRow]:
    models, pairs = _flip_marks(table)
    for at, unit in enumerate(units):
        known, ordered = models[:, at], pairs[:, at]
        if (~np.isnan(known)).any():
            yield FlipRow(
                table.metric, unit, int(np.nansum(known)), int((~np.isnan(known)).sum()),
                int(np.nansum(ordered)), int((~np.isnan(ordered)).sum()),
            )  # fmt: skip


def _flip_marks(table: _Table) -> tuple[Floats, Floats]:
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


def _flip_rates(table: _Table, plan: Plan) -> Iterator[FlipRate]:
    for kind, marks in zip(("score", "order of two models"), _flip_marks(table), strict=True):
        rows, units = np.nonzero(~np.isnan(marks))
        if rows.size:
            made = mean_interval(marks[rows, units].tolist(), clusters=units.tolist(), plan=plan)
            yield FlipRate(table.metric, kind, made.estimate, made.low, made.high, made.n,
                           made.warning or "")  # fmt: skip


def _family(table: _Table, families: Families, plan: Plan) -> Iterator[FamilyRow]:
    kin = {name: families(name) for name in (*table.judges, *table.models)}
    for at, judge in enumerate(table.judges):
        own = [m for m, model in enumerate(table.models) if kin[model] & kin[judge]]
        if not own:
            continue
        rest = [m for m in range(len(table.models)) if m not in own]
        against = [j for j, other in enumerate(table.judges) if not kin[other] & kin[judge]]
        names = (
            "; ".join(sorted(kin[judge])),
            "; ".join(table.models[m] for m in own),
            "; ".join(table.judges[j] for j in against),
        )
        if not rest or not against:
            lack = "no model" if not rest else "no judge"
            said = f"{lack} of another family to compare with"
            yield FamilyRow(table.metric, judge, *names, None, None, None, said)
            continue
        one = _advantage(table, at, own, rest, against, plan)
        yield FamilyRow(table.metric, judge, *names, _known(one.estimate), _known(one.low),
                        _known(one.high), one.warning or "")  # fmt: skip


def _advantage(
    table: _Table, judge: int, own: list[int], rest: list[int], against: list[int], plan: Plan
) -> Interval:
    sign = 1.0 if table.higher_is_better else -1.0

    def statistic(drawn: Floats) -> Floats:
        values = sign * table.means(drawn)
        lead = values[:, :, own].mean(axis=2) - values[:, :, rest].mean(axis=2)
        found: Floats = (lead[:, judge] - lead[:, against].mean(axis=1))[:, None]
        return found

    present = table.present()
    return bootstrap_many(statistic, table.units, present=present, plan=plan)[0]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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
