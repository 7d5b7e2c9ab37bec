"""OpenAI's Batch API: a file of requests, a batch over it, and files of results."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx2

from .batch import Answer, Phase, State, as_count, fault, lines_of

_ENDPOINT = "/v1/chat/completions"
_PHASES: Mapping[str, Phase] = {
    "failed": "failed",
    "completed": "ended",
    "expired": "expired",
    "cancelling": "cancelling",
    "cancelled": "cancelled",
}
_FULL = "token_limit_exceeded"


def line(ticket: str, body: Mapping[str, Any]) -> bytes:
    """Return one request as a line of the input file."""
    request = {"custom_id": ticket, "method": "POST", "url": _ENDPOINT, "body": body}
    return json.dumps(request).encode()


async def upload(client: Any, lines: Sequence[bytes], name: str) -> str:
    """Send the requests as a file and return its id."""
    content = b"\n".join(lines) + b"\n"
    file = await client.files.create(file=(f"{name}.jsonl", content), purpose="batch")
    return str(file.id)


async def create(client: Any, lines: Sequence[bytes], uploaded: str, name: str) -> State:
    """Create the batch of an uploaded file. name: is kept with the batch."""
    body = {
        "input_file_id": uploaded,
        "endpoint": _ENDPOINT,
        "completion_window": "24h",
        "metadata": {"dxjudge": name},
    }
    return _state(await _json(client.post("/batches", cast_to=httpx2.Response, body=body)))


async def look(client: Any, id: str) -> State:
    """Return the state of a batch."""
    return _state(await _json(client.get(f"/batches/{id}", cast_to=httpx2.Response)))


async def recent(client: Any) -> list[State]:
    """Return the latest batches of the account."""
    listed = await _json(client.get("/batches?limit=100", cast_to=httpx2.Response))
    return [_state(batch) for batch in listed["data"]]


async def cancel(client: Any, id: str) -> State:
    """Cancel a batch and return its state; what was answered before is kept."""
    path = f"/batches/{id}/cancel"
    return _state(await _json(client.post(path, cast_to=httpx2.Response)))


async def results(client: Any, state: State) -> dict[str, Answer]:
    """Return the answers of a batch that has ended, by the ticket of the request."""
    answers: dict[str, Answer] = {}
    for file in state.results:
        response = await client.get(f"/files/{file}/content", cast_to=httpx2.Response)
        answers.update(_answers(response.content))
    return answers


def _answers(content: bytes) -> Iterator[tuple[str, Answer]]:
    for entry in lines_of(content):
        ticket, response, error = (entry.get(n) for n in ("custom_id", "response", "error"))
        if isinstance(ticket, str):
            yield ticket, _answer(response if isinstance(response, Mapping) else {}, error)


def _answer(response: Mapping[str, Any], error: Any) -> Answer:
    status, body = response.get("status_code"), response.get("body")
    if status == 200:
        return {"kind": "reply", "body": body}
    if isinstance(error, Mapping):
        code = str(error.get("code"))
        if code in ("batch_expired", "batch_cancelled"):
            return {"kind": code.removeprefix("batch_")}
        return fault(500, error)
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    return fault(status if isinstance(status, int) else 500, inner)


async def _json(response: Any) -> Any:
    return json.loads((await response).content)


def _state(batch: Mapping[str, Any]) -> State:
    counts = batch.get("request_counts") or {}
    errors = (batch.get("errors") or {}).get("data") or []
    files = (batch.get("output_file_id"), batch.get("error_file_id"))
    return State(
        id=str(batch["id"]),
        phase=_PHASES.get(str(batch.get("status")), "running"),
        total=as_count(counts.get("total")),
        answered=as_count(counts.get("completed")) + as_count(counts.get("failed")),
        made=float(batch.get("created_at") or 0),
        name=str((batch.get("metadata") or {}).get("dxjudge", "")),
        results=tuple(str(file) for file in files if file),
        fault="; ".join(str(error.get("message")) for error in errors),
        full=any(error.get("code") == _FULL for error in errors),
    )
