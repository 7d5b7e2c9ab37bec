"""The protocol server with OpenAI's files and batches and Anthropic's message batches.

The script answers the requests in a batch as it answers live ones, when the batch ends. `EXPIRE`
as an act leaves a request without an answer, as in a batch that ran out of time.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .protocol_server import DROP, Act, ProtocolServer, Script, Seen, fail, wire, with_delay

EXPIRE = Act(status=-1)


@dataclass
class Batch:
    """A batch of this server. end: how it ends; until then it is "running".

    answered: how many requests are answered in a batch that expires or is cancelled.
    """

    id: str
    wire: str
    requests: dict[str, dict[str, Any]]
    name: str = ""
    status: str = "running"
    made: float = field(default_factory=time.time)
    answers: dict[str, tuple[int, dict[str, Any]] | None] = field(default_factory=dict)


class BatchServer(ProtocolServer):
    """The server. Each batch ends when `release` says so, or at once where `hold` is false.

    ends: how the batches end, in the order of their creation: "ended", "expired" or "cancelled";
    the last counts for all further ones. answered: requests that a batch answers before it
    expires or is cancelled. most: a larger batch of OpenAI fails, as does one where the queue is
    full. lose: the answer to the next creation is lost, although the batch exists. stall: such
    answers do not come for a long time. release_at: `release` is called with so many batches.
    closed: what every path of files and batches says, where the server has none. looked: is called
    when a client looks at a batch for the first time.
    """

    def __init__(self, script: Script | list[Any], **options: Any) -> None:
        super().__init__(script, **options)
        self.hold = False
        self.ends = ["ended"]
        self.answered = 10**9
        self.most = 10**9
        self.lose = False
        self.stall = False
        self.release_at = 10**9
        self.closed: Act | None = None
        self.looked: Callable[[], None] | None = None
        self.batches: list[Batch] = []
        self._files: dict[str, bytes] = {}

    @property
    def anthropic(self) -> str:
        """The name of a judge with Anthropic's protocol on this server."""
        return f"anthropic:claude@{self.root}"

    @property
    def live(self) -> list[Seen]:
        """The requests that were asked live."""
        return [seen for seen in self.seen if seen.path in _ASKED]

    @property
    def sizes(self) -> list[int]:
        """How many requests each batch has had."""
        return [len(batch.requests) for batch in self.batches]

    def release(self) -> None:
        """End every batch, and each further one at once."""
        self.hold = False
        for batch in self.batches:
            self._end(batch)

    def act(self, seen: Seen) -> Act:
        path, _, _ = seen.path.partition("?")
        if path in _ASKED:
            return super().act(seen)
        for pattern, answer in () if self.closed else _ROUTES:
            if found := re.fullmatch(pattern, path):
                return answer(self, seen, *found.groups())
        return self.closed or fail(404, f"no such path: {path}")

    def upload(self, seen: Seen) -> Act:
        content = re.search(rb"\r\n\r\n(\{.*?)\n?\r\n--", seen.raw, re.DOTALL)
        assert content is not None and b'name="purpose"' in seen.raw
        about = {"object": "file", "purpose": "batch", "bytes": 1, "created_at": 0}
        named = {"id": self._file(content[1]), "filename": "x.jsonl", "status": "processed"}
        return _json({**about, **named})

    def create_openai(self, seen: Seen) -> Act:
        lines = map(json.loads, self._files[seen.body["input_file_id"]].splitlines())
        requests = {line["custom_id"]: line["body"] for line in lines}
        assert seen.body["completion_window"] == "24h"
        return self._create("openai", requests, seen.body["metadata"]["dxjudge"])

    def create_anthropic(self, seen: Seen) -> Act:
        requests = {one["custom_id"]: one["params"] for one in seen.body["requests"]}
        return self._create("anthropic", requests, "")

    def listed(self, seen: Seen) -> Act:
        kind = "anthropic" if "messages" in seen.path else "openai"
        return _json({"data": [self._view(b) for b in self.batches[::-1] if b.wire == kind]})

    def view(self, seen: Seen, id: str) -> Act:
        looked, self.looked = self.looked, None
        if looked is not None:
            looked()
        return _json(self._view(self._batch(id))) if self._batch(id) else fail(404, "no batch")

    def cancel(self, seen: Seen, id: str) -> Act:
        batch = self._batch(id)
        if batch.status == "running":
            self._end(batch, "cancelled")
        return _json(self._view(batch))

    def content(self, seen: Seen, file: str) -> Act:
        return Act(body=self._files[file], content_type="application/x-jsonl")

    def results(self, seen: Seen, id: str) -> Act:
        batch = self._batch(id)
        lines = [json.dumps(_result_of_anthropic(t, a, batch)) for t, a in batch.answers.items()]
        return Act(body="\n".join(lines[::-1]).encode(), content_type="application/x-jsonl")

    def _create(self, kind: str, requests: dict[str, Any], name: str) -> Act:
        if any(not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", ticket) for ticket in requests):
            return fail(400, "custom_id")
        batch = Batch(f"batch_{len(self.batches) + 1}", kind, requests, name)
        self.batches.append(batch)
        if len(requests) > self.most:
            batch.status = "full"
        elif not self.hold:
            self._end(batch)
        if self.lose:
            self.lose = False
            return DROP
        if len(self.batches) >= self.release_at:
            self.release()
        return with_delay(_json(self._view(batch)), 30.0 if self.stall else 0.0)

    def _end(self, batch: Batch, how: str = "") -> None:
        if batch.status != "running":
            return
        place = self.batches.index(batch)
        batch.status = how or self.ends[min(place, len(self.ends) - 1)]
        for number, (ticket, body) in enumerate(batch.requests.items()):
            cut = batch.status != "ended" and number >= self.answered
            batch.answers[ticket] = None if cut else self._answer(batch, number, body)

    def _answer(
        self, batch: Batch, number: int, body: dict[str, Any]
    ) -> tuple[int, dict[str, Any]] | None:
        path = "/v1/messages" if batch.wire == "anthropic" else "/v1/chat/completions"
        seen = Seen(number + 1, time.monotonic(), path, {"x-batch": batch.id}, body)
        act = super().act(seen)
        return None if act is EXPIRE else (act.status, wire(seen, act))

    def _batch(self, id: str) -> Any:
        return next((batch for batch in self.batches if batch.id == id), None)

    def _file(self, content: bytes) -> str:
        self._files[f"file-{len(self._files) + 1}"] = content
        return f"file-{len(self._files)}"

    def _view(self, batch: Batch) -> dict[str, Any]:
        return (self._openai if batch.wire == "openai" else _anthropic)(batch)

    def _openai(self, batch: Batch) -> dict[str, Any]:
        view: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "status": _OPENAI[batch.status],
            "created_at": int(batch.made),
            "metadata": {"dxjudge": batch.name},
            "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0},
        }
        if batch.status == "full":
            message = "Enqueued token limit reached"
            view["errors"] = {"data": [{"code": "token_limit_exceeded", "message": message}]}
        good: list[str] = []
        bad: list[str] = []
        for ticket, answer in batch.answers.items():
            line = _result_of_openai(ticket, answer, batch)
            if line is not None:
                (good if answer and answer[0] == 200 else bad).append(json.dumps(line))
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                view[name] = self._file("\n".join(lines[::-1]).encode())
        return view


_ASKED = ("/v1/chat/completions", "/v1/messages")
_OPENAI = {
    "running": "in_progress", "ended": "completed", "expired": "expired",
    "cancelled": "cancelled", "full": "failed",
}  # fmt: skip


def _either(server: BatchServer, seen: Seen) -> Act:
    """Create a batch or list the batches: the path is the same, and only one has a body."""
    if not seen.raw:
        return server.listed(seen)
    is_anthropic = "messages" in seen.path
    return server.create_anthropic(seen) if is_anthropic else server.create_openai(seen)


_ROUTES: tuple[tuple[str, Callable[..., Act]], ...] = (
    (r"/v1/files", BatchServer.upload),
    (r"/v1/files/([^/]+)/content", BatchServer.content),
    (r"/v1(?:/messages)?/batches", _either),
    (r"/v1(?:/messages)?/batches/([^/]+)", BatchServer.view),
    (r"/v1(?:/messages)?/batches/([^/]+)/cancel", BatchServer.cancel),
    (r"/v1/messages/batches/([^/]+)/results", BatchServer.results),
)


def _result_of_openai(ticket: str, answer: Any, batch: Batch) -> dict[str, Any] | None:
    if answer is not None:
        response = {"status_code": answer[0], "request_id": "r", "body": answer[1]}
        return {"id": "x", "custom_id": ticket, "response": response, "error": None}
    if batch.status == "cancelled":
        return None  # such requests are in neither file
    error = {"code": "batch_expired", "message": "This request could not be executed in time."}
    return {"id": "x", "custom_id": ticket, "response": None, "error": error}


def _result_of_anthropic(ticket: str, answer: Any, batch: Batch) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "expired"}
    if answer is None and batch.status == "cancelled":
        result = {"type": "canceled"}
    elif answer is not None and answer[0] == 200:
        result = {"type": "succeeded", "message": answer[1]}
    elif answer is not None:
        kind = "invalid_request_error" if answer[0] == 400 else "api_error"
        error = {**answer[1], "error": {**answer[1]["error"], "type": kind}}
        result = {"type": "errored", "error": error}
    return {"custom_id": ticket, "result": result}


def _anthropic(batch: Batch) -> dict[str, Any]:
    counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    counts["processing"] = 0 if batch.answers else len(batch.requests)
    for ticket, answer in batch.answers.items():
        result = _result_of_anthropic(ticket, answer, batch)["result"]["type"]
        counts[result] += 1
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "in_progress" if batch.status == "running" else "ended",
        "created_at": datetime.fromtimestamp(batch.made, UTC).isoformat(),
        "request_counts": counts,
    }


def _json(value: Any) -> Act:
    return Act(body=json.dumps(value).encode())
