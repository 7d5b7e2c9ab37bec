"""The providers of models: where each is asked, with which key, on which wire.

The only module that knows vendors, their environment variables and their SDKs. A provider is
one entry in `PROVIDERS`; one that speaks a wire of its own has a module like `openai_wire.py`.
"""

import asyncio
import os
import ssl
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from ...errors import UsageError

Wire = Literal["openai", "anthropic"]
Method = Literal["auto", "json_schema", "tool", "json_mode", "text"]
SERVER_KEY = "DXJUDGE_SERVER_KEY"
"""The key for a server named by URL. The vendor's own key is never sent to another server."""
_NO_KEY = "not-needed"
_ALL: tuple[Method, ...] = ("json_schema", "tool", "json_mode", "text")


@dataclass(frozen=True)
class Provider:
    """One provider.

    url: where it is asked, "" where a judge or `url_variable` must say. key: the environment
    variable of its key, "" where none is needed. methods: its ways of structure, best first.
    names: what it calls our parameters. absent: parameters that its API does not have; they are
    never sent. supports: what else it can do, for people.
    """

    wire: Wire
    url: str
    key: str = ""
    url_variable: str = ""
    methods: tuple[Method, ...] = _ALL
    names: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    supports: tuple[str, ...] = ()


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        wire="openai",
        url="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
        url_variable="OPENAI_BASE_URL",
        names={"max_tokens": "max_completion_tokens"},
        supports=("images", "logprobs", "batch"),
    ),
    "anthropic": Provider(
        wire="anthropic",
        url="https://api.anthropic.com",
        key="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        methods=("json_schema", "tool", "text"),
        absent=("seed",),
        supports=("images", "batch"),
    ),
}


def key_variable(provider: str, base_url: str | None) -> str:
    """The environment variable that holds the key for this provider at this address."""
    known = PROVIDERS[provider]
    from_environment = os.environ.get(known.url_variable, "").rstrip("/")
    if base_url and base_url != from_environment:
        return SERVER_KEY
    return known.key or SERVER_KEY


def key_variables() -> tuple[str, ...]:
    """Every environment variable that may hold a key."""
    return (*(known.key for known in PROVIDERS.values() if known.key), SERVER_KEY)


def name_on_wire(provider: str, base_url: str | None, parameter: str) -> str:
    """What a parameter is called: as the provider does on its own server, else as everybody."""
    return PROVIDERS[provider].names.get(parameter, parameter) if not base_url else parameter


# One client per event loop: an SDK's connections belong to the loop they were opened in.
_CLIENTS: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]]" = (
    weakref.WeakKeyDictionary()
)


def open_client(provider: str, base_url: str | None, timeout: float) -> Any:
    """The SDK's client for the running loop, its own retries off; one for all models there."""
    clients = _CLIENTS.setdefault(asyncio.get_running_loop(), {})
    place = (provider, base_url, timeout)
    if place not in clients:
        clients[place] = _build(provider, base_url, timeout)
    return clients[place]


def _build(provider: str, base_url: str | None, timeout: float) -> Any:
    known = PROVIDERS[provider]
    url = base_url or known.url
    shared: dict[str, Any] = {
        "api_key": os.environ.get(key_variable(provider, base_url)) or _NO_KEY,
        "base_url": url,
        "timeout": timeout,
        "max_retries": 0,
    }
    if known.wire == "openai":
        import openai

        http: Any = openai.DefaultAsyncHttpxClient(timeout=timeout, verify=certificates())
        return openai.AsyncOpenAI(http_client=http, **shared)
    if known.wire == "anthropic":
        import anthropic

        http = anthropic.DefaultAsyncHttpxClient(
            base_url=url, timeout=timeout, verify=certificates()
        )
        return anthropic.AsyncAnthropic(http_client=http, **shared)
    raise UsageError(f"no provider {provider!r}")


@cache
def certificates() -> ssl.SSLContext:
    """The usual certificates, read once: each client would take 50 ms to read them again."""
    import httpx2

    return httpx2.create_ssl_context()
