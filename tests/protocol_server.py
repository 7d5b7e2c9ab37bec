"""A server that speaks the wire of OpenAI's chat completions and Anthropic's messages.

It runs on a real socket in a thread of its own. What it says is a script: a function from the
request to an `Act`, so that every fault that a provider can show is one line in a test.
"""

import asyncio
import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Seen:
    """A request as it came in. number: 1 and up, in the order of arrival."""

    number: int
    at: float
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    raw: bytes = b""

    @property
    def wire(self) -> str:
        if self.path.endswith("/converse"):
            return "converse"
        return "anthropic" if self.path.endswith(("/messages", ":rawPredict")) else "openai"

    @property
    def texts(self) -> list[str]:
        """The text of every message, the system's first."""
        messages = list(self.body["messages"])
        if "system" in self.body:
            messages.insert(0, {"content": self.body["system"]})
        return [_text(message["content"]) for message in messages]

    @property
    def user(self) -> str:
        """The first user message: the item."""
        return next(_text(m["content"]) for m in self.body["messages"] if m["role"] == "user")

    @property
    def images(self) -> list[bytes | str]:
        """The images of the first user message: their bytes, or their URL."""
        content = next(m["content"] for m in self.body["messages"] if m["role"] == "user")
        blocks = content if isinstance(content, list) else []
        if self.wire == "converse":
            found = [block["image"]["source"]["bytes"] for block in blocks if "image" in block]
            return [base64.b64decode(data) for data in found]
        return [_picture(block) for block in blocks if block["type"] != "text"]

    @property
    def form(self) -> str:
        """How structure is asked for: json_schema, tool, json_mode or text."""
        if self.body.get("tools") or self.body.get("toolConfig"):
            return "tool"
        if self.wire == "converse":
            return "json_schema" if "textFormat" in self.body.get("outputConfig", {}) else "text"
        kind = self.body.get("response_format") or self.body.get("output_config") or {}
        kind = kind.get("format", kind)
        return {"json_schema": "json_schema", "json_object": "json_mode"}.get(
            str(kind.get("type")), "text"
        )

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that was sent with the request."""
        if self.form == "tool":
            tool = self.body["tools"][0]
            found = tool.get("input_schema") or tool["function"]["parameters"]
        elif self.wire == "anthropic":
            found = self.body.get("output_config", {}).get("format", {}).get("schema")
        else:
            found = self.body.get("response_format", {}).get("json_schema", {}).get("schema")
        return found  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Act:
    """What to do with a request; the default is to answer well.

    answer: a mapping is sent in the form that was asked for, a string as plain text.
    """

    answer: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    delay: float = 0.0
    drop: bool = False
    body: bytes | None = None
    content_type: str = "application/json"
    trickle: float = 0.0
    tokens: tuple[int, int] | None = (100, 20)
    error: Mapping[str, Any] | None = None
    first_tokens: list[tuple[str, float]] | None = None  # of the answer, with log-probabilities
    prompt_tokens: list[tuple[str, float]] | None = None  # the last ones of the prompt


def say(answer: Any, **options: Any) -> Act:
    return Act(answer, **options)


def refuse(text: str = "I cannot help with that.") -> Act:
    return Act(text, finish="refusal")


def cut(text: str) -> Act:
    return Act(text, finish="length")


def throttle(after: float | None = None, **headers: str) -> Act:
    told = headers if after is None else {"Retry-After": f"{after:g}", **headers}
    return Act(status=429, headers=told, error={"message": "Rate limit reached", "type": "rate"})


def fail(status: int = 500, message: str = "internal error", **error: Any) -> Act:
    return Act(status=status, error={"message": message, "type": "error", **error})


DROP = Act(drop=True)
HTML = Act(body=b"<html><body>Welcome to the proxy</body></html>", content_type="text/html")

Script = Callable[[Seen], Act | Any]


class ProtocolServer:
    """The server. `script` may be a function, or a list of acts that are played in order.

    After a list's end, its last act is repeated. What a function returns that is no Act is an
    answer. rejects: parameters that get a 400; forms: the ways of structure that it takes.
    """

    def __init__(
        self,
        script: Script | list[Any],
        *,
        rejects: tuple[str, ...] = (),
        forms: tuple[str, ...] = ("json_schema", "tool", "json_mode", "text"),
        form_status: int = 400,
    ) -> None:
        self.script = script
        self.rejects = rejects
        self.forms = forms
        self.form_status = form_status
        self.seen: list[Seen] = []
        self.peak = 0
        self._active = 0
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The base URL for an OpenAI client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def root(self) -> str:
        """The base URL for an Anthropic client."""
        return f"http://127.0.0.1:{self.port}"

    def judge(self, model: str = "double") -> str:
        """The name of a judge on this server; each server has a port, so each is another."""
        return f"openai:{model}@{self.url}"

    def __enter__(self) -> "ProtocolServer":
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**24)
        self.port = self._server.sockets[0].getsockname()[1]

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_later(0.05, self._loop.stop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (seen := await self._read(reader)) is not None:
                self._active += 1
                self.peak = max(self.peak, self._active)
                try:
                    if not await self._reply(seen, writer):
                        break
                finally:
                    self._active -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Seen | None:
        head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
        if not head:
            return None
        first, *lines = head.decode().split("\r\n")
        pairs = (line.split(": ", 1) for line in lines if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = first.split(" ")[1]
        is_json = "multipart" not in headers.get("content-type", "")
        data = json.loads(body or b"{}") if is_json else {}
        seen = Seen(len(self.seen) + 1, time.monotonic(), path, headers, data, body)
        self.seen.append(seen)
        return seen

    async def _reply(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        act = self.act(seen)
        if act.delay:
            await asyncio.sleep(act.delay)
        if act.drop:
            writer.transport.abort()
            return False
        body = act.body if act.body is not None else json.dumps(wire(seen, act)).encode()
        headers = {
            "Content-Type": act.content_type,
            "Content-Length": str(len(body)),
            "x-request-id": f"req-{seen.number}",
            **act.headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {act.status} X\r\n{head}\r\n".encode())
        if act.trickle:
            for byte in body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(act.trickle)
        else:
            writer.write(body)
        await writer.drain()
        return True

    def act(self, seen: Seen) -> Act:
        """Return what to do with a request."""
        return self._refusal_of_form(seen) or self._play(seen)

    def _play(self, seen: Seen) -> Act:
        if callable(self.script):
            found = self.script(seen)
        else:
            found = self.script[min(seen.number, len(self.script)) - 1]
        return found if isinstance(found, Act) else Act(found)

    def _refusal_of_form(self, seen: Seen) -> Act | None:
        names = {"max_completion_tokens": "max_tokens"}
        sent = {names.get(name, name) for name in seen.body}
        for name in self.rejects:
            if name in sent:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return fail(400, message, param=name, code="unsupported_parameter")
        if seen.form not in self.forms:
            what = {"tool": "tools", "json_schema": "response_format.type json_schema"}
            message = f"{what.get(seen.form, 'response_format')} is not supported"
            return fail(self.form_status, message)
        return None


def wire(seen: Seen, act: Act) -> dict[str, Any]:
    if act.error is not None:
        return {"type": "error", "error": dict(act.error)}
    say_it = {"anthropic": _anthropic, "converse": converse, "openai": _openai}[seen.wire]
    return say_it(seen, act)


def _openai(seen: Seen, act: Act) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    finish = act.finish
    if finish == "refusal":
        message["refusal"], finish = act.answer, "stop"
    elif seen.form == "tool" and not isinstance(act.answer, str):
        name = seen.body["tools"][0]["function"]["name"]
        call = {"name": name, "arguments": json.dumps(act.answer)}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": call}]
        finish = "tool_calls"
    else:
        message["content"] = _as_text(act.answer)
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    if seen.body.get("logprobs"):
        ranked = [{"token": t, "logprob": p, "bytes": None} for t, p in act.first_tokens or ()]
        first = {"token": "x", "logprob": -0.25, "bytes": None, "top_logprobs": ranked}
        choice["logprobs"] = {"content": [first], "refusal": None}
    reply = {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "created": 0,
        "model": seen.body["model"],
        "choices": [choice],
    }
    if act.prompt_tokens is not None:
        scored = [
            {str(at): {"logprob": p, "rank": 1, "decoded_token": t}}
            for at, (t, p) in enumerate(act.prompt_tokens)
        ]
        reply["prompt_logprobs"] = [None, *scored]
    if act.tokens is not None:
        tokens_in, tokens_out = act.tokens
        reply["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return reply


def _anthropic(seen: Seen, act: Act) -> dict[str, Any]:
    finish = {"stop": "end_turn", "length": "max_tokens"}.get(act.finish, act.finish)
    content: dict[str, Any] = {"type": "text", "text": _as_text(act.answer)}
    if seen.form == "tool" and not isinstance(act.answer, str):
        name = seen.body["tools"][0]["name"]
        content = {"type": "tool_use", "id": "toolu-1", "name": name, "input": act.answer}
        finish = "tool_use"
    tokens_in, tokens_out = act.tokens or (0, 0)
    return {
        "id": f"msg-{seen.number}",
        "type": "message",
        "role": "assistant",
        "model": seen.body.get("model", "double"),
        "content": [content],
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }


def converse(seen: Seen, act: Act) -> dict[str, Any]:
    """Answer as Amazon Bedrock's Converse API."""
    finish = {"stop": "end_turn", "length": "max_tokens", "refusal": "content_filtered"}[act.finish]
    content: dict[str, Any] = {"text": _as_text(act.answer)}
    if seen.form == "tool" and not isinstance(act.answer, str):
        name = seen.body["toolConfig"]["tools"][0]["toolSpec"]["name"]
        content = {"toolUse": {"toolUseId": "t-1", "name": name, "input": act.answer}}
        finish = "tool_use"
    tokens_in, tokens_out = act.tokens or (0, 0)
    usage = {"inputTokens": tokens_in, "outputTokens": tokens_out}
    return {
        "output": {"message": {"role": "assistant", "content": [content]}},
        "stopReason": finish,
        "usage": {**usage, "totalTokens": tokens_in + tokens_out},
        "metrics": {"latencyMs": 1},
    }


def _as_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if "text" in block)


def _picture(block: Any) -> bytes | str:
    source = block.get("source", {})
    if source.get("type") == "base64":
        return base64.b64decode(source["data"])
    url: str = source.get("url") or block["image_url"]["url"]
    return base64.b64decode(url.partition(",")[2]) if url.startswith("data:") else url


def with_delay(act: Act, seconds: float) -> Act:
    return replace(act, delay=seconds)
