"""OpenAI's Chat Completions API, which most servers speak: write a request, read its answer."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ..engine.answer import sent_schema
from ..engine.models import Method, model_on_wire, name_on_wire
from ..images import LoadedImage
from ..judge import JudgeSpec
from .request import FINISHES, NoAnswer, Reply, Request, one_answer

# `prompt_logprobs` and its two companions are extensions of vLLM.
_SCORES: Mapping[str, Mapping[str, Any]] = {
    "token": {"logprobs": True, "top_logprobs": 20},
    "likelihood": {
        "prompt_logprobs": 1,
        "continue_final_message": True,
        "add_generation_prompt": False,
    },
}
_MOST_TOKENS = 10**12
"""No answer has so many: such a number is a fault of the server."""
_PATH = "/chat/completions"
_PARAMETERS = ("temperature", "max_tokens", "seed", "reasoning_effort")


def path(spec: JudgeSpec) -> str:
    """Return the path of a request below the provider's address."""
    return "/endpoints/openapi/chat/completions" if spec.provider == "vertex" else _PATH


def body(spec: JudgeSpec, request: Request) -> dict[str, Any]:
    """Return the JSON of one request, in the form of `spec.method`."""
    settings = {name: getattr(spec, name) for name in _PARAMETERS}
    parameters = {
        name_on_wire(spec.provider, spec.base_url, name): value
        for name, value in settings.items()
        if value is not None
    }
    structure = form(spec.method, request.answer)
    return {
        "model": model_on_wire(spec.provider, spec.model),
        "messages": _messages(request),
        **parameters,
        **structure,
        **_SCORES.get(request.reply, {}),
        **spec.extra,
    }


def _messages(request: Request) -> list[dict[str, Any]]:
    content: Any = request.user
    if request.images:
        content = [{"type": "text", "text": request.user}, *map(_image, request.images)]
    messages = [
        {"role": "system", "content": request.system},
        {"role": "user", "content": content},
    ]
    for answer, correction in request.turns:
        messages.append({"role": "assistant", "content": answer})
        messages.append({"role": "user", "content": correction})
    if request.continuation:
        messages.append({"role": "assistant", "content": request.continuation})
    return messages


def _image(image: LoadedImage) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": image.url}}


@lru_cache(maxsize=1024)
def form(method: Method, answer: type[BaseModel]) -> dict[str, Any]:
    """Return the part of the body that asks for structure; callers must not change it."""
    if method == "text":
        return {}
    if method == "json_mode":
        return {"response_format": {"type": "json_object"}}
    name, schema = answer.__name__, sent_schema(answer)
    if method == "json_schema":
        named_schema = {"name": name, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named_schema}}
    function = {"name": name, "description": answer.__doc__ or name, "parameters": schema}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def read(data: Any) -> Reply:
    """Return the reply in a response's JSON. Raises NoAnswer when it holds no answer."""
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
        logprobs=choice.get("logprobs") or data.get("prompt_logprobs"),
    )


def _arguments(calls: Any) -> str:
    """Return the arguments of the tool call as the model wrote them, or those of each call."""
    try:
        arguments = one_answer([call["function"]["arguments"] for call in calls or ()])
    except (TypeError, LookupError):
        return ""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False) if arguments else ""


def _text(content: Any) -> str:
    if isinstance(content, list):  # of the parts of a message, only texts are the answer
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in texts if isinstance(text, str))
    return "" if content is None else str(content)


def count(value: Any) -> int | None:
    """Return a number of tokens, or None for a value that is not one."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < _MOST_TOKENS else None
