"""What a batch of requests is, in a form that does not depend on the provider."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...files.json_text import load_json

Phase = Literal["running", "cancelling", "ended", "expired", "cancelled", "failed"]
Answer = dict[str, Any]
"""What a batch has for one request, as plain JSON. `kind` is "reply" (with the `body` of the
response), "fault" (with `status`, `message`, `code` and `param`), "expired" or "cancelled"."""


@dataclass(frozen=True)
class State:
    """A batch as its provider describes it.

    id: the provider's name of the batch. total, answered: requests; a provider may count them only
    when the batch has ended. name: the name that we gave it, "" where the provider keeps none.
    made: when it was created, in seconds since 1970. results: where its results are. fault: why
    the whole batch failed; full: whether because too much waits in the account's queue.
    """

    id: str
    phase: Phase
    total: int
    answered: int
    made: float
    name: str = ""
    results: tuple[str, ...] = ()
    fault: str = ""
    full: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the provider may still answer requests of it."""
        return self.phase in ("running", "cancelling")


def fault(status: int, error: Any) -> Answer:
    """Return the answer for a request that failed. error: the server's description of why."""
    told = error if isinstance(error, Mapping) else {"message": str(error)}
    return {
        "kind": "fault",
        "status": status,
        "message": str(told.get("message") or told)[:2000],
        "code": told.get("code"),
        "param": told.get("param"),
    }


def lines_of(content: bytes) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSONL file of results; a line that is none is left out."""
    for line in content.split(b"\n"):
        try:
            value = load_json(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(value, Mapping):
            yield value


def as_count(value: Any) -> int:
    """Return a number of requests, 0 for a value that is not one."""
    return value if isinstance(value, int) and value >= 0 else 0
