"""The SDK clients of the running event loop; all models of one server share a client."""

import asyncio
import weakref
from typing import Any
from urllib.request import getproxies

from ..engine.models import PROVIDERS, key_of_environment
from .transport import Pools, certificates

_NO_KEY = "not-needed"
# One client for each event loop, because connections belong to the loop that opened them.
_CLIENTS: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]]" = (
    weakref.WeakKeyDictionary()
)


def open_client(provider: str, base_url: str | None, timeout: float) -> Any:
    """Return the SDK's client of a server for the running loop, without its own retries."""
    clients = _CLIENTS.setdefault(asyncio.get_running_loop(), {})
    place = (provider, base_url, timeout)
    if place not in clients:
        clients[place] = _build(provider, base_url, timeout)
    return clients[place]


def _build(provider: str, base_url: str | None, timeout: float) -> Any:
    known = PROVIDERS[provider]
    url = base_url or known.url
    shared: dict[str, Any] = {
        "api_key": key_of_environment(provider, base_url) or _NO_KEY,
        "base_url": url,
        "timeout": timeout,
        "max_retries": 0,
    }
    http: dict[str, Any] = {"timeout": timeout, "verify": certificates()}
    if not getproxies():  # only httpx2's own transport uses a proxy that the environment names
        http = {"timeout": timeout, "transport": Pools()}
    if known.wire == "openai":
        import openai

        return openai.AsyncOpenAI(http_client=openai.DefaultAsyncHttpxClient(**http), **shared)
    import anthropic

    client = anthropic.DefaultAsyncHttpxClient(base_url=url, **http)
    return anthropic.AsyncAnthropic(http_client=client, **shared)
