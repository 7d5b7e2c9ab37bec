"""The columns that a jury adds to the input's rows."""

from collections.abc import Sequence
from typing import Any

from ...agents.step import Step
from ...scoring.jury import JuryVerdict
from ...scoring.votes import Scalar
from ..columns import result_fields
from .result import JuryOutcome
from .votes_file import verdict_text


def jury_columns(step: Step[Any, Any], outcomes: Sequence[JuryOutcome]) -> dict[str, list[Any]]:
    """Return the columns, with one value for each row.

    If a step has several verdicts, `verdict` and `shares` are objects with one entry for each
    part. `votes` is the number of counted votes by status.
    """
    columns: dict[str, list[Any]] = {
        "status": [outcome.status for outcome in outcomes],
        "reason": [outcome.reason or None for outcome in outcomes],
        "verdict": [_each(outcome, _verdict) for outcome in outcomes],
        "shares": [_each(outcome, _shares) for outcome in outcomes],
        "votes": [_counts(outcome) for outcome in outcomes],
        "replaced": [dict(outcome.replaced) or None for outcome in outcomes],
        "escalated": [outcome.escalated for outcome in outcomes],
    }
    for field in result_fields(step, [outcome.value for outcome in outcomes]):
        columns[field] = [(outcome.value or {}).get(field) for outcome in outcomes]
    return columns


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
