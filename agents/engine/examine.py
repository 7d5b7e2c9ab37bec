"""Check whether an answer is complete, is JSON, has the step's type and passes its checks."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..outcome import FailureKind
from ..wires.request import Reply
from .answer import NotJson, read_answer, read_json
from .call import Call
from .redact import redact_value
from .token_scores import first_tokens, logprobs_of

_SHOWN = 40  # the most problems of one answer that are recorded


@dataclass(frozen=True)
class Valid:
    """An answer that can be used, as the model's JSON and as the step's type."""

    data: dict[str, Any]
    answer: BaseModel


@dataclass(frozen=True)
class Problem:
    """Why an answer cannot be used. `prose`: the answer does not hold any JSON."""

    kind: FailureKind
    lines: tuple[str, ...]
    prose: bool = False

    @property
    def text(self) -> str:
        """The problems on one line; of more than 40, the first."""
        more = len(self.lines) - _SHOWN
        return "; ".join(self.lines[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")

    @property
    def repairable(self) -> bool:
        """Whether showing the problem to the model may help."""
        return self.kind in ("invalid", "truncated")


def examine(call: Call, reply: Reply) -> Valid | Problem:
    """Check a reply. It checks first why the model stopped: a cut-off answer may parse as JSON."""
    form = call.step.reply
    if reply.finish == "refusal":
        return Problem("refused", (reply.text[:500] or "the model or its filter declined",))
    if form in ("token", "likelihood"):
        return _examine_scores(call, reply)
    if reply.finish == "length":
        return Problem("truncated", ("the answer was cut off at the token limit",))
    if form == "text":
        return check(call, {"text": reply.text})
    try:
        data = dict(reply.data) if reply.data is not None else read_json(reply.text)
        # Reading JSON can turn escapes into a key, so keys are removed again.
        data = redact_value(data, call.judge)
    except ValueError as fault:
        return Problem("invalid", (str(fault),), prose=isinstance(fault, NotJson))
    return check(call, data)


def _examine_scores(call: Call, reply: Reply) -> Valid | Problem:
    try:
        if call.step.reply == "token":
            return check(call, {"tokens": first_tokens(reply.logprobs)})
        return check(call, {"logprobs": logprobs_of(call.continuation, reply.logprobs)})
    except ValueError as fault:
        # The server ignores what was asked for, and the model can do nothing about it.
        return Problem("rejected", (str(fault),))


def check(call: Call, data: dict[str, Any]) -> Valid | Problem:
    """Check an answer that is JSON against the step's type and checks."""
    answer, problems = read_answer(call.answer, data)
    if problems:
        return Problem("invalid", tuple(problems))
    try:
        problems = call.step.problems(call.inputs, answer)
    except Exception as fault:  # a fault in the step's code fails this item, not the run
        return Problem("error", (f"{type(fault).__name__}: {fault}",))
    if problems:
        return Problem("invalid", tuple(problems))
    return Valid(data, answer)
