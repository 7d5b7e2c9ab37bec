"""The columns that a jury adds to the input's rows, and all its votes, read from its outcomes."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...agents.step import Step
from ...files.sequences import Lazy
from ...scoring.jury import JuryVerdict
from ...scoring.votes import Scalar, Vote
from ..columns import columns_of, result_fields, result_types
from .result import JuryOutcome
from .votes_file import verdict_text

_NAMES = ("status", "reason", "verdict", "shares", "votes", "replaced", "escalated")


def jury_columns(step: Step[Any, Any], outcomes: Sequence[JuryOutcome]) -> dict[str, Sequence[Any]]:
    """Return the columns, with one value for each row, read when it is asked for.

    If a step has several verdicts, `verdict` and `shares` are objects with one entry for each
    part. `votes` is the number of counted votes by status.
    """
    fields = result_fields(step, (outcome.value for outcome in outcomes))

    def cells(outcome: JuryOutcome) -> dict[str, Any]:
        value = outcome.value or {}
        return {**_own(outcome), **{field: value.get(field) for field in fields}}

    return columns_of(outcomes, (*_NAMES, *fields), cells)


def jury_types(step: Step[Any, Any]) -> dict[str, frozenset[type]]:
    """Return the types that the values of each column of `jury_columns` may have.

    Raises UsageError as `result_types` does.
    """
    verdict = step.demand_verdict()
    of_kind: dict[str | None, set[type]] = {"truth": {bool}, "number": {int, float}}
    of_verdict: set[type] = {str} if verdict.parts else of_kind.get(verdict.kind, {str})
    own: dict[str, set[type]] = {"verdict": of_verdict, "escalated": {bool}}
    of_result = result_types(step)
    return {
        **{name: frozenset(own.get(name, {str})) for name in _NAMES},
        **{name: of_result[name] for name in result_fields(step, ())},
    }


def _own(outcome: JuryOutcome) -> dict[str, Any]:
    return {
        "status": outcome.status,
        "reason": outcome.reason or None,
        "verdict": _each(outcome, _verdict),
        "shares": _each(outcome, _shares),
        "votes": _counts(outcome),
        "replaced": dict(outcome.replaced) or None,
        "escalated": outcome.escalated,
    }


def _each(outcome: JuryOutcome, read: Any) -> Any:
    """Read the only verdict, or each of several verdicts by the name of its part."""
    if len(outcome.verdicts) == 1:
        return read(next(iter(outcome.verdicts.values())))
    start = len(outcome.step) + 1
    return {name[start:]: read(verdict) for name, verdict in outcome.verdicts.items()}


def _verdict(verdict: JuryVerdict) -> Scalar | None:
    return verdict.verdict


def _shares(jury: JuryVerdict) -> dict[str, float]:
    return {verdict_text(verdict) or "": round(share, 6) for verdict, share in jury.shares}


def _counts(outcome: JuryOutcome) -> dict[str, int]:
    verdict = next(iter(outcome.verdicts.values()))
    return {"done": verdict.done, "abstained": verdict.abstained, "failed": verdict.failed}


def votes_cast(outcomes: Sequence[JuryOutcome]) -> Lazy[Vote]:
    """Return the votes of all outcomes, in their order, read when they are asked for."""
    ends = array("q", accumulate(len(outcome.votes) for outcome in outcomes))
    read = (-1, tuple[Vote, ...]())  # the outcome that was read last

    def vote(number: int) -> Vote:
        nonlocal read
        place = bisect_right(ends, number)
        if place != read[0]:
            read = place, outcomes[place].votes
        return read[1][number - ends[place]]  # counted from the last vote of the outcome

    return Lazy(ends[-1] if ends else 0, vote)
