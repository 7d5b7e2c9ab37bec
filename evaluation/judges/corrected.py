"""Estimate the share of right verdicts that a human would find, from a judge's verdicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...scoring.bootstrap import Plan
from ...scoring.calibration import (
    CorrectedAccuracy,
    prediction_powered,
    rogan_gladen,
    sampling_p_value,
)
from ...scoring.paired import majority_vote
from ...scoring.raters._ratings import is_number
from ...scoring.raters.sampled import sampled_rogan_gladen, sampled_share
from .agreement_units import MODEL, Unit, group_values, judges_of_units, label
from .sampling import UNLIKE, Sampling, sampling_of

INDEPENDENT = "cases with several units count as independent"
"""A warning that is printed with a number and does not replace it."""


@dataclass(frozen=True)
class CorrectedRow:
    """A judge's share of right verdicts, corrected with the units that a human judged too.

    judged: the share by the judge alone, on the units that no human judged, or on all units for a
    weighted method. value, low, high: the corrected share; None if it cannot be computed, and
    `warning` says why. n: the number of units in `judged`. n_calibration: the number of units with
    a human verdict. unresolved: the number of units left out because a verdict is missing.
    """

    step: str
    group_by: str
    group: str
    judge: str
    method: str
    judged: float | None
    value: float | None
    low: float | None
    high: float | None
    sensitivity: float | None
    specificity: float | None
    n: int
    n_calibration: int
    unresolved: int
    warning: str


def corrected_rows(
    step: str,
    units: Sequence[Unit],
    human: str | None,
    positive: Any,
    by: Sequence[str],
    plan: Plan,
    *,
    graded: bool,
    sampling: Sequence[str] = (),
) -> Iterator[CorrectedRow]:
    """Yield the Rogan-Gladen and prediction-powered rows of every judge, overall and by group.

    No row if no human judged, or if the verdicts are not yes/no and `positive` is None.
    graded: the verdicts are grades, so that 1 and 0 do not mean yes and no. sampling: the columns
    that say how the checked units were drawn; none means that they were drawn at random.
    """
    if human is None or not any(human in unit.votes for unit in units):
        return
    if positive is None and (graded or not _yes_or_no(units)):
        return
    marks = {(at, judge): _mark(unit, judge, positive) for at, unit in enumerate(units)
             for judge in unit.votes}  # fmt: skip
    if not any(mark is not None for mark in marks.values()):
        return
    cells = [("", "", set(range(len(units))))]
    for column in by:
        values = sorted({value for unit in units for value in group_values(unit, column)})
        cells += [
            (column, value, {i for i, u in enumerate(units) if value in group_values(u, column)})
            for value in values
        ]
    for judge in judges_of_units(units):
        if judge == human:
            continue
        mine = [at for at, unit in enumerate(units) if judge in unit.votes]
        judged = _Judged(
            [units[at] for at in mine],
            [(marks[at, judge], marks.get((at, human)), _checked(units[at], human)) for at in mine],
            human,
        )
        drawn = judged.drawn_by(sampling) if sampling else None
        for column, value, places in cells:
            inside = [place for place, at in enumerate(mine) if at in places]
            for corrected in judged.corrections(inside, drawn, plan):
                several = drawn is None and len({units[at].case for at in places}) < len(places)
                yield _row(step, column, value, judge, corrected, several)


@dataclass(frozen=True)
class _Judged:
    """The units of one judge. seen: its mark, the human's mark, and whether the human checked."""

    units: Sequence[Unit]
    seen: "_Seen"
    human: str

    def drawn_by(self, names: Sequence[str]) -> Sampling:
        """Return with which probability each unit was checked."""
        return sampling_of(
            self.units,
            [is_checked for _, _, is_checked in self.seen],
            [mine for mine, _, _ in self.seen],
            [_contested(unit, self.human) for unit in self.units],
            names,
        )

    def corrections(
        self, inside: Sequence[int], drawn: Sampling | None, plan: Plan
    ) -> list[CorrectedAccuracy]:
        """Return the corrected shares of some of the units, weighted if the sampling is known."""
        seen = [self.seen[at] for at in inside]
        if drawn is None:
            why = _unlike([self.units[at] for at in inside], seen, self.human)
            return [_refused(one, why) for one in _correct(seen, plan.level)]
        if not any(mine is not None for mine, _, _ in seen):
            return []
        weights = [drawn.probability[at] for at in inside] if not drawn.why else [1.0] * len(seen)
        judged = [mine for mine, _, _ in seen]
        truth = [truth for _, truth, _ in seen]
        cases = [self.units[at].case for at in inside]
        silent = sum(is_checked and human is None for _, human, is_checked in seen)
        both = (
            sampled_rogan_gladen(judged, truth, weights, clusters=cases, plan=plan),
            sampled_share(judged, truth, weights, clusters=cases, plan=plan),
        )
        counted = [replace(one, unresolved=one.unresolved + silent) for one in both]
        if drawn.why:
            return [replace(one, value=None, interval=None, warning=drawn.why) for one in counted]
        return counted


def _unlike(units: Sequence[Unit], seen: "_Seen", human: str) -> str:
    """Return why the checked units cannot represent the rest, or "".

    Only a random draw of units represents the rest. The test compares the models, this judge's
    verdicts, and whether the judges differ on the unit.
    """
    checked = [is_checked for _, _, is_checked in seen]
    strata: dict[str, Sequence[Any]] = {
        "the models": [unit.groups.get(MODEL, "") for unit in units],
        "this judge's verdicts": [mine for mine, _, _ in seen],
        "the units on which judges differ": [_contested(unit, human) for unit in units],
    }
    faults = [name for name, values in strata.items() if sampling_p_value(checked, values) < UNLIKE]
    if not faults:
        return ""
    return (
        f"the checked units are not like the rest by {' and '.join(faults)}: check units drawn at "
        "random"
    )


def _contested(unit: Unit, human: str) -> bool:
    verdicts = {
        label(vote)
        for judge, mine in unit.votes.items()
        if judge != human
        for vote in mine.values()
    }
    return len(verdicts - {None}) > 1


def _refused(corrected: CorrectedAccuracy, why: str) -> CorrectedAccuracy:
    if not why or corrected.value is None:
        return corrected
    return replace(corrected, value=None, interval=None, warning=why)


def _checked(unit: Unit, human: str) -> bool:
    """Return whether the human judged it. A failed vote means the file lacks the case."""
    return any(vote.status != "failed" for vote in unit.votes.get(human, {}).values())


def _yes_or_no(units: Sequence[Unit]) -> bool:
    """Return whether every verdict is true, false, 1 or 0."""
    verdicts = {label(v) for u in units for mine in u.votes.values() for v in mine.values()} - {
        None
    }
    return verdicts <= {True, False}


def _mark(unit: Unit, judge: str, positive: Any) -> bool | None:
    """Return whether the majority of a judge's votes says "right"; None on a tie or no votes."""
    marks = (_right(label(vote), positive) for vote in unit.votes[judge].values())
    return majority_vote(marks).winner


def _right(value: Any, positive: Any) -> bool | None:
    if value is None:
        return None
    if positive is None:
        return bool(value)
    if isinstance(value, bool) or isinstance(positive, bool):
        return bool(value == positive)
    if is_number(value) and is_number(positive):
        return bool(float(value) >= float(positive))
    return str(value) == str(positive)


_Seen = Sequence[tuple[bool | None, bool | None, bool]]


def _correct(seen: _Seen, level: float) -> list[CorrectedAccuracy]:
    judged = [mine for mine, _, checked in seen if not checked]
    calibration = [(mine, truth) for mine, truth, checked in seen if checked]
    if not any(mine is not None for mine in judged):
        n = sum(None not in pair for pair in calibration)
        warning = "every unit has a human verdict: use the human's share, nothing needs correction"
        return [
            CorrectedAccuracy("none needed", None, None, float("nan"), float("nan"),
                              float("nan"), 0, n, len(seen) - n, warning=warning)
        ]  # fmt: skip
    return [
        rogan_gladen(judged, calibration, level=level),
        prediction_powered(judged, calibration, level=level),
    ]


def _row(
    step: str, by: str, group: str, judge: str, corrected: CorrectedAccuracy, several: bool
) -> CorrectedRow:
    warning = corrected.warning or ""
    if several and corrected.interval is not None:
        warning = "; ".join(filter(None, [warning, INDEPENDENT]))
    limits = corrected.interval
    return CorrectedRow(
        step, by, group, judge, corrected.method, _plain(corrected.judged), corrected.value,
        float(limits.low) if limits else None, float(limits.high) if limits else None,
        _plain(corrected.sensitivity), _plain(corrected.specificity), corrected.n,
        corrected.n_calibration, corrected.unresolved, warning,
    )  # fmt: skip


def _plain(value: float) -> float | None:
    return None if value != value else value
