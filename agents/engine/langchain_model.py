"""Ask through a LangChain chat model object that the user passed."""

import asyncio
import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..judge import JudgeSpec
from ..wires import anthropic_wire, openai_wire
from ..wires.request import FINISHES, Reply, Request
from ..wires.transport import certificates
from .judges import Judge, family_of
from .redact import redact, redact_value

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

# One copy for each event loop: LangChain shares connections across loops, which raises "Event
# loop is closed". The original is kept beside its copy, so that no other object gets its id.
_COPIES: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, tuple[Any, Any]]]" = (
    weakref.WeakKeyDictionary()
)
_PARAMETERS = ("temperature", "max_tokens", "seed", "reasoning_effort")


async def send_to_object(judge: Judge, spec: JudgeSpec, request: Request) -> Reply:
    """Send one request through a model object, which keeps its own settings."""
    model: Any = _copy_of(judge.model)
    settings = {name: getattr(spec, name) for name in _PARAMETERS}
    parameters = {name: value for name, value in settings.items() if value is not None}
    if spec.provider == "object" and spec.method == "tool":
        [tool] = openai_wire.form("tool", request.answer)["tools"]
        model = model.bind_tools([tool], tool_choice="any")
    else:
        parameters |= _form(spec, request)
    message = await model.ainvoke(messages_of(request), **parameters)
    return _reply(judge, message)


def messages_of(request: Request) -> "list[BaseMessage]":
    """Return the request as LangChain messages."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    content: Any = request.user
    if request.images:
        content = [{"type": "text", "text": request.user}, *(i.block() for i in request.images)]
    messages: list[BaseMessage] = [SystemMessage(request.system), HumanMessage(content)]
    for answer, correction in request.turns:
        messages += [AIMessage(answer), HumanMessage(correction)]
    return messages


def takes_images(judge: Judge) -> bool | None:
    """Whether the model takes images; None for a model that LangChain does not know."""
    if judge.model is not None:
        profile = getattr(judge.model, "profile", None)
    else:
        profile = _profile(judge.spec.provider, judge.spec.model)
    return (profile or {}).get("image_inputs")


@lru_cache(maxsize=256)
def _profile(provider: str, model: str) -> Mapping[str, Any] | None:
    from pydantic import SecretStr

    key = SecretStr("not-needed")
    if provider == "openai":
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=model, api_key=key).profile
    if provider == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model_name=model, api_key=key, timeout=None, stop=None).profile
    return None


def _copy_of(model: Any) -> "BaseChatModel":
    copies = _COPIES.setdefault(asyncio.get_running_loop(), {})
    if id(model) not in copies:
        copies[id(model)] = (model, _for_engine(model))
    copy: BaseChatModel = copies[id(model)][1]
    return copy


def _for_engine(model: Any) -> Any:
    """Return a copy with the same transport that does not retry and does not stream.

    The engine retries. A model streams when a caller watches a graph (`astream_events`,
    `stream_mode="messages"`), and a stream does not report its tokens.
    """
    family = family_of(model)
    update: dict[str, Any] = {"disable_streaming": True}
    if family == "openai" and getattr(model, "root_async_client", None) is not None:
        import openai

        options: dict[str, Any] = {"max_retries": 0}
        if model.http_async_client is None:
            options["http_client"] = openai.DefaultAsyncHttpxClient(verify=certificates())
        client = model.root_async_client.with_options(**options)
        update |= {"root_async_client": client, "async_client": client.chat.completions}
    copy = model.model_copy(update=update)
    if family == "anthropic":
        # The client is a cached property without a public setter.
        copy.__dict__["_async_client"] = model._async_client.with_options(max_retries=0)
    return copy


def _form(spec: JudgeSpec, request: Request) -> dict[str, Any]:
    """Return the arguments that ask a vendor's model object for structure."""
    if spec.provider == "anthropic":
        return anthropic_wire.form(spec.method, request.answer)
    if spec.provider != "openai":
        return {}
    form = openai_wire.form(spec.method, request.answer)
    # LangChain passes extra_body on unchanged. With response_format as an argument it would use
    # the SDK's parser, which costs time and raises on invalid answers that the engine must see.
    return {"extra_body": form} if "response_format" in form else form


def _reply(judge: Judge, message: "AIMessage") -> Reply:
    about = message.response_metadata
    reason = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason")
    finish = FINISHES.get(str(reason), "stop")
    refusal = message.additional_kwargs.get("refusal")
    if refusal:
        finish = "refusal"
    calls: Sequence[Mapping[str, Any]] = message.tool_calls
    broken = message.invalid_tool_calls
    text = refusal or (str(broken[0].get("args")) if broken else message.text)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    return Reply(
        text=redact(str(text), judge),
        data=redact_value(calls[0]["args"], judge) if calls else None,
        finish=finish,
        tokens_in=usage.get("input_tokens"),
        tokens_out=usage.get("output_tokens"),
        tokens_cached=(usage.get("input_token_details") or {}).get("cache_read"),
        logprobs=about.get("logprobs"),
    )
