"""From a valid answer to the outcome, and from a kept reply back to it."""

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ...cache.store import Entry
from ..judge import JudgeSpec
from ..outcome import Abstained, Done, Failed, FailureKind, Outcome
from ..step import Step
from .call import Call
from .conversation import Conversation
from .examine import Valid, check
from .habits import as_sent
from .models import Method
from .request import Reply


def conclude(call: Call, answer: BaseModel, about: dict[str, Any]) -> Outcome:
    """What the step's code makes of a valid answer; `about` are the fields of the account."""
    step = call.step
    try:
        value = step.finish(call.inputs, answer) if step.finish else answer
        reason = step.abstain(call.inputs, answer) if step.abstain else None
    except Exception as fault:  # a fault in the step's code is this item's failure
        return Failed(**about, kind="error", reasons=(f"{type(fault).__name__}: {fault}",))
    if reason is not None:
        return Abstained(**about, reason=reason, value=value)
    return Done(**about, value=value)


def failed_unasked(step: Step[Any, Any], repeat: int, kind: FailureKind, reason: str) -> Failed:
    """The outcome of an item for which nobody could be asked, or whose asking broke."""
    return Failed(
        step=step.name,
        version=step.version,
        repeat=repeat,
        decided_by="none",
        kind=kind,
        reasons=(reason,),
    )


def account(talk: Conversation, sent: JudgeSpec) -> dict[str, Any]:
    """The account of an item that was asked for."""
    return {
        **_about(talk.call, sent),
        "calls": talk.tally.calls,
        "repairs": len(talk.turns),
        "tokens_in": talk.tally.tokens_in,
        "tokens_out": talk.tally.tokens_out,
        "cost": talk.tally.cost,
    }


def as_entry(talk: Conversation, reply: Reply, sent: JudgeSpec, valid: Valid) -> Entry:
    """What is kept of a valid answer: plain JSON."""
    entry: Entry = {
        "answer": valid.data,
        "text": reply.text,
        "sent": {"method": sent.method, "dropped": list(sent.dropped)},
        "repairs": len(talk.turns),
        "tokens_in": talk.tally.tokens_in,
        "tokens_out": talk.tally.tokens_out,
        "cost": talk.tally.cost,
    }
    if reply.logprobs is not None:
        entry["logprobs"] = reply.logprobs
    return entry


def from_entry(call: Call, entry: Entry) -> Outcome | None:
    """The outcome of a kept reply; None when it does not hold against today's checks."""
    try:
        found = check(call, entry["answer"])
        sent = _sent(call.spec, entry["sent"]["method"], tuple(entry["sent"]["dropped"]))
        repairs = int(entry["repairs"])
    except (KeyError, TypeError, ValueError):
        return None
    if not isinstance(found, Valid):
        return None
    return conclude(call, found.answer, _about(call, sent) | {"cached": True, "repairs": repairs})


def _about(call: Call, sent: JudgeSpec) -> dict[str, Any]:
    return {
        "step": call.step.name,
        "version": call.step.version,
        "judge": sent,
        "repeat": call.repeat,
        "key": call.key,
    }


@lru_cache(maxsize=1024)
def _sent(spec: JudgeSpec, method: Method, dropped: tuple[str, ...]) -> JudgeSpec:
    # Read from a file: validated, where a copy would take anything.
    return JudgeSpec.model_validate(as_sent(spec, method, dropped).model_dump())
