"""A model that says what it is told, on a real socket: for the contract and for users' tests.

It speaks the wire of OpenAI's chat completions, so that any client can talk to it.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal


@dataclass(frozen=True)
class Said:
    """One answer. finish: "length" is cut off, "refusal" declines.

    status: of HTTP; above 200 the text is the body. drop: hang up without an answer.
    """

    text: str = ""
    finish: Literal["stop", "length", "refusal"] = "stop"
    status: int = 200
    drop: bool = False


Reply = Callable[[dict[str, Any]], Said]


@dataclass
class ScriptedJudge:
    """The server; use it as a context manager.

    reply: the request's JSON -> what to say. model: the name that it goes by. `requests` holds
    the body of every request, in the order of arrival.
    """

    reply: Reply
    model: str = "scripted"
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take a free port."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """The base URL for an OpenAI client; any key will do."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def name(self) -> str:
        """The judge's name for dxjudge."""
        return f"openai:{self.model}@{self.url}"

    def __enter__(self) -> "ScriptedJudge":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(judge: ScriptedJudge) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            judge.requests.append(request)
            said = judge.reply(request)
            if said.drop:
                self.close_connection = True
                return
            text = json.dumps(_completion(request, said)) if said.status == 200 else said.text
            body = text.encode()
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing on standard error."""

    return Handler


def _completion(request: dict[str, Any], said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": None}
    finish: str = "stop" if said.finish == "refusal" else said.finish
    if said.finish == "refusal":
        message |= {"content": None, "refusal": said.text}
    elif request.get("tools") and said.finish == "stop" and said.text.startswith("{"):
        name = request["tools"][0]["function"]["name"]
        call = {"name": name, "arguments": said.text}
        tool = {"id": "call-1", "type": "function", "function": call}
        message |= {"content": None, "tool_calls": [tool]}
        finish = "tool_calls"
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
