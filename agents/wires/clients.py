"""The SDK clients of the running event loop; all models of one server share a client."""

import asyncio
import weakref
from typing import Any
from urllib.request import getproxies

from ..engine.models import PROVIDERS, key_of_environment, wire_of
from ..judge import JudgeSpec
from .cloud import NO_KEY, cloud_client
from .transport import Pools, certificates

# One client for each event loop, because connections belong to the loop that opened them.
_CLIENTS: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]]" = (
    weakref.WeakKeyDictionary()
)


def open_client(spec: JudgeSpec, timeout: float) -> Any:
    """Return the SDK's client of a model's server for the running loop, without its own retries.

    Raises AuthenticationFault where an account in the cloud has no credentials.
    """
    clients = _CLIENTS.setdefault(asyncio.get_running_loop(), {})
    # A key that is set later in the same process is used.
    key = key_of_environment(spec.provider, spec.base_url)
    place = (spec.provider, wire_of(spec.provider, spec.model), spec.base_url, timeout, key)
    if place not in clients:
        clients[place] = _build(spec, timeout)
    return clients[place]


def _build(spec: JudgeSpec, timeout: float) -> Any:
    url = spec.base_url or PROVIDERS[spec.provider].url
    shared: dict[str, Any] = {"base_url": url, "timeout": timeout, "max_retries": 0}
    http: dict[str, Any] = {"timeout": timeout, "verify": certificates()}
    if not getproxies():  # only httpx2's own transport uses a proxy that the environment names
        http = {"timeout": timeout, "transport": Pools()}
    if spec.provider in ("bedrock", "vertex"):
        return cloud_client(spec, url, http, shared)
    shared["api_key"] = key_of_environment(spec.provider, spec.base_url) or NO_KEY
    if PROVIDERS[spec.provider].wire == "openai":
        import openai

        return openai.AsyncOpenAI(http_client=openai.DefaultAsyncHttpxClient(**http), **shared)
    import anthropic

    client = anthropic.DefaultAsyncHttpxClient(base_url=url, **http)
    return anthropic.AsyncAnthropic(http_client=client, **shared)
