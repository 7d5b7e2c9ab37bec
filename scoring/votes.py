"""A vote: one judge's verdict on one case, given once. Juries and agreement use votes."""

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..errors import UsageError
from ..files.short import short

Scalar = str | int | float | bool
VoteStatus = Literal["done", "abstained", "failed"]
STATUSES: tuple[VoteStatus, ...] = get_args(VoteStatus)


@dataclass(frozen=True, repr=False)
class Vote:
    """One judge's verdict on one case in one step.

    step: the step's name, or `step.part` if a step has several verdicts (the dimensions of a
        rubric). judge: the judge's name. repeat: the number of the sample, from 0. variant: the
        wording of the prompt, "" for the step's own.
    verdict: text, a number or a truth value; None unless the status is "done".
    explanation: the judge's own words. reason: why there is no verdict.
    tokens_in, tokens_out, cost: of this vote, cost in US dollars; None if unknown.
    groups: the groups of the case, name -> value.

    Raises UsageError for fields that contradict each other.
    """

    case: str
    step: str
    judge: str
    repeat: int = 0
    variant: str = ""
    status: VoteStatus = "done"
    verdict: Scalar | None = None
    explanation: str = ""
    reason: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    groups: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        fault = fault_of(vars(self))
        if fault:
            raise UsageError(f"vote of {self.judge!r} on case {self.case!r}: {fault[1]}")

    def __repr__(self) -> str:
        what = short(self.verdict) if self.status == "done" else short(self.reason)
        place = f"case={self.case!r}, step={self.step!r}, judge={self.judge!r}"
        return f"Vote({place}, repeat={self.repeat}, {self.status}: {what})"

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """The fields that identify a vote: case, step, judge, repeat, variant."""
        return self.case, self.step, self.judge, self.repeat, self.variant


def fault_of(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the invalid field of a vote and what is wrong with it; None for a valid vote.

    Args:
        fields: the fields of a vote by name.
    """
    for name in ("case", "step", "judge"):
        if not fields[name].strip():
            return name, f"{name} is empty"
    status, repeat = fields["status"], fields["repeat"]
    if status not in STATUSES:
        return "status", f"status {status!r} is not one of {', '.join(STATUSES)}"
    if repeat < 0:
        return "repeat", f"repeat {repeat} is below 0"
    wrong = _verdict_fault(fields["verdict"], status)
    if wrong:
        return "verdict", wrong
    for name in ("tokens_in", "tokens_out", "cost"):
        value = fields[name]
        if value is not None and not (math.isfinite(value) and value >= 0):
            return name, f"{name} {value} is not a number of 0 or more"
    return None


def _verdict_fault(verdict: object, status: VoteStatus) -> str:
    if status != "done":
        return "" if verdict is None else f"the status is {status}, but there is a verdict"
    if verdict is None or (isinstance(verdict, str) and not verdict.strip()):
        return "verdict is empty, but the status is done"
    if not isinstance(verdict, str | int | float):
        return f"verdict is {type(verdict).__name__}, not text, a number, true or false"
    if isinstance(verdict, int | float) and not abs(verdict) <= sys.float_info.max:
        return "verdict is not a finite number"
    return ""


def identity(verdict: Scalar) -> tuple[str, Scalar]:
    """Return a key that is equal for equal verdicts: 1 equals 1.0, but not True and not "1".

    Args:
        verdict: a verdict as a vote holds it.

    >>> identity(1) == identity(1.0), identity(1) == identity(True)
    (True, False)
    """
    if isinstance(verdict, bool):
        return "truth", verdict
    return ("text" if isinstance(verdict, str) else "number"), verdict
