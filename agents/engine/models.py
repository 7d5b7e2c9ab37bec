"""Models: from a name to a LangChain chat model, and one request to it.

The only module that knows vendors, their environment variables and their SDKs. Adding a
provider is one branch in `_build`, one line in `_KEYS`, and, where its wire differs, one
branch in `_form`.
"""

import asyncio
import os
import ssl
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, SecretStr

from ...cache.key import fingerprint
from ...errors import AuthenticationFault, UsageError
from ..judge import OFFICIAL, JudgeSpec, Method, parse_judge
from .answer import sent_schema

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

Finish = Literal["stop", "length", "refusal"]

_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
# The key for a server named by URL. The vendor's own key is never sent to another server.
_SERVER_KEY = "DXJUDGE_SERVER_KEY"
_BASE_URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
_NO_KEY = "not-needed"
_ANTHROPIC_MAX_TOKENS = 4096  # its API has no default
_FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
# What each provider's API has no parameter for; known beforehand, so never sent.
_ABSENT = {"anthropic": ("seed",)}


@dataclass(frozen=True)
class Judge:
    """A judge: its description, and the chat model object where the user brought one."""

    spec: JudgeSpec
    model: "BaseChatModel | None" = None
    # A model object whose settings cannot be written down has no identity to cache under.
    cacheable: bool = True


@dataclass(frozen=True)
class Reply:
    """One answer as it came, before anything is made of it. Tokens are None when not told."""

    text: str
    data: Mapping[str, Any] | None
    finish: Finish
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    logprobs: Any = None


if TYPE_CHECKING:
    AnyJudge: TypeAlias = str | JudgeSpec | Judge | BaseChatModel
else:  # LangChain is imported where a model is made
    AnyJudge = Any


def as_judge(judge: AnyJudge) -> Judge:
    """A judge from its name, its spec, or any LangChain chat model.

    A base URL that the environment sets (OPENAI_BASE_URL, ANTHROPIC_BASE_URL) becomes part of
    the spec: another server is another judge. Needs no key. Raises UsageError.
    """
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, str):
        judge = parse_judge(judge)
    if isinstance(judge, JudgeSpec):
        base_url = judge.base_url or os.environ.get(_BASE_URLS.get(judge.provider, ""))
        if base_url != judge.base_url and base_url:
            judge = judge.model_copy(update={"base_url": base_url.rstrip("/")})
        return Judge(judge)
    return _brought(judge)


def _brought(model: "BaseChatModel") -> Judge:
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise UsageError(
            f"a judge is a name, a JudgeSpec or a LangChain chat model, not {type(model).__name__}"
        )
    settings: dict[str, Any] = {"class": f"{type(model).__module__}.{type(model).__qualname__}"}
    cacheable = True
    for name in type(model).model_fields:
        value = getattr(model, name)
        if name in _UNTOLD or name.endswith("client") or _is_secret(value):
            continue
        try:
            fingerprint(value)
        except (TypeError, ValueError):
            cacheable = False
        else:
            settings[name] = value
    name = next((str(settings[key]) for key in _NAMES if settings.get(key)), type(model).__name__)
    spec = JudgeSpec(
        provider=_family(model) or "object", model=name, identity=fingerprint(settings)[:16]
    )
    return Judge(spec, model, cacheable)


_NAMES = ("model_name", "model", "model_id")
# Fields of a chat model that do not change what it answers.
_UNTOLD = {
    "cache", "callbacks", "custom_get_token_ids", "default_headers", "http_socket_options",
    "max_retries", "metadata", "name", "output_version", "profile", "rate_limiter",
    "request_timeout", "default_request_timeout", "stream_chunk_timeout", "tags", "verbose",
}  # fmt: skip


def _is_secret(value: object) -> bool:
    return isinstance(value, SecretStr)


def _family(model: object) -> str | None:
    module = type(model).__module__
    return {"langchain_openai": "openai", "langchain_anthropic": "anthropic"}.get(
        module.partition(".")[0]
    )


def key_variable(spec: JudgeSpec) -> str:
    """The environment variable that holds the key for this judge."""
    from_environment = os.environ.get(_BASE_URLS.get(spec.provider, ""), "").rstrip("/")
    if spec.base_url and spec.base_url != from_environment:
        return _SERVER_KEY
    return _KEYS[spec.provider]


def check_key(judge: Judge) -> None:
    """Raise AuthenticationFault naming the variable, before anything is sent."""
    spec = judge.spec
    if judge.model is not None or spec.provider not in _KEYS:
        return
    variable = key_variable(spec)
    if variable != _SERVER_KEY and not os.environ.get(variable):
        raise AuthenticationFault(
            f"{spec.label} needs a key: set the environment variable {variable}"
        )


def redact(text: str, judge: Judge) -> str:
    """Take keys out of a text that a server or an SDK wrote."""
    for secret in _secrets(judge):
        if secret in text:
            text = text.replace(secret, "[key]")
    return text


def _secrets(judge: Judge) -> list[str]:
    found = [os.environ.get(name, "") for name in (*_KEYS.values(), _SERVER_KEY)]
    if judge.model is not None:
        values = (getattr(judge.model, name) for name in type(judge.model).model_fields)
        found += [v.get_secret_value() for v in values if isinstance(v, SecretStr)]
    return [secret for secret in found if len(secret) >= 8]


# One client per event loop: an SDK's connections belong to the loop they were opened in, and
# LangChain shares them across loops, which ends in "Event loop is closed". Beside a user's own
# model stands the original, so that its id stays taken.
_CLIENTS: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, tuple[Any, Any]]]" = (
    weakref.WeakKeyDictionary()
)


def open_model(judge: Judge, timeout: float) -> "BaseChatModel":
    """The chat model of a judge for the running loop, with the SDK's own retries off."""
    opened = _CLIENTS.setdefault(asyncio.get_running_loop(), {})
    spec, brought = judge.spec, judge.model
    key = (spec.provider, spec.model, spec.base_url, timeout) if brought is None else id(brought)
    if key not in opened:
        if brought is None:
            check_key(judge)
            opened[key] = (None, _build(spec, timeout))
        else:
            opened[key] = (brought, _without_retries(brought))
    model: BaseChatModel = opened[key][1]
    return model


def _build(spec: JudgeSpec, timeout: float) -> "BaseChatModel":
    key = SecretStr(os.environ.get(key_variable(spec)) or _NO_KEY)
    shared: dict[str, Any] = {"api_key": key, "timeout": timeout, "max_retries": 0}
    if spec.provider == "openai":
        import openai
        from langchain_openai import ChatOpenAI

        http = openai.DefaultAsyncHttpxClient(timeout=timeout, verify=_certificates())
        return ChatOpenAI(
            model=spec.model,
            base_url=spec.base_url or OFFICIAL["openai"],
            http_async_client=http,
            use_responses_api=False,
            **shared,
        )
    if spec.provider == "anthropic":
        import anthropic
        from langchain_anthropic import ChatAnthropic

        base_url = spec.base_url or OFFICIAL["anthropic"]
        model = ChatAnthropic(model_name=spec.model, stop=None, base_url=base_url, **shared)
        http_client = anthropic.DefaultAsyncHttpxClient(
            base_url=base_url, timeout=timeout, verify=_certificates()
        )
        # The cached property has no public setter and would share connections across loops.
        model.__dict__["_async_client"] = model._async_client.with_options(http_client=http_client)
        return model
    raise UsageError(f"no provider {spec.provider!r}")


@cache
def _certificates() -> ssl.SSLContext:
    """The usual certificates, read once: each client would take 50 ms to read them again."""
    import httpx2

    return httpx2.create_ssl_context()


def _without_retries(model: Any) -> "BaseChatModel":
    """A copy of a user's model that leaves retries to the engine; its own transport is kept."""
    family = _family(model)
    if family == "openai" and getattr(model, "root_async_client", None) is not None:
        import openai

        options: dict[str, Any] = {"max_retries": 0}
        if model.http_async_client is None:
            options["http_client"] = openai.DefaultAsyncHttpxClient(verify=_certificates())
        client = model.root_async_client.with_options(**options)
        return _copy(model, {"root_async_client": client, "async_client": client.chat.completions})
    if family == "anthropic":
        copy = _copy(model, {})
        copy.__dict__["_async_client"] = model._async_client.with_options(max_retries=0)
        return copy
    return cast("BaseChatModel", model)


def _copy(model: "BaseChatModel", update: dict[str, Any]) -> "BaseChatModel":
    return model.model_copy(update=update)


def methods_of(judge: Judge) -> tuple[Method, ...]:
    """The ways to ask for structure that may work, best first."""
    if judge.spec.provider == "openai":
        return ("json_schema", "tool", "json_mode", "text")
    if judge.spec.provider == "anthropic":
        return ("json_schema", "tool", "text")
    from langchain_core.language_models import BaseChatModel

    own: Any = getattr(type(judge.model), "bind_tools", None)
    binds = own is not BaseChatModel.bind_tools
    return ("tool", "text") if binds else ("text",)


def takes_images(judge: Judge, timeout: float) -> bool | None:
    """Whether the model takes images; None where LangChain does not know it."""
    profile = getattr(open_model(judge, timeout), "profile", None) or {}
    return profile.get("image_inputs")


async def send(
    judge: Judge,
    spec: JudgeSpec,
    messages: "Sequence[BaseMessage]",
    answer: type[BaseModel],
    timeout: float,
) -> Reply:
    """Send one request, in the form of `spec.method`, with the parameters of `spec`.

    `timeout` seconds hold for the whole answer, however slowly it trickles in. Raises what the
    SDK or LangChain raises, or TimeoutError.
    """
    model = open_model(judge, timeout)
    parameters = _parameters(judge, spec)
    runnable: Any = model
    if spec.method == "tool" and spec.provider not in _KEYS:
        tool = _function(answer)
        runnable = model.bind_tools([{"type": "function", "function": tool}], tool_choice="any")
    else:
        _merge(parameters, _form(spec, answer))
    async with asyncio.timeout(timeout):
        message = await runnable.ainvoke(list(messages), **parameters)
    return _reply(judge, message)


def _parameters(judge: Judge, spec: JudgeSpec) -> dict[str, Any]:
    """The keyword arguments of a call; a user's own model object keeps its own settings."""
    chosen: dict[str, Any] = {
        "temperature": spec.temperature,
        "max_tokens": spec.max_tokens,
        "seed": spec.seed,
        "reasoning_effort": spec.reasoning_effort,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    if spec.provider == "anthropic" and judge.model is None:
        given.setdefault("max_tokens", _ANTHROPIC_MAX_TOKENS)
    if spec.provider == "openai" and spec.base_url and "max_tokens" in given:
        # LangChain renames it for OpenAI's own API; other servers may ignore the new name.
        given["extra_body"] = {"max_tokens": given.pop("max_tokens")}
    return given


def _merge(parameters: dict[str, Any], form: dict[str, Any]) -> None:
    for name, value in form.items():
        if isinstance(value, dict) and name in parameters:
            parameters[name] = {**parameters[name], **value}
        else:
            parameters[name] = value


def _form(spec: JudgeSpec, answer: type[BaseModel]) -> dict[str, Any]:
    """The arguments that ask a vendor's API for structure."""
    if spec.method == "text" or spec.provider not in _KEYS:
        return {}
    name = answer.__name__
    if spec.provider == "anthropic":
        if spec.method == "json_schema":
            import anthropic

            schema = anthropic.transform_schema(sent_schema(answer))
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
        tool = {"name": name, "description": _doc(answer), "input_schema": sent_schema(answer)}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": name}}
    if spec.method == "tool":
        choice = {"type": "function", "function": {"name": name}}
        return {
            "tools": [{"type": "function", "function": _function(answer)}],
            "tool_choice": choice,
        }
    kind: dict[str, Any] = {"type": "json_object"}
    if spec.method == "json_schema":
        schema = {"name": name, "strict": True, "schema": sent_schema(answer)}
        kind = {"type": "json_schema", "json_schema": schema}
    # In extra_body, LangChain leaves it alone: as an argument of its own it would send the
    # request through the SDK's parser, which costs time and raises on what we must see.
    return {"extra_body": {"response_format": kind}}


def _function(answer: type[BaseModel]) -> dict[str, Any]:
    return {
        "name": answer.__name__,
        "description": _doc(answer),
        "parameters": sent_schema(answer),
    }


def _doc(answer: type[BaseModel]) -> str:
    return answer.__doc__ or answer.__name__


def _reply(judge: Judge, message: "AIMessage") -> Reply:
    told = message.response_metadata
    reason = told.get("finish_reason") or told.get("stop_reason") or told.get("done_reason")
    finish = _FINISHES.get(str(reason), "stop")
    refusal = message.additional_kwargs.get("refusal")
    if refusal:
        finish = "refusal"
    call = message.tool_calls[0]["args"] if message.tool_calls else None
    broken = message.invalid_tool_calls
    text = refusal or (str(broken[0].get("args")) if broken else message.text)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    return Reply(
        text=redact(str(text), judge),
        data=call,
        finish=finish,
        tokens_in=usage.get("input_tokens"),
        tokens_out=usage.get("output_tokens"),
        tokens_cached=(usage.get("input_token_details") or {}).get("cache_read"),
        logprobs=told.get("logprobs"),
    )
