"""Measure comparisons of two models: win rates, position bias, and strengths."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...agents.choose_better import settle_orders
from ...agents.outcome import Abstained, Done
from ...scoring.bootstrap import Interval
from ...scoring.pairwise import Contest, Ladder, strengths
from ...scoring.share_limits import share_of_sums
from ..judged import Judged
from ..judging import JudgedItem
from ..pairing import TASK, drawn_pairs, opponents
from ..settings import Settings
from .ended import ended, unresolved
from .measure import UNRESOLVED, Measure, Status
from .numbers import ALL, Number, method_of

STRENGTH = "strength"
_BY_CODE = ("code", "rules")


@dataclass(frozen=True)
class Compared:
    """One pair of models on one case under one judge.

    first_shown, second_shown: the better model with the first, and with the second one shown
    first; "tie"; or "" without a verdict. winner: of both orders; "" without a verdict. flipped:
    whether the order changed the judge's verdict; None where code decided, or without a verdict.
    reason: the judge's words, or why there is no verdict.
    """

    case: str
    judge: str
    first: str
    second: str
    status: Status
    first_shown: str
    second_shown: str
    winner: str
    flipped: bool | None
    reason: str

    @property
    def points(self) -> float | None:
        """The points of the first model; None without a verdict."""
        if not self.winner:
            return None
        return {self.first: 1.0, self.second: 0.0}.get(self.winner, 0.5)


@dataclass(frozen=True)
class PositionBias:
    """How often the order of two responses changed the verdict of a judge.

    flipped: the share of the comparisons that it judged in both orders, with Wilson's interval
    over cases. to_first, to_second: how many of them chose what was shown first, or second, both
    times; the others are a tie in one order only.
    """

    judge: str
    flipped: Interval
    compared: int
    flips: int
    to_first: int
    to_second: int


@dataclass(frozen=True)
class Pairwise:
    """All comparisons under one judge, the strengths that follow, and the position bias."""

    judge: str
    compared: tuple[Compared, ...]
    ladder: Ladder
    bias: PositionBias


def pairwise_of(judged: Judged, settings: Settings) -> tuple[Pairwise, ...]:
    """Return the comparisons under every judge that compared anything; empty without the task."""
    judges = {judge for task, judge, _, _ in judged.outcomes if task == TASK}
    found = []
    for judge in judged.judges if len(judged.models) > 1 else ():
        if judge not in judges:
            continue
        compared = tuple(comparisons(judged, settings, judge))
        contests = [Contest(one.case, one.first, one.second, one.points) for one in compared]
        ladder = strengths(contests, judged.models, plan=settings.plan)
        found.append(Pairwise(judge, compared, ladder, _bias(judge, compared, settings)))
    return tuple(found)


def comparisons(judged: Judged, settings: Settings, judge: str) -> Iterator[Compared]:
    """Yield every comparison that was drawn, case by case, also those without a verdict."""
    for case in judged.cases:
        items: dict[tuple[str, str, int], JudgedItem] = {}
        for model in judged.models:
            others = opponents(model, case, judged.responses, settings)
            for item in judged.of(TASK, judge, model, case.id):
                items[model, others[item.place // 2], item.place % 2] = item
        for first, second in drawn_pairs(case, judged.models, settings):
            both = [items.get((first, second, order)) for order in (0, 1)]
            yield _compared(case.id, judge, first, second, both)


def _compared(
    case: str, judge: str, first: str, second: str, items: Sequence[JudgedItem | None]
) -> Compared:
    names = {"A": first, "B": second, "tie": "tie"}
    outcomes = [item.outcome if item else None for item in items]
    statuses = [ended(outcome) for outcome in outcomes]
    shown = [names[one.value.better] if isinstance(one, Done) else "" for one in outcomes]
    about: dict[str, Any] = {
        "case": case, "judge": judge, "first": first, "second": second,
        "first_shown": shown[0], "second_shown": shown[1],
    }  # fmt: skip
    given, swapped = outcomes
    if isinstance(given, Done) and isinstance(swapped, Done):
        verdict = settle_orders(given.value, swapped.value)
        by_code = given.decided_by in _BY_CODE
        return Compared(
            **about,
            status="done",
            winner=names[verdict.better],
            flipped=None if by_code else verdict.flipped,
            reason=given.value.reason if by_code else verdict.reason,
        )
    if isinstance(given, Abstained) and isinstance(swapped, Abstained):
        # Neither model gave anything to compare, so neither is better.
        return Compared(
            **about, status="abstained", winner="tie", flipped=None, reason=given.reason
        )
    status = unresolved("failed" if one in ("done", "abstained") else one for one in statuses
                        if one in UNRESOLVED).status  # fmt: skip
    return Compared(
        **about, status=status, winner="", flipped=None, reason="; ".join(_why(outcomes))
    )


def _why(outcomes: Sequence[Any]) -> Iterator[str]:
    if None in outcomes:
        yield "a model has no response to this case"
    for outcome in outcomes:
        yield from getattr(outcome, "reasons", ())
    if any(isinstance(outcome, Abstained) for outcome in outcomes):
        yield "one order abstained"


def _bias(judge: str, compared: Sequence[Compared], settings: Settings) -> PositionBias:
    asked = [one for one in compared if one.flipped is not None]
    flips = [one for one in asked if one.flipped]
    cases = list(dict.fromkeys(one.case for one in compared))
    at = {case: place for place, case in enumerate(cases)}
    yes, items = np.zeros(len(cases)), np.zeros(len(cases))
    for one in asked:
        items[at[one.case]] += 1
        yes[at[one.case]] += bool(one.flipped)
    plan = settings.plan
    return PositionBias(
        judge,
        share_of_sums(yes, items, plan.level, fewest=plan.fewest),
        len(asked),
        len(flips),
        sum(one.first_shown == one.first and one.second_shown == one.second for one in flips),
        sum(one.first_shown == one.second and one.second_shown == one.first for one in flips),
    )


def pairwise_measures(judged: Judged, settings: Settings) -> Iterator[Measure]:
    """Yield the win rate and the share of flipped verdicts of every model under every judge."""
    judges = {judge for task, judge, _, _ in judged.outcomes if task == TASK}
    for judge in judged.judges:
        if judge not in judges or len(judged.models) < 2:
            continue
        by_case: dict[str, list[Compared]] = {case.id: [] for case in judged.cases}
        for one in comparisons(judged, settings, judge):
            by_case[one.case].append(one)
        for model in judged.models:
            own = {
                case: [one for one in found if model in (one.first, one.second)]
                for case, found in by_case.items()
            }
            yield _measure("win_rate", model, judge, own, _won, higher=True)
            yield _measure("order_flips", model, judge, own, _flips, higher=False)


def _won(one: Compared, model: str) -> float | None:
    if one.points is None:
        return None
    return one.points if model == one.first else 1 - one.points


def _flips(one: Compared, model: str) -> float | None:
    return None if one.flipped is None else float(one.flipped)


def _measure(
    metric: str,
    model: str,
    judge: str,
    own: Mapping[str, Sequence[Compared]],
    read: Any,
    *,
    higher: bool,
) -> Measure:
    """Return the measure whose number is the mean over comparisons; some may be unresolved."""
    rows = list(own.values())
    values = [[read(one, model) for one in found] for found in rows]
    missing = np.array([sum(one.status in UNRESOLVED for one in found) for found in rows])
    above = np.array([sum(value or 0 for value in found) for found in values])
    below = np.array([sum(value is not None for value in found) for found in values])
    low, high = above[:, None] * 1.0, (above + missing)[:, None] * 1.0
    return Measure(
        metric,
        model,
        judge,
        above[:, None] * 1.0,
        below[:, None] * 1.0,
        missing > 0,
        tuple(map(_status, rows)),
        low if higher else high,
        high if higher else low,
        (below + missing)[:, None] * 1.0,
        higher_is_better=higher,
    )


def _status(found: Sequence[Compared]) -> Status:
    """The status of a model on a case: unresolved if one of its comparisons is."""
    statuses = {one.status for one in found}
    if not statuses:
        return "none"
    if statuses & set(UNRESOLVED):
        return unresolved(statuses).status
    return "abstained" if statuses == {"abstained"} else "done"


def strength_numbers(pairwise: Sequence[Pairwise], measures: Sequence[Measure]) -> list[Number]:
    """Return the strengths as numbers, so that a main table can have them."""
    rates = {(one.judge, one.model): one for one in measures if one.metric == "win_rate"}
    numbers = []
    for under in pairwise:
        for one in under.ladder.strengths:
            statuses = rates[under.judge, one.model].status
            interval = one.interval
            numbers.append(
                Number(
                    metric=STRENGTH,
                    model=one.model,
                    judge=under.judge,
                    slice="",
                    group_by=ALL,
                    group=ALL,
                    value=interval.estimate,
                    low=interval.low,
                    high=interval.high,
                    interval=method_of(interval),
                    sd=math.nan,
                    worst=one.worst,
                    best=one.best,
                    n=sum(status != "none" for status in statuses),
                    failed=statuses.count("failed"),
                    undecided=statuses.count("undecided"),
                    abstained=statuses.count("abstained"),
                    unmapped=0,
                    invalid=0,
                    warning=interval.warning or "",
                )
            )
    return numbers
