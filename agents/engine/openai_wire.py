"""OpenAI's chat completions, the wire of most servers: a request's body, and reading the answer."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ..images import LoadedImage
from ..judge import JudgeSpec
from .answer import sent_schema
from .models import Method, name_on_wire
from .request import FINISHES, NoAnswer, Reply, Request

PATH = "/chat/completions"
_PARAMETERS = ("temperature", "max_tokens", "seed", "reasoning_effort")


def body(spec: JudgeSpec, request: Request) -> dict[str, Any]:
    """The JSON of one request, in the form of `spec.method`."""
    given = {name: getattr(spec, name) for name in _PARAMETERS}
    parameters = {
        name_on_wire(spec.provider, spec.base_url, name): value
        for name, value in given.items()
        if value is not None
    }
    structure = form(spec.method, request.answer)
    return {"model": spec.model, "messages": _messages(request), **parameters, **structure}


def _messages(request: Request) -> list[dict[str, Any]]:
    content: Any = request.user
    if request.images:
        content = [{"type": "text", "text": request.user}, *map(_image, request.images)]
    messages = [
        {"role": "system", "content": request.system},
        {"role": "user", "content": content},
    ]
    for answer, told in request.turns:
        messages.append({"role": "assistant", "content": answer})
        messages.append({"role": "user", "content": told})
    return messages


def _image(image: LoadedImage) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": image.url}}


@lru_cache(maxsize=1024)
def form(method: Method, answer: type[BaseModel]) -> dict[str, Any]:
    """The part of the body that asks for structure; do not change it."""
    if method == "text":
        return {}
    if method == "json_mode":
        return {"response_format": {"type": "json_object"}}
    name, schema = answer.__name__, sent_schema(answer)
    if method == "json_schema":
        named = {"name": name, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    function = {"name": name, "description": answer.__doc__ or name, "parameters": schema}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def read(data: Any) -> Reply:
    """The reply in a response's JSON. Raises NoAnswer."""
    choices = data.get("choices") if isinstance(data, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise NoAnswer(f"the body holds no message: {str(data)[:500]}")
    refusal, calls = message.get("refusal"), message.get("tool_calls")
    finish = "refusal" if refusal else FINISHES.get(str(choice.get("finish_reason")), "stop")
    if finish == "stop" and not calls and "content" not in message:
        raise NoAnswer("the message has no content")
    usage = data.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    return Reply(
        text=str(refusal or _arguments(calls) or _text(message.get("content"))),
        data=None,
        finish=finish,
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        tokens_cached=count(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
        logprobs=choice.get("logprobs"),
    )


def _arguments(calls: Any) -> str:
    """What the first tool call was given, as the model wrote it."""
    try:
        arguments = calls[0]["function"]["arguments"]
    except (TypeError, LookupError):
        return ""
    return arguments if isinstance(arguments, str) else str(arguments)


def _text(content: Any) -> str:
    if isinstance(content, list):  # parts: only text is the answer
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in texts if isinstance(text, str))
    return "" if content is None else str(content)


def count(value: Any) -> int | None:
    """A number of tokens, None for whatever is not one."""
    return value if isinstance(value, int) and value >= 0 else None
