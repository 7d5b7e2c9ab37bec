"""Make a judge from its name, its spec or a chat model object, and check its key."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import SecretStr

from ...cache.key import fingerprint
from ...errors import AuthenticationFault, MissingExtra, UsageError
from ..judge import OFFICIAL, JudgeSpec, check_url, parse_judge
from . import models
from .models import PROVIDERS, SERVER_KEY, Method

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True)
class Judge:
    """A judge: its spec, and the chat model object if the user passed one."""

    spec: JudgeSpec
    model: "BaseChatModel | None" = None
    # False for a model object with settings that are not JSON: it has no key in the cache.
    cacheable: bool = True


if TYPE_CHECKING:
    AnyJudge: TypeAlias = str | JudgeSpec | Judge | BaseChatModel
else:  # LangChain is slow to import, so only code that needs it imports it
    AnyJudge = Any


def as_judge(judge: AnyJudge) -> Judge:
    """Return a judge from its name, its spec, or any LangChain chat model.

    An address that the environment sets (such as OPENAI_BASE_URL) becomes part of the spec,
    because another server is another judge. Needs no key. Raises UsageError for anything that
    is not a judge, and for an address that is missing or holds a password or a key.
    """
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, str):
        judge = parse_judge(judge)
    if isinstance(judge, JudgeSpec):
        return Judge(_with_address(judge))
    return _judge_of_object(judge)


def _with_address(spec: JudgeSpec) -> JudgeSpec:
    if spec.base_url:
        check_url(spec.base_url, "a judge's URL")
        return spec
    known = PROVIDERS.get(spec.provider)
    if known is None:
        return spec
    url = models.url_of_environment(spec.provider)
    if not url:
        if not known.url:
            raise UsageError(
                f"{spec.label} needs an address: write {spec.label}@https://… or set the "
                f"environment variable {models.address_variables(spec.provider)}"
            )
        return spec
    check_url(url, known.url_variable)
    return spec.model_copy(update={"base_url": url})


def _judge_of_object(model: "BaseChatModel") -> Judge:
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise UsageError(
            f"a judge is a name, a JudgeSpec or a LangChain chat model, not {type(model).__name__}"
        )
    settings: dict[str, Any] = {"class": f"{type(model).__module__}.{type(model).__qualname__}"}
    cacheable = True
    for name in type(model).model_fields:
        value = getattr(model, name)
        if name in _NOT_IN_IDENTITY or name.endswith("client") or isinstance(value, SecretStr):
            continue
        try:
            fingerprint(value)
        except (TypeError, ValueError):
            cacheable = False
        else:
            settings[name] = value
    name = next((str(settings[key]) for key in _NAMES if settings.get(key)), type(model).__name__)
    spec = JudgeSpec(
        provider=family_of(model) or "object", model=name, identity=fingerprint(settings)[:16]
    )
    return Judge(spec, model, cacheable)


_NAMES = ("model_name", "model", "model_id")
# Fields of a chat model that do not change its answers.
_NOT_IN_IDENTITY = {
    "cache", "callbacks", "custom_get_token_ids", "default_headers", "http_socket_options",
    "max_retries", "metadata", "name", "output_version", "profile", "rate_limiter",
    "request_timeout", "default_request_timeout", "stream_chunk_timeout", "tags", "verbose",
}  # fmt: skip


def family_of(model: object) -> str | None:
    """Return the provider whose protocol a LangChain chat model speaks, if its package shows it."""
    package = type(model).__module__.partition(".")[0]
    return {"langchain_openai": "openai", "langchain_anthropic": "anthropic"}.get(package)


def key_variable(spec: JudgeSpec) -> str:
    """Return the environment variable that holds the key for this judge."""
    return models.key_variable(spec.provider, spec.base_url)


def check_key(judge: Judge) -> None:
    """Raise AuthenticationFault, naming the variable, when the judge's key is missing.

    Raises MissingExtra, naming the command, when the library that finds its credentials is missing.
    """
    spec = judge.spec
    if judge.model is not None or spec.provider not in PROVIDERS:
        return
    _check_extra(spec)
    variable = key_variable(spec)
    if variable != SERVER_KEY and not models.key_of_environment(spec.provider, spec.base_url):
        raise AuthenticationFault(
            f"{spec.label} needs a key: set the environment variable {variable}"
        )


def _check_extra(spec: JudgeSpec) -> None:
    extra = PROVIDERS[spec.provider].extra
    if extra is None or models.account_of_environment(spec.provider):
        return
    name, module = extra
    if models.has_own_server(spec.provider, spec.base_url) and not _has_module(module):
        account = PROVIDERS[spec.provider].account[0]
        raise MissingExtra(f"{spec.label} without a token in {account}", name)


def _has_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package around it
        return False


def methods_of(judge: Judge) -> tuple[Method, ...]:
    """Return the methods of structured output that may work for a judge, best first."""
    known = PROVIDERS.get(judge.spec.provider)
    if known is not None:
        return known.methods
    from langchain_core.language_models import BaseChatModel

    own: Any = getattr(type(judge.model), "bind_tools", None)
    return ("tool", "text") if own is not BaseChatModel.bind_tools else ("text",)


# Names and addresses of the own machine; a server that listens on all of them is one server.
_LOOPBACK = re.compile(
    r"(?<=://)(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[(0*:)+0*1\]|\[::\])(?=[:/]|$)"
)


def one_model(judge: Judge) -> str:
    """Return a name that is equal for two judges if they are the same model on the same server.

    All names of the own machine (localhost, 127.0.0.1, [::1]) count as one. A model object of a
    vendor is identified by its model and address. Any other object is only equal to itself. The
    name is only for comparisons: the keys of kept replies have the address as it was written.
    """
    spec, brought = judge.spec, judge.model
    name = spec.endpoint
    if brought is not None and spec.provider != "object":
        fields = ("openai_api_base", "anthropic_api_url")
        address = next(
            (url for attribute in fields if (url := getattr(brought, attribute, None))), ""
        )
        name = f"{spec.label}@{address}".rstrip("@/")
    name = name.lower()
    for official in OFFICIAL.values():
        name = name.removesuffix(f"@{official}")
    return _LOOPBACK.sub("localhost", name)


def check_named_once(judges: Iterable[Judge]) -> None:
    """Raise UsageError if two judges are one model, or have one label.

    Votes name a judge by its label, so two judges with one label could not be separated.
    """
    seen: set[str] = set()
    for judge in judges:
        names = {judge.spec.label.lower(), one_model(judge)}
        if names & seen:
            raise UsageError(f"the judge {judge.spec.label} is named twice; name it once")
        seen |= names
