"""The columns that `dxjudge judge` adds to the input's rows."""

from collections.abc import Sequence
from typing import Any

from ..agents.outcome import Outcome
from ..agents.step import Step


def result_fields(step: Step[Any, Any]) -> tuple[str, ...]:
    """The fields of a step's result, each a column."""
    assert step.result is not None  # every step names its result (tests/test_steps_contract.py)
    return tuple(step.result.model_fields)


def judged_columns(step: Step[Any, Any], outcomes: Sequence[Outcome]) -> dict[str, list[Any]]:
    """Column -> one value a row; None in the result's columns of a row that has none."""
    plain = [outcome.model_dump(mode="json") for outcome in outcomes]
    columns: dict[str, list[Any]] = {
        "status": [each["status"] for each in plain],
        "reason": [_reason(outcome) for outcome in outcomes],
        "decided_by": [each["decided_by"] for each in plain],
        "repairs": [each["repairs"] for each in plain],
    }
    for field in result_fields(step):
        columns[field] = [_value(each, field) for each in plain]
    return columns


def _value(plain: dict[str, Any], field: str) -> Any:
    if plain["status"] == "failed" or plain["value"] is None:
        return None
    return plain["value"][field]


def _reason(outcome: Outcome) -> str | None:
    if outcome.status == "failed":
        return f"{outcome.kind}: {'; '.join(outcome.reasons)}"
    return outcome.reason if outcome.status == "abstained" else None
