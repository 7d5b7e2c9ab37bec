"""Who judges: the frozen description of a model and how it is asked."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..errors import UsageError

Method = Literal["auto", "json_schema", "tool", "json_mode", "text"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

# provider:model or provider:model@http://server/v1
_NAME = re.compile(r"^(?P<provider>[a-z_]+):(?P<model>.+?)(?:@(?P<base_url>https?://\S+))?$")
OFFICIAL = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""Where each provider is asked unless a judge names another server."""

PROVIDERS = tuple(OFFICIAL)


class JudgeSpec(BaseModel):
    """A model and its parameters: everything about the judge that can change an answer.

    A parameter that is None is not set by the user: the step's own default is sent, or
    nothing. In an outcome the spec says what was really sent: `method` is never "auto" there
    and `dropped` names the parameters that the model rejected.
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
    # Tells apart two model objects that share a class and a name; empty for a named provider.
    identity: str = ""

    @property
    def label(self) -> str:
        """How a person writes this judge: `openai:gpt-4o` or `openai:qwen@http://host/v1`."""
        place = f"@{self.base_url}" if self.base_url else ""
        return f"{self.provider}:{self.model}{place}"

    @property
    def endpoint(self) -> str:
        """The same for two specs that talk to one model on one server; limits hang on it."""
        tag = f"#{self.identity}" if self.identity else ""
        return f"{self.label}{tag}"


def parse_judge(name: str, **parameters: Any) -> JudgeSpec:
    """Read `provider:model[@base_url]`; `parameters` are fields of `JudgeSpec`.

    The provider's official address is no address: the same model has one name.
    Raises UsageError for an unknown provider, a URL with credentials, or a bad parameter.
    """
    found = _NAME.match(name.strip())
    if not found or found["provider"] not in PROVIDERS:
        allowed = " or ".join(f"{provider}:MODEL" for provider in PROVIDERS)
        raise UsageError(
            f"judge {name!r} is not {allowed}; for a local server write "
            "openai:MODEL@http://host:port/v1"
        )
    base_url = found["base_url"]
    if base_url and "@" in base_url:
        raise UsageError("a judge's URL holds no user name or password: keys are variables")
    server = base_url.rstrip("/") if base_url else None
    if server and server.lower() == OFFICIAL[found["provider"]]:
        server = None
    given = {key: value for key, value in parameters.items() if value is not None}
    try:
        return JudgeSpec(
            provider=found["provider"],
            model=found["model"],
            base_url=server,
            **given,
        )
    except ValueError as fault:
        raise UsageError(f"judge {name!r}: {_first_line(fault)}") from fault


def _first_line(fault: ValueError) -> str:
    errors: Iterable[Any] = getattr(fault, "errors", lambda: [])()
    lines = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in errors]
    return "; ".join(lines) or str(fault)
