"""Serve a scripted model on a real socket, for the contract and for users' tests.

The server has the interface of OpenAI's chat completions, so that any client can use it.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal


@dataclass(frozen=True)
class Said:
    """One reply of the scripted model.

    finish: "length" means that the text is cut off, "refusal" that the model declines. status:
    the HTTP status; if it is not 200, the text is the body. drop: close the connection without a
    reply.
    """

    text: str = ""
    finish: Literal["stop", "length", "refusal"] = "stop"
    status: int = 200
    drop: bool = False


Reply = Callable[[dict[str, Any]], Said]


@dataclass
class ScriptedJudge:
    """The server of a scripted model; use it as a context manager.

    reply: a function of the request's JSON that returns the reply. If it raises an exception, or
    returns no `Said`, the client gets an error (HTTP 400) that says so. model: the model's name.
    `requests` contains the body of every request, in the order of arrival.
    """

    reply: Reply
    model: str = "scripted"
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Bind the server to a free port."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """The base URL for an OpenAI client; any key is accepted."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def name(self) -> str:
        """The judge's name for dxjudge."""
        return f"openai:{self.model}@{self.url}"

    def __enter__(self) -> "ScriptedJudge":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(judge: ScriptedJudge) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            judge.requests.append(request)
            reply = _reply(judge, request)
            if reply.drop:
                self.close_connection = True
                return
            text = json.dumps(_completion(request, reply)) if reply.status == 200 else reply.text
            body = text.encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Write nothing to standard error."""

    return Handler


def _reply(judge: ScriptedJudge, request: dict[str, Any]) -> Said:
    """Return the reply; a script that cannot give one is an error that every client shows."""
    try:
        reply = judge.reply(request)
        if isinstance(reply, Said):
            return reply
        fault = f"returned {reply!r:.100}, not a Said, such as Said({str(reply)!r:.60})"
    except Exception as error:
        fault = f"raised {type(error).__name__}: {error}"
    message = f"the reply function of the ScriptedJudge {fault}"
    return Said(json.dumps({"error": {"message": message}}), status=400)


def _completion(request: dict[str, Any], reply: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
    finish: str = "stop" if reply.finish == "refusal" else reply.finish
    if reply.finish == "refusal":
        message |= {"content": None, "refusal": reply.text}
    elif request.get("tools") and reply.finish == "stop" and reply.text.startswith("{"):
        name = request["tools"][0]["function"]["name"]
        call = {"name": name, "arguments": reply.text}
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
