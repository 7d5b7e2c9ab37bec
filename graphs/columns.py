"""The columns that `dxjudge judge` adds to the input's rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..agents.outcome import Outcome
from ..agents.step import Step


def result_fields(
    step: Step[Any, Any], values: Iterable[Mapping[str, Any] | None]
) -> tuple[str, ...]:
    """Return the fields of a step's result; if they depend on the input, those of `values`."""
    if step.known_result is not None:
        return tuple(step.known_result.model_fields)
    return tuple(dict.fromkeys(field for value in values for field in value or ()))


def judged_columns(step: Step[Any, Any], outcomes: Sequence[Outcome]) -> dict[str, list[Any]]:
    """Return the columns, with one value for each row; None in the columns of a missing result."""
    plain = [outcome.model_dump(mode="json") for outcome in outcomes]
    columns: dict[str, list[Any]] = {
        "status": [row["status"] for row in plain],
        "reason": [_reason(outcome) for outcome in outcomes],
        "decided_by": [row["decided_by"] for row in plain],
        "repairs": [row["repairs"] for row in plain],
    }
    for field in result_fields(step, [_result(row) for row in plain]):
        columns[field] = [(_result(row) or {}).get(field) for row in plain]
    return columns


def _result(plain: dict[str, Any]) -> dict[str, Any] | None:
    value: dict[str, Any] | None = plain.get("value")
    return value


def _reason(outcome: Outcome) -> str | None:
    if outcome.status == "failed":
        return outcome.why
    abstained = [outcome.reason] if outcome.status == "abstained" else []
    return "; ".join((*abstained, *outcome.notes)) or None
