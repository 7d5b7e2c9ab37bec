"""The whole agreement table of a set of votes: every measure, cell by cell, with intervals."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...errors import UsageError
from ...scoring._ratings import Scale, is_number
from ...scoring.agreement import Coefficient, jury_agreement, pair_agreement
from ...scoring.bootstrap import Plan
from ...scoring.preference import preference_agreement
from ...scoring.votes import Vote
from .agreement_units import (
    MODEL,
    Known,
    Measured,
    Unit,
    aligned,
    group_values,
    judges_of_units,
    known_scale,
    label,
    measured,
    replicated,
    units_of,
    with_human_column,
)
from .contested import Contested, contested_units
from .corrected import CorrectedRow, corrected_rows

Between = Literal["pair", "human", "jury", "repeats", "variants"]


@dataclass(frozen=True)
class Terms:
    """What to compare and how.

    scale, categories, span: of the verdicts, where they are not to be found from them.
    known: scale and levels by the step of the votes; looked at before the toolkit's own steps.
    by: columns to break everything down by. item: columns that tell apart what was judged.
    human: the judge, or the column, that holds human verdicts. positive: the verdict that
    counts as right for the corrected accuracy: equal to it (words), at least it (numbers).
    """

    scale: Scale | None = None
    categories: tuple[Any, ...] | None = None
    span: float | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    item: tuple[str, ...] | None = None
    human: str | None = None
    positive: Any = None
    plan: Plan = field(default_factory=Plan)


@dataclass(frozen=True)
class AgreementRow:
    """One measure of agreement in one cell.

    step: "" is all steps together. group_by, group: "" is every unit. between: two judges, a
    judge and the human, the whole jury, or one judge over its repeats or prompt variants.
    n: cases with the verdicts that the measure needs. failed, abstained: votes left out for it,
    absent: votes that were never cast. `value`, `low` and `high` are None where `warning` says
    why.
    """

    step: str
    group_by: str
    group: str
    between: Between
    first: str
    second: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    failed: int
    abstained: int
    absent: int
    warning: str


@dataclass(frozen=True)
class CountRow:
    """How a judge's votes on a step ended. The rate is failed / votes."""

    step: str
    judge: str
    votes: int
    done: int
    abstained: int
    failed: int
    failure_rate: float


@dataclass(frozen=True)
class Agreement:
    """Everything that is known about how far judges agree. `notes` say how it was taken."""

    rows: tuple[AgreementRow, ...]
    counts: tuple[CountRow, ...]
    corrected: tuple[CorrectedRow, ...]
    contested: tuple[Contested, ...]
    notes: tuple[str, ...]


def agree(votes: Sequence[Vote], terms: Terms | None = None) -> Agreement:
    """Compare the judges of a set of votes.

    Raises UsageError: no vote, an unknown column or human, two votes that nothing tells apart,
    categories that do not fit.
    """
    terms = terms or Terms()
    if not votes:
        raise UsageError("there is no vote to compare")
    votes = _with_human(votes, terms.human)
    units = units_of(votes, terms.item)
    _check_columns(units, terms.by)
    steps = list(dict.fromkeys(unit.step for unit in units))
    by_step = {step: [unit for unit in units if unit.step == step] for step in steps}
    how = {
        step: measured(held, step, terms.scale, terms.categories, terms.span, terms.known)
        for step, held in by_step.items()
    }
    notes = [one.said for one in how.values()]
    cells = [(step, held, how[step]) for step, held in by_step.items()]
    if len(steps) > 1:
        notes += _over_all(units, how, cells)
    rows = [row for cell in cells for row in _rows_of_cell(*cell, terms)]
    return Agreement(
        tuple(rows),
        tuple(_counts(votes)),
        tuple(
            row
            for step, held in by_step.items()
            for row in corrected_rows(
                step,
                held,
                terms.human,
                terms.positive,
                terms.by,
                terms.plan,
                graded=known_scale(step, terms.known)[0] not in (None, "nominal"),
            )
        ),
        tuple(contested_units(units, how)),
        tuple(notes),
    )


def _with_human(votes: Sequence[Vote], human: str | None) -> Sequence[Vote]:
    if human is None or any(vote.judge == human for vote in votes):
        return votes
    if any(human in vote.groups for vote in votes):
        return with_human_column(votes, human)
    judges = ", ".join(dict.fromkeys(vote.judge for vote in votes))
    raise UsageError(f"{human!r} is neither a judge ({judges}) nor a column of the votes")


def _check_columns(units: Sequence[Unit], by: Sequence[str]) -> None:
    known = {name for unit in units for name in unit.groups}
    for name in by:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise UsageError(f"no vote has the group column {name!r}; there are: {listed}")


def _over_all(
    units: list[Unit], how: dict[str, Measured], cells: list[tuple[str, list[Unit], Measured]]
) -> list[str]:
    """Add the cell over all steps where they share a scale; else say why there is none."""
    kinds = {(one.kind, one.scale, one.categories, one.span) for one in how.values()}
    if len(kinds) > 1:
        return [
            "the steps have different scales, or verdicts of different kinds, so there is no "
            "table over all of them"
        ]
    cells.insert(0, ("", units, next(iter(how.values()))))
    return []


def _rows_of_cell(
    step: str, units: Sequence[Unit], how: Measured, terms: Terms
) -> Iterator[AgreementRow]:
    """Everything of one step: over all its units, then in every group."""
    yield from _rows(step, "", "", units, how, terms)
    for column in terms.by:
        for value in sorted({value for unit in units for value in group_values(unit, column)}):
            held = [unit for unit in units if value in group_values(unit, column)]
            yield from _rows(step, column, value, held, how, terms)


def _rows(
    step: str, by: str, group: str, units: Sequence[Unit], how: Measured, terms: Terms
) -> Iterator[AgreementRow]:
    judges = judges_of_units(units)
    own = [judge for judge in judges if judge != terms.human]
    made = _Cell(step, by, group, units, how, terms.plan)
    for first, second in itertools.combinations(own, 2):
        yield from made.pair("pair", first, second)
    if terms.human in judges:
        for judge in own:
            yield from made.pair("human", judge, str(terms.human))
    if len(own) > 1:
        yield from made.jury(own)
    for judge in judges:
        yield from made.within(judge, "repeats", 1)
        yield from made.within(judge, "variants", 0)


@dataclass(frozen=True)
class _Cell:
    """The units of one step and group, and the rows that they give."""

    step: str
    by: str
    group: str
    units: Sequence[Unit]
    how: Measured
    plan: Plan

    def pair(self, between: Between, first: str, second: str) -> Iterator[AgreementRow]:
        """Every measure of two judges, with their agreement on which model is better."""
        votes, cases = self._side_by_side([first, second])
        if not votes:
            return
        left, right = ([label(row[at]) for row in votes] for at in (0, 1))
        made = pair_agreement(
            left,
            right,
            scale=self.how.scale,
            categories=self.how.categories,
            span=self.how.span,
            clusters=cases,
            plan=self.plan,
        )
        yield from self._all(made, between, first, second, votes)
        preferred = self._preferences(first, second)
        if preferred is not None:
            yield from self._all((preferred,), between, first, second, votes)

    def jury(self, judges: Sequence[str]) -> Iterator[AgreementRow]:
        """Every measure of all judges together."""
        votes, cases = self._side_by_side(judges)
        yield from self._many(votes, cases, "jury", ", ".join(judges))

    def within(self, judge: str, between: Between, by: int) -> Iterator[AgreementRow]:
        """How far one judge agrees with itself; nothing where it voted once."""
        found = [(votes, unit.case) for unit in self.units
                 for votes in replicated(unit, judge, by)]  # fmt: skip
        most = max((len(votes) for votes, _ in found), default=0)
        if most > 1:
            rows = [[*votes, *[None] * (most - len(votes))] for votes, _ in found]
            yield from self._many(rows, [case for _, case in found], between, judge)

    def _side_by_side(self, judges: Sequence[str]) -> tuple[list[list[Vote | None]], list[str]]:
        rows = [(row, unit.case) for unit in self.units for row in aligned(unit, judges)]
        return [row for row, _ in rows], [case for _, case in rows]

    def _many(
        self, votes: list[list[Vote | None]], cases: list[str], between: Between, name: str
    ) -> Iterator[AgreementRow]:
        made = jury_agreement(
            [[label(vote) for vote in row] for row in votes],
            scale=self.how.scale,
            categories=self.how.categories,
            clusters=cases,
            plan=self.plan,
        )
        yield from self._all(made, between, name, "", votes)

    def _all(
        self,
        made: Sequence[Coefficient],
        between: Between,
        first: str,
        second: str,
        votes: list[list[Vote | None]],
    ) -> Iterator[AgreementRow]:
        ended = Counter(vote.status if vote else "absent" for row in votes for vote in row)
        for one in made:
            low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
            yield AgreementRow(
                self.step, self.by, self.group, between, first, second, one.name, one.value,
                _or_none(low), _or_none(high), one.n, ended["failed"], ended["abstained"],
                ended["absent"], one.warning or "",
            )  # fmt: skip

    def _preferences(self, first: str, second: str) -> Coefficient | None:
        """Pairwise preference agreement over the models of each case; None without models."""
        models = list(dict.fromkeys(u.groups[MODEL] for u in self.units if u.groups.get(MODEL)))
        if len(models) < 2 or self.by == MODEL:
            return None
        rows: dict[tuple[str, str], int] = {}
        for unit in self.units:
            rows.setdefault((unit.step, unit.case), len(rows))
        scores = [_mean_scores(self.units, judge, rows, models) for judge in (first, second)]
        if any(np.isnan(each).all() for each in scores):
            return None
        cases = [case for _, case in rows]
        found = preference_agreement(*scores, clusters=cases, plan=self.plan)
        judged = (~np.isnan(scores[0] + scores[1])).any(axis=1)
        n = len({case for case, one in zip(cases, judged, strict=True) if one})
        if n < self.plan.fewest or math.isnan(found.value):
            said = f"{n} cases with two verdicts are too few (at least {self.plan.fewest})"
            return Coefficient("preference_agreement", None, None, n, found.missing, said)
        interval = found.interval
        return Coefficient(
            "preference_agreement", found.value, interval, n, found.missing, interval.warning
        )


def _mean_scores(
    units: Sequence[Unit], judge: str, rows: dict[tuple[str, str], int], models: list[str]
) -> Any:
    """A judge's mean score of every case and model; NaN where it has none or gives words."""
    sums, counts = np.zeros((len(rows), len(models))), np.zeros((len(rows), len(models)))
    for unit in units:
        for vote in unit.votes.get(judge, {}).values():
            value = label(vote)
            if is_number(value) and unit.groups.get(MODEL):
                place = rows[unit.step, unit.case], models.index(unit.groups[MODEL])
                sums[place] += float(value)
                counts[place] += 1
    return sums / np.where(counts > 0, counts, np.nan)


def _or_none(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _counts(votes: Sequence[Vote]) -> Iterator[CountRow]:
    held: dict[tuple[str, str], Counter[str]] = {}
    for vote in votes:
        held.setdefault((vote.step, vote.judge), Counter())[vote.status] += 1
    for (step, judge), ended in held.items():
        total = sum(ended.values())
        yield CountRow(step, judge, total, ended["done"], ended["abstained"], ended["failed"],
                       ended["failed"] / total)  # fmt: skip
