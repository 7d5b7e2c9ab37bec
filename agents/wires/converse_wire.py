"""Amazon Bedrock's Converse API: write the body of a request, and read its answer."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel

from ..engine.answer import sent_schema
from ..engine.models import Method
from ..images import LoadedImage
from ..judge import JudgeSpec
from .openai_wire import count
from .request import FINISHES, NoAnswer, Reply, Request, one_answer, text_of


def path(spec: JudgeSpec) -> str:
    """Return the path of a request; a model may be named by an ARN, which has slashes."""
    return f"/model/{quote(spec.model, safe='')}/converse"


def body(spec: JudgeSpec, request: Request) -> dict[str, Any]:
    """Return the JSON of one request, in the form of `spec.method`.

    Raises ValueError for an image at an address, because the API takes only the image itself.
    """
    settings = {"maxTokens": spec.max_tokens, "temperature": spec.temperature}
    settings = {name: value for name, value in settings.items() if value is not None}
    sent: dict[str, Any] = {
        "system": [{"text": request.system}],
        "messages": _messages(request),
        **({"inferenceConfig": settings} if settings else {}),
        **form(spec.method, request.answer),
    }
    if spec.reasoning_effort is not None:
        sent["outputConfig"] = {**sent.get("outputConfig", {}), "effort": spec.reasoning_effort}
    return {**sent, **spec.extra}


def _messages(request: Request) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": [{"text": request.user}, *map(_image, request.images)]}]
    for answer, correction in request.turns:
        messages.append({"role": "assistant", "content": [{"text": answer}]})
        messages.append({"role": "user", "content": [{"text": correction}]})
    return messages


def _image(image: LoadedImage) -> dict[str, Any]:
    if not image.url.startswith("data:"):
        raise ValueError("Bedrock takes an image itself, not its address: save it as a file")
    kind, _, data = image.url.removeprefix("data:image/").partition(";base64,")
    return {"image": {"format": kind, "source": {"bytes": data}}}


@lru_cache(maxsize=1024)
def form(method: Method, answer: type[BaseModel]) -> dict[str, Any]:
    """Return the part of the body that asks for structure; callers must not change it."""
    name = answer.__name__
    if method == "json_schema":
        import anthropic

        # Bedrock's subset of JSON schema is Anthropic's; it takes the schema as a string.
        schema = json.dumps(anthropic.transform_schema(sent_schema(answer)))
        structure = {"jsonSchema": {"name": name, "schema": schema}}
        return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}
    if method == "tool":
        tool = {
            "name": name,
            "description": answer.__doc__ or name,
            "inputSchema": {"json": sent_schema(answer)},
        }
        choice = {"tool": {"name": name}}
        return {"toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": choice}}
    return {}


def read(data: Any) -> Reply:
    """Return the reply in a response's JSON. Raises NoAnswer when it holds no answer."""
    output = data.get("output") if isinstance(data, Mapping) else None
    message = output.get("message") if isinstance(output, Mapping) else None
    blocks = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
        raise NoAnswer(f"the body has no content: {str(data)[:500]}")
    tools = [block["toolUse"] for block in blocks if isinstance(block.get("toolUse"), Mapping)]
    asked = one_answer([tool.get("input") for tool in tools])
    texts = [block.get("text") for block in blocks]
    usage = data.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    cached = count(usage.get("cacheReadInputTokens"))
    tokens_in = count(usage.get("inputTokens"))
    if tokens_in is not None:
        tokens_in += (cached or 0) + (count(usage.get("cacheWriteInputTokens")) or 0)
    return Reply(
        text=text_of(asked, texts),
        data=asked if isinstance(asked, Mapping) else None,
        finish=FINISHES.get(str(data.get("stopReason")), "stop"),
        tokens_in=tokens_in,
        tokens_out=count(usage.get("outputTokens")),
        tokens_cached=cached,
    )
