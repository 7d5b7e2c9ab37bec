"""Anthropic's Message Batches: a list of requests, and one file of results."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx2

from .batch import Answer, Phase, State, as_count, fault, lines_of

_PATH = "/v1/messages/batches"
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 403,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_COUNTS = ("succeeded", "errored", "canceled", "expired")


def line(ticket: str, body: Mapping[str, Any]) -> bytes:
    """Return one request as an element of the list."""
    return json.dumps({"custom_id": ticket, "params": body}).encode()


async def upload(client: Any, lines: Sequence[bytes], name: str) -> str:
    """Do nothing: the requests are sent with the batch."""
    return ""


async def create(client: Any, lines: Sequence[bytes], uploaded: str, name: str) -> State:
    """Create a batch of these requests. The API keeps no name of ours."""
    content = b'{"requests":[' + b",".join(lines) + b"]}"
    headers = {"headers": {"Content-Type": "application/json"}}
    sent = client.post(_PATH, cast_to=httpx2.Response, content=content, options=headers)
    return _state(await _json(sent))


async def look(client: Any, id: str) -> State:
    """Return the state of a batch."""
    return _state(await _json(client.get(f"{_PATH}/{id}", cast_to=httpx2.Response)))


async def recent(client: Any) -> list[State]:
    """Return the latest batches of the account."""
    listed = await _json(client.get(f"{_PATH}?limit=100", cast_to=httpx2.Response))
    return [_state(batch) for batch in listed["data"]]


async def cancel(client: Any, id: str) -> State:
    """Cancel a batch and return its state; what was answered before is kept."""
    path = f"{_PATH}/{id}/cancel"
    return _state(await _json(client.post(path, cast_to=httpx2.Response)))


async def results(client: Any, state: State) -> dict[str, Answer]:
    """Return the answers of a batch that has ended, by the ticket of the request."""
    response = await client.get(f"{_PATH}/{state.id}/results", cast_to=httpx2.Response)
    return dict(_answers(response.content))


def _answers(content: bytes) -> Iterator[tuple[str, Answer]]:
    for entry in lines_of(content):
        ticket, result = entry.get("custom_id"), entry.get("result")
        if isinstance(ticket, str) and isinstance(result, Mapping):
            yield ticket, _answer(result)


def _answer(result: Mapping[str, Any]) -> Answer:
    kind = result.get("type")
    if kind == "succeeded":
        return {"kind": "reply", "body": result.get("message")}
    if kind == "expired":
        return {"kind": "expired"}
    if kind == "canceled":
        return {"kind": "cancelled"}
    error = result.get("error")
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    named = inner.get("type") if isinstance(inner, Mapping) else None
    return fault(_STATUS.get(str(named), 500), inner)


async def _json(response: Any) -> Any:
    return json.loads((await response).content)


def _state(batch: Mapping[str, Any]) -> State:
    counts = batch.get("request_counts") or {}
    done = {name: as_count(counts.get(name)) for name in _COUNTS}
    status = batch.get("processing_status")
    has_ended = status == "ended"
    return State(
        id=str(batch["id"]),
        phase=_phase(done) if has_ended else "cancelling" if status == "canceling" else "running",
        total=sum(done.values()) + as_count(counts.get("processing")),
        answered=sum(done.values()),
        made=_seconds(batch.get("created_at")),
        results=(str(batch["id"]),) if has_ended else (),
    )


def _phase(done: Mapping[str, int]) -> Phase:
    """Return how a batch ended; every request of it has a result that says the same."""
    if done["canceled"]:
        return "cancelled"
    return "expired" if done["expired"] else "ended"


def _seconds(date: Any) -> float:
    try:
        return datetime.fromisoformat(str(date)).timestamp()
    except ValueError:
        return 0.0
