"""An item of a data set in the making: what it holds, how it ended, and every step on the way."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ..agents.outcome import Outcome

Status = Literal["accepted", "rejected", "failed"]


class Ending(BaseModel):
    """How an item ended, at which stage, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status
    stage: str
    reasons: tuple[str, ...] = ()


class Trace(BaseModel):
    """One step on the way of an item: who decided, after how many repairs, at which cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    step: str
    status: str
    decided_by: str
    repairs: int
    calls: int
    cached: bool
    cost: float | None


class Item(BaseModel):
    """One item. `data` holds what was made before it ended, by stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    ending: Ending
    data: dict[str, Any]
    trail: tuple[Trace, ...]


def trace(stage: str, outcome: Outcome) -> Trace:
    """What is kept of a step's outcome."""
    return Trace(
        stage=stage,
        step=outcome.step,
        status=outcome.status,
        decided_by=outcome.decided_by,
        repairs=outcome.repairs,
        calls=outcome.calls,
        cached=outcome.cached,
        cost=outcome.cost,
    )


def ending_of(stage: str, outcome: Outcome) -> Ending | None:
    """How an item ends with this outcome; None where it goes on.

    What a model never wrote validly, and what it says cannot be written, is rejected. What could
    not be asked or read is failed.
    """
    if outcome.status == "done":
        return None
    if outcome.status == "abstained":
        return Ending(status="rejected", stage=stage, reasons=(outcome.reason,))
    status: Status = "rejected" if outcome.kind == "invalid" else "failed"
    reasons = outcome.reasons if outcome.kind == "invalid" else (outcome.kind, *outcome.reasons)
    return Ending(status=status, stage=stage, reasons=reasons)
