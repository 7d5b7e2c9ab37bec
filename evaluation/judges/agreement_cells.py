"""Compute the rows of the agreement table: every measure in every cell, with intervals."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...files.counted import too_few
from ...scoring.bootstrap import Plan
from ...scoring.raters._ratings import is_number
from ...scoring.raters.agreement import Coefficient, jury_agreement, pair_agreement
from ...scoring.raters.preference import mean_scores, preference_agreement
from ...scoring.raters.shared_errors import error_correlation
from ...scoring.votes import Vote
from .agreement_rows import AgreementRow, Between, Terms
from .agreement_units import (
    MODEL,
    Measured,
    Unit,
    aligned,
    group_values,
    judges_of_units,
    label,
    replicated,
)


def rows_of_cell(
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
            yield from cell.shared_errors(first, second, str(terms.human))
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

    def shared_errors(self, first: str, second: str, human: str) -> Iterator[AgreementRow]:
        """Yield the correlation of two judges' errors on units that a human checked.

        No row for verdicts that are not yes or no.
        """
        votes, cases = self._side_by_side([first, second, human])
        marks = [[label(vote) for vote in row] for row in votes]
        if not {mark for row in marks for mark in row} <= {True, False, None}:
            return
        numbers = np.array([[np.nan if mark is None else float(mark) for mark in row]
                            for row in marks]).reshape(-1, 3)  # fmt: skip
        interval = error_correlation(*numbers.T, clusters=cases, plan=self.plan)
        defined = interval.estimate == interval.estimate
        coefficient = Coefficient(
            "error_correlation", interval.estimate if defined else None,
            interval if defined else None, interval.n, int(np.isnan(numbers).sum()),
            interval.warning,
        )  # fmt: skip
        yield from self._all((coefficient,), "pair", first, second, [row[:2] for row in votes])

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
        scores = [
            mean_scores(_scores_of(self.units, judge, rows, models), len(rows), len(models))
            for judge in (first, second)
        ]
        if any(np.isnan(table).all() for table in scores):
            return None
        cases = [case for _, case in rows]
        preference = preference_agreement(*scores, clusters=cases, plan=self.plan)
        judged = np.asarray((~np.isnan(scores[0] + scores[1])).any(axis=1))
        n = len({case for case, has_both in zip(cases, judged, strict=True) if has_both})
        if n < self.plan.fewest or math.isnan(preference.value):
            warning = too_few(
                n, "case with two verdicts", self.plan.fewest, plural="cases with two verdicts"
            )
            if n >= self.plan.fewest:
                warning = "no case where both judges have verdicts on two models"
            return Coefficient("preference_agreement", None, None, n, preference.missing, warning)
        interval = preference.interval
        return Coefficient(
            "preference_agreement", preference.value, interval, n, preference.missing,
            interval.warning,
        )  # fmt: skip


def _scores_of(
    units: Sequence[Unit], judge: str, rows: dict[tuple[str, str], int], models: list[str]
) -> Iterator[tuple[int, int, float]]:
    """Yield the place of the case, the place of the model, and each numeric verdict of a judge."""
    for unit in units:
        for vote in unit.votes.get(judge, {}).values():
            value = label(vote)
            if is_number(value) and unit.groups.get(MODEL):
                place = models.index(unit.groups[MODEL])
                yield rows[unit.step, unit.case], place, float(value)


def _or_none(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
