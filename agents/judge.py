"""Describe a judge: a model, its server and the parameters that are sent."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from ..errors import UsageError
from ..files.nearest import nearest
from .engine.models import PROVIDERS, SERVER_KEY, Method

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

# provider:model or provider:model@http://server/v1
_NAME = re.compile(r"^(?P<provider>[a-z_]+):(?P<model>.+?)(?:@(?P<base_url>https?://\S+))?$")
_LOCAL = "for a local server write openai:MODEL@http://host:port/v1"
_SECRET_PART = re.compile(r"(?<=//)[^/\s]*@|[?#]\S*")
_NAMED = {"provider", "model", "base_url"}  # the fields that the label holds
_OWN_FIELDS = {
    "model", "messages", "system", "stream", "tools", "tool_choice",
    "toolConfig", "response_format",
}  # fmt: skip
OFFICIAL = {name: provider.url for name, provider in PROVIDERS.items() if provider.url}
"""The address of each provider, used unless a judge names another server."""


class JudgeSpec(BaseModel):
    """A model and its parameters: everything about the judge that can change an answer.

    A parameter that is None was not set by the user: the step's default is sent, or nothing.
    In an outcome, the spec has the parameters that were really sent: `method` is never "auto", and
    `dropped` names the parameters that the model rejected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str
    model: str
    base_url: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, gt=0)
    seed: int | None = None
    reasoning_effort: Effort | None = None
    method: Method = "auto"
    dropped: tuple[str, ...] = ()
    # JSON of an object whose fields are added to the body of each request; "" for none.
    extra_body: str = ""
    # Tells apart two model objects that share a class and a name; empty for a named provider.
    identity: str = ""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return the judge as a user writes it, and the parameters that were set."""
        yield None, self.label
        for name, value in self:
            if name not in _NAMED and value != type(self).model_fields[name].default:
                yield name, value

    @field_validator("extra_body")
    @classmethod
    def _one_object(cls, text: str) -> str:
        return _canonical_object(text) if text else ""

    @model_serializer(mode="wrap")
    def _as_before(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # A spec without extra fields is written as before they existed, so that replies and
        # journals of earlier versions are still found.
        fields: dict[str, Any] = dump(self)
        if not fields.get("extra_body"):
            fields.pop("extra_body", None)
        return fields

    @property
    def extra(self) -> dict[str, Any]:
        """The fields that are added to the body of each request."""
        return json.loads(self.extra_body) if self.extra_body else {}

    @property
    def label(self) -> str:
        """The judge as a user writes it: `openai:gpt-4o` or `openai:qwen@http://host/v1`."""
        place = f"@{self.base_url}" if self.base_url else ""
        return f"{self.provider}:{self.model}{place}"

    @property
    def endpoint(self) -> str:
        """The model and its server. Rate limits count all judges of one endpoint together."""
        tag = f"#{self.identity}" if self.identity else ""
        return f"{self.label}{tag}"


def parse_judge(name: str, **parameters: Any) -> JudgeSpec:
    """Read `provider:model[@base_url]`; `parameters` are fields of `JudgeSpec`.

    The provider's official address is left out, so that one model always has one name.
    Raises UsageError for an unknown provider, a URL with credentials, or a bad parameter.
    """
    match = _NAME.match(name.strip())
    if not match or match["provider"] not in PROVIDERS:
        shown = _SECRET_PART.sub("[…]", name)
        others = ", ".join(name for name in PROVIDERS if name not in ("openai", "anthropic"))
        provider, colon, _ = name.strip().partition(":")
        near = nearest(provider, PROVIDERS) if colon else ""
        hint = f"did you mean {near}:…?" if near not in ("", provider) else _LOCAL
        raise UsageError(
            f"judge {shown!r} is not openai:MODEL, anthropic:MODEL or PROVIDER:MODEL with one of "
            f"{others}; {hint}"
        )
    base_url = match["base_url"]
    if base_url:
        check_url(base_url, "a judge's URL")
    server = base_url.rstrip("/") if base_url else None
    if server and server.lower() == OFFICIAL.get(match["provider"]):
        server = None
    settings = {key: value for key, value in parameters.items() if value is not None}
    try:
        return JudgeSpec(
            provider=match["provider"],
            model=match["model"],
            base_url=server,
            **settings,
        )
    except ValueError as fault:
        raise UsageError(f"judge {name!r}: {_first_line(fault)}") from fault


def _canonical_object(text: str) -> str:
    """Return a JSON object in one form. Raises ValueError for other text and for our own fields."""
    try:
        fields = json.loads(text)
    except ValueError as fault:
        raise ValueError(f"is not JSON: {fault}") from fault
    if not isinstance(fields, dict):
        raise ValueError("is not a JSON object")
    taken = sorted(_OWN_FIELDS & set(fields))
    if taken:
        raise ValueError(f"sets {', '.join(taken)}, which dxjudge sets itself")
    return json.dumps(fields, sort_keys=True, separators=(",", ":")) if fields else ""


def check_url(url: str, what: str) -> None:
    """Raise UsageError for an address that contains a user name, a password or a query.

    The address is part of the judge's name, which is written to tables, reports and the cache.
    `what` names the address in the message.
    """
    if "@" in url or "?" in url or "#" in url:
        raise UsageError(
            f"{what} contains a user name, a password or a query; "
            f"set the key in the environment variable {SERVER_KEY} instead"
        )


def _first_line(fault: ValueError) -> str:
    errors: Iterable[Any] = getattr(fault, "errors", lambda: [])()
    lines = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in errors]
    return "; ".join(lines) or str(fault)
