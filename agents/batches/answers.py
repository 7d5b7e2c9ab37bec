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


class BatchFault(Exception):
    """A request of a batch that has no reply, in the form of an SDK's error.

    A retry need not wait: it goes into a further batch.
    """

    def __init__(self, status: int, message: str, code: Any = None, param: Any = None) -> None:
        super().__init__(message)
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
        raise BatchFault(_TOO_LATE, f"batch {batch} ended before this request was answered")
    if kind == "cancelled":
        raise BatchFault(
            _CLOSED,
            f"batch {batch} was cancelled before this request was answered; the same command "
            "asks it again",
        )
    raise BatchFault(answer["status"], answer["message"], answer["code"], answer["param"])


def sent_fields(sent: JudgeSpec) -> Entry:
    """Return what a ticket must know to read its answer: what was really sent."""
    return {"method": sent.method, "dropped": list(sent.dropped)}
