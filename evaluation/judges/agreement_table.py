"""Compute the agreement table of a set of votes: every measure in every cell, with intervals."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...errors import UsageError
from ...scoring.bootstrap import Plan
from ...scoring.raters._ratings import Scale, is_number
from ...scoring.raters.agreement import Coefficient, jury_agreement, pair_agreement
from ...scoring.raters.preference import preference_agreement
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
    """What to compare, and how.

    scale, categories, span: of the verdicts; None takes them from the step or from the verdicts.
    known: scale and levels by the step of the votes; they win over those of the toolkit's steps.
    by: the columns by which every number is broken down. item: the columns that identify what
    was judged. human: the judge, or the column, that holds human verdicts. positive: which
    verdicts count as right for the corrected accuracy: those equal to it (words), or those not
    below it (numbers).
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

    step: "" means all steps together. group_by, group: "" means every unit. between: two judges, a
    judge and the human, the whole jury, or one judge over its repeats or prompt variants.
    n: the number of cases with the verdicts that the measure needs. failed, abstained: the number
    of votes left out because they failed or abstained. absent: the number of votes that were
    never cast. `value`, `low` and `high` may be None; `warning` then gives the reason.
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
    """How a judge's votes on a step ended. `failure_rate` is failed / votes."""

    step: str
    judge: str
    votes: int
    done: int
    abstained: int
    failed: int
    failure_rate: float


@dataclass(frozen=True)
class Agreement:
    """All tables about the agreement of judges. `notes` say how the verdicts were compared."""

    rows: tuple[AgreementRow, ...]
    counts: tuple[CountRow, ...]
    corrected: tuple[CorrectedRow, ...]
    contested: tuple[Contested, ...]
    notes: tuple[str, ...]


def agree(votes: Sequence[Vote], terms: Terms | None = None) -> Agreement:
    """Compare the judges of a set of votes.

    Raises UsageError for no votes, an unknown column or human, two votes on the same item that
    differ in no column, or verdicts outside the categories.
    """
    terms = terms or Terms()
    if not votes:
        raise UsageError("there are no votes to compare")
    votes = _with_human(votes, terms.human)
    units = units_of(votes, terms.item)
    _check_columns(units, terms.by)
    steps = list(dict.fromkeys(unit.step for unit in units))
    by_step = {step: [unit for unit in units if unit.step == step] for step in steps}
    measured_as = {
        step: measured(step_units, step, terms.scale, terms.categories, terms.span, terms.known)
        for step, step_units in by_step.items()
    }
    notes = [comparison.note for comparison in measured_as.values()]
    cells = [(step, step_units, measured_as[step]) for step, step_units in by_step.items()]
    if len(steps) > 1:
        notes += _over_all(units, measured_as, cells)
    rows = [row for cell in cells for row in _rows_of_cell(*cell, terms)]
    return Agreement(
        tuple(rows),
        tuple(_counts(votes)),
        tuple(
            row
            for step, step_units in by_step.items()
            for row in corrected_rows(
                step,
                step_units,
                terms.human,
                terms.positive,
                terms.by,
                terms.plan,
                graded=known_scale(step, terms.known)[0] not in (None, "nominal"),
            )
        ),
        tuple(contested_units(units, measured_as)),
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
    """Add the cell over all steps if they share a scale; else return a note that says why not."""
    kinds = {
        (comparison.kind, comparison.scale, comparison.categories, comparison.span)
        for comparison in how.values()
    }
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
    """Yield the rows of one step: over all its units, then in every group."""
    yield from _rows(step, "", "", units, how, terms)
    for column in terms.by:
        for value in sorted({value for unit in units for value in group_values(unit, column)}):
            members = [unit for unit in units if value in group_values(unit, column)]
            yield from _rows(step, column, value, members, how, terms)


def _rows(
    step: str, by: str, group: str, units: Sequence[Unit], how: Measured, terms: Terms
) -> Iterator[AgreementRow]:
    judges = judges_of_units(units)
    own = [judge for judge in judges if judge != terms.human]
    cell = _Cell(step, by, group, units, how, terms.plan)
    for first, second in itertools.combinations(own, 2):
        yield from cell.pair("pair", first, second)
    if terms.human in judges:
        for judge in own:
            yield from cell.pair("human", judge, str(terms.human))
    if len(own) > 1:
        yield from cell.jury(own)
    for judge in judges:
        yield from cell.within(judge, "repeats", 1)
        yield from cell.within(judge, "variants", 0)


@dataclass(frozen=True)
class _Cell:
    """The units of one step and group; its methods compute the rows."""

    step: str
    by: str
    group: str
    units: Sequence[Unit]
    how: Measured
    plan: Plan

    def pair(self, between: Between, first: str, second: str) -> Iterator[AgreementRow]:
        """Yield every measure of two judges, also their agreement on which model is better."""
        votes, cases = self._side_by_side([first, second])
        if not votes:
            return
        left, right = ([label(row[at]) for row in votes] for at in (0, 1))
        coefficients = pair_agreement(
            left,
            right,
            scale=self.how.scale,
            categories=self.how.categories,
            span=self.how.span,
            clusters=cases,
            plan=self.plan,
        )
        yield from self._all(coefficients, between, first, second, votes)
        preferred = self._preferences(first, second)
        if preferred is not None:
            yield from self._all((preferred,), between, first, second, votes)

    def jury(self, judges: Sequence[str]) -> Iterator[AgreementRow]:
        """Yield every measure of all judges together."""
        votes, cases = self._side_by_side(judges)
        yield from self._many(votes, cases, "jury", ", ".join(judges))

    def within(self, judge: str, between: Between, by: int) -> Iterator[AgreementRow]:
        """Yield how far one judge agrees with itself; no row if it voted once."""
        replicates = [(votes, unit.case) for unit in self.units
                 for votes in replicated(unit, judge, by)]  # fmt: skip
        most = max((len(votes) for votes, _ in replicates), default=0)
        if most > 1:
            rows = [[*votes, *[None] * (most - len(votes))] for votes, _ in replicates]
            yield from self._many(rows, [case for _, case in replicates], between, judge)

    def _side_by_side(self, judges: Sequence[str]) -> tuple[list[list[Vote | None]], list[str]]:
        rows = [(row, unit.case) for unit in self.units for row in aligned(unit, judges)]
        return [row for row, _ in rows], [case for _, case in rows]

    def _many(
        self, votes: list[list[Vote | None]], cases: list[str], between: Between, name: str
    ) -> Iterator[AgreementRow]:
        coefficients = jury_agreement(
            [[label(vote) for vote in row] for row in votes],
            scale=self.how.scale,
            categories=self.how.categories,
            clusters=cases,
            plan=self.plan,
        )
        yield from self._all(coefficients, between, name, "", votes)

    def _all(
        self,
        coefficients: Sequence[Coefficient],
        between: Between,
        first: str,
        second: str,
        votes: list[list[Vote | None]],
    ) -> Iterator[AgreementRow]:
        ended = Counter(vote.status if vote else "absent" for row in votes for vote in row)
        for row in coefficients:
            low, high = (row.interval.low, row.interval.high) if row.interval else (None, None)
            yield AgreementRow(
                self.step, self.by, self.group, between, first, second, row.name, row.value,
                _or_none(low), _or_none(high), row.n, ended["failed"], ended["abstained"],
                ended["absent"], row.warning or "",
            )  # fmt: skip

    def _preferences(self, first: str, second: str) -> Coefficient | None:
        """Return the pairwise preference agreement over models; None with fewer than two models."""
        models = list(dict.fromkeys(u.groups[MODEL] for u in self.units if u.groups.get(MODEL)))
        if len(models) < 2 or self.by == MODEL:
            return None
        rows: dict[tuple[str, str], int] = {}
        for unit in self.units:
            rows.setdefault((unit.step, unit.case), len(rows))
        scores = [_mean_scores(self.units, judge, rows, models) for judge in (first, second)]
        if any(np.isnan(table).all() for table in scores):
            return None
        cases = [case for _, case in rows]
        preference = preference_agreement(*scores, clusters=cases, plan=self.plan)
        judged = (~np.isnan(scores[0] + scores[1])).any(axis=1)
        n = len({case for case, has_both in zip(cases, judged, strict=True) if has_both})
        if n < self.plan.fewest or math.isnan(preference.value):
            warning = f"{n} cases with two verdicts are too few (at least {self.plan.fewest})"
            return Coefficient("preference_agreement", None, None, n, preference.missing, warning)
        interval = preference.interval
        return Coefficient(
            "preference_agreement", preference.value, interval, n, preference.missing,
            interval.warning,
        )  # fmt: skip


def _mean_scores(
    units: Sequence[Unit], judge: str, rows: dict[tuple[str, str], int], models: list[str]
) -> Any:
    """Return a judge's mean score of every case and model; NaN without a numeric verdict."""
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
    counts: dict[tuple[str, str], Counter[str]] = {}
    for vote in votes:
        counts.setdefault((vote.step, vote.judge), Counter())[vote.status] += 1
    for (step, judge), ended in counts.items():
        total = sum(ended.values())
        yield CountRow(step, judge, total, ended["done"], ended["abstained"], ended["failed"],
                       ended["failed"] / total)  # fmt: skip
