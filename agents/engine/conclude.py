"""Turn a valid answer, new or kept in the cache, into an outcome."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from ...cache.key import fingerprint
from ...cache.store import Entry
from ..judge import JudgeSpec
from ..outcome import Abstained, Done, Failed, FailureKind, Outcome
from ..step import Step
from ..wires.request import Reply
from .call import Call
from .conversation import Conversation
from .examine import Valid, check
from .habits import kept_spec

T = TypeVar("T", int, float)


def conclude(call: Call, answer: BaseModel, about: dict[str, Any]) -> Outcome:
    """Return the outcome of a valid answer; `about` holds the fields of the item's account."""
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
    """Return the outcome of an item that could not be asked, or whose asking raised an error."""
    return Failed(
        step=step.name,
        version=step.version,
        repeat=repeat,
        kind=kind,
        reasons=(reason,),
    )


def account(talk: Conversation, sent: JudgeSpec) -> dict[str, Any]:
    """Return an item's account: what was asked, and how many calls and tokens it took."""
    return {
        **_about(talk.call, sent),
        "calls": talk.tally.calls,
        "repairs": len(talk.turns),
        "tokens_in": talk.tally.tokens_in,
        "tokens_out": talk.tally.tokens_out,
        "cost": talk.tally.cost,
    }


def summed(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return the account of several calls about one item; a sum of unknown parts is None."""
    first = next(iter(outcomes.values()))
    several = list(outcomes.values())
    return {
        "step": first.step,
        "version": first.version,
        "judge": first.judge,
        "repeat": first.repeat,
        "key": fingerprint([one.key for one in several]),
        "notes": first.notes,
        "cached": all(one.cached for one in several),
        "calls": sum(one.calls for one in several),
        "repairs": sum(one.repairs for one in several),
        "tokens_in": _sum([one.tokens_in for one in several]),
        "tokens_out": _sum([one.tokens_out for one in several]),
        "cost": _sum([one.cost for one in several]),
    }


def _sum(counts: Sequence[T | None]) -> T | None:
    known = [count for count in counts if count is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(counts) else None


def as_entry(talk: Conversation, reply: Reply, sent: JudgeSpec, valid: Valid) -> Entry:
    """Return the cache entry of a valid answer, as plain JSON."""
    entry: Entry = {
        "answer": valid.data,
        "text": reply.text,
        "sent": {"method": sent.method, "dropped": list(sent.dropped)},
        "repairs": len(talk.turns),
        "tokens_in": talk.tally.tokens_in,
        "tokens_out": talk.tally.tokens_out,
        "cost": talk.tally.cost,
    }
    # The scores of all tokens of a prompt are long, and the answer has those that count.
    if reply.logprobs is not None and talk.call.step.reply in ("json", "text"):
        entry["logprobs"] = reply.logprobs
    return entry


def from_entry(call: Call, entry: Entry) -> Outcome | None:
    """Return the outcome of a kept reply; None when it does not pass the current checks."""
    try:
        finding = check(call, entry["answer"])
        sent = kept_spec(call.spec, entry["sent"]["method"], tuple(entry["sent"]["dropped"]))
        repairs = int(entry["repairs"])
    except (KeyError, TypeError, ValueError):
        return None
    if not isinstance(finding, Valid):
        return None
    return conclude(call, finding.answer, _about(call, sent) | {"cached": True, "repairs": repairs})


def _about(call: Call, sent: JudgeSpec) -> dict[str, Any]:
    return {
        "step": call.step.name,
        "version": call.step.version,
        "judge": sent,
        "repeat": call.repeat,
        "key": call.key,
        "notes": tuple(image.note for image in call.images if image.note),
    }
