"""Define an item of a new data set: its data, its ending, and a trace of each step."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ..agents.outcome import Outcome

Status = Literal["accepted", "rejected", "failed"]


class Ending(BaseModel):
    """The status of an item, the stage at which it ended, and the reasons."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status
    stage: str
    reasons: tuple[str, ...] = ()


class Trace(BaseModel):
    """The trace of one step for an item: its outcome, who decided, and the number of repairs.

    It has no cost and does not say whether a reply was kept, so that a run that was interrupted
    writes the same items as one that was not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    step: str
    status: str
    decided_by: str
    repairs: int


class Item(BaseModel):
    """One item. `data` has the texts that were made before the item ended, by stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    ending: Ending
    data: dict[str, Any]
    trail: tuple[Trace, ...]


def trace(stage: str, outcome: Outcome) -> Trace:
    """Return the trace of a step's outcome."""
    return Trace(
        stage=stage,
        step=outcome.step,
        status=outcome.status,
        decided_by=outcome.decided_by,
        repairs=outcome.repairs,
    )


def ending_of(stage: str, outcome: Outcome) -> Ending | None:
    """Return the ending of an item after this outcome; None if the item continues.

    An item is rejected if the model gave no valid answer or abstained. It is failed if the step
    could not be asked or its inputs could not be used.
    """
    if outcome.status == "done":
        return None
    if outcome.status == "abstained":
        return Ending(status="rejected", stage=stage, reasons=(outcome.reason,))
    status: Status = "rejected" if outcome.kind == "invalid" else "failed"
    reasons = outcome.reasons if outcome.kind == "invalid" else (outcome.kind, *outcome.reasons)
    return Ending(status=status, stage=stage, reasons=reasons)
