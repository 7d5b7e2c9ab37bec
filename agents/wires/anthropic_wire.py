"""Anthropic's Messages API: write the body of a request, and read its answer."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ..engine.answer import sent_schema
from ..engine.models import Method
from ..images import LoadedImage
from ..judge import JudgeSpec
from .openai_wire import count
from .request import FINISHES, NoAnswer, Reply, Request, one_answer, text_of

_MAX_TOKENS = 4096  # the API has no default


def path(spec: JudgeSpec) -> str:
    """Return the path of a request; the SDK's client for Vertex replaces it by Vertex's path."""
    return "/v1/messages"


def body(spec: JudgeSpec, request: Request) -> dict[str, Any]:
    """Return the JSON of one request, in the form of `spec.method`."""
    sent: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": spec.max_tokens or _MAX_TOKENS,
        "messages": _messages(request),
        "system": request.system,
    }
    if spec.temperature is not None:
        sent["temperature"] = spec.temperature
    sent.update(form(spec.method, request.answer))
    if spec.reasoning_effort is not None:
        sent["output_config"] = {**sent.get("output_config", {}), "effort": spec.reasoning_effort}
    return {**sent, **spec.extra}


def _messages(request: Request) -> list[dict[str, Any]]:
    content: Any = request.user
    if request.images:
        content = [{"type": "text", "text": request.user}, *map(_image, request.images)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for answer, correction in request.turns:
        messages.append({"role": "assistant", "content": answer})
        messages.append({"role": "user", "content": correction})
    return messages


def _image(image: LoadedImage) -> dict[str, Any]:
    source = {"type": "url", "url": image.url}
    if image.url.startswith("data:"):
        kind, _, data = image.url.removeprefix("data:").partition(";base64,")
        source = {"type": "base64", "media_type": kind, "data": data}
    return {"type": "image", "source": source}


@lru_cache(maxsize=1024)
def form(method: Method, answer: type[BaseModel]) -> dict[str, Any]:
    """Return the part of the body that asks for structure; callers must not change it."""
    if method == "json_schema":
        import anthropic

        schema = anthropic.transform_schema(sent_schema(answer))
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    if method == "tool":
        name = answer.__name__
        schema = sent_schema(answer)
        tool = {"name": name, "description": answer.__doc__ or name, "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}
    return {}


def read(data: Any) -> Reply:
    """Return the reply in a response's JSON. Raises NoAnswer when it holds no answer."""
    blocks = data.get("content") if isinstance(data, Mapping) else None
    if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
        raise NoAnswer(f"the body has no content: {str(data)[:500]}")
    tools = [block.get("input") for block in blocks if block.get("type") == "tool_use"]
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    usage = data.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    cached = count(usage.get("cache_read_input_tokens"))
    tokens_in = count(usage.get("input_tokens"))
    if tokens_in is not None:
        tokens_in += (cached or 0) + (count(usage.get("cache_creation_input_tokens")) or 0)
    asked = one_answer(tools)
    return Reply(
        text=text_of(asked, texts),
        data=asked if isinstance(asked, Mapping) else None,
        finish=FINISHES.get(str(data.get("stop_reason")), "stop"),
        tokens_in=tokens_in,
        tokens_out=count(usage.get("output_tokens")),
        tokens_cached=cached,
    )
