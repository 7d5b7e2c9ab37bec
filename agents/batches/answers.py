"""Read the answer that a batch has for a request, as if it had come over the wire."""

from typing import Any

import httpx2

from ...cache.store import Entry
from ..engine.judges import Judge
from ..engine.send import read_reply
from ..judge import JudgeSpec
from ..wires.batch import Answer
from ..wires.request import Reply

EXPIRED: Answer = {"kind": "expired"}
CANCELLED: Answer = {"kind": "cancelled"}
_TOO_LATE = 408
_CLOSED = 499  # of a request that its client has taken back


class AskedElsewhere(Exception):
    """Another process has asked meanwhile, and its reply is in the cache."""


class BatchFault(Exception):
    """A request of a batch that has no reply, in the form of an SDK's error.

    A retry need not wait: it goes into a further batch. sent: the spec with which the request was
    sent, where it was in a batch; an earlier run may have known less of the model.
    """

    def __init__(
        self,
        status: int,
        message: str,
        code: Any = None,
        param: Any = None,
        sent: JudgeSpec | None = None,
    ) -> None:
        super().__init__(message)
        self.sent = sent
        self.status_code = status
        self.code = code
        self.param = param
        self.response = httpx2.Response(status, headers={"retry-after": "0"})


def read_answer(answer: Answer, judge: Judge, spec: JudgeSpec, batch: str) -> Reply:
    """Return the reply of a request in a batch. Raises BatchFault or NoAnswer without one."""
    kind = answer["kind"]
    if kind == "reply":
        return read_reply(judge, spec, answer["body"])
    if kind == "expired":
        late = f"batch {batch} ended before this request was answered"
        raise BatchFault(_TOO_LATE, late, sent=spec)
    if kind == "cancelled":
        raise BatchFault(
            _CLOSED,
            f"batch {batch} was cancelled before this request was answered; the same command "
            "asks it again",
            sent=spec,
        )
    raise BatchFault(answer["status"], answer["message"], answer["code"], answer["param"], spec)


def sent_fields(sent: JudgeSpec) -> Entry:
    """Return what a ticket must know to read its answer: what was really sent."""
    return {"method": sent.method, "dropped": list(sent.dropped)}
