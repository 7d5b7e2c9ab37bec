"""The providers of models: where each is asked, with which key, on which wire.

The only module that knows providers and their environment variables. A provider is one entry in
`PROVIDERS`; one that speaks a wire of its own has a module like `openai_wire.py` as well.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Wire = Literal["openai", "anthropic"]
Method = Literal["auto", "json_schema", "tool", "json_mode", "text"]
SERVER_KEY = "DXJUDGE_SERVER_KEY"
"""The key for a server named by URL. The vendor's own key is never sent to another server."""
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
    if base_url and base_url != url_of_environment(provider):
        return SERVER_KEY
    return PROVIDERS[provider].key or SERVER_KEY


def key_of_environment(provider: str, base_url: str | None) -> str:
    """The key for this provider at this address, "" where there is none."""
    return os.environ.get(key_variable(provider, base_url), "")


def keys_of_environment() -> list[str]:
    """Every key there is, of whichever provider."""
    names = (*(known.key for known in PROVIDERS.values()), SERVER_KEY)
    return [os.environ.get(name, "") for name in names if name]


def url_of_environment(provider: str) -> str:
    """The address that the environment names for a provider, "" where it names none."""
    return os.environ.get(PROVIDERS[provider].url_variable, "").rstrip("/")


def is_traced() -> bool:
    """Whether the environment asks LangChain to trace every call."""
    names = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2")
    return any(os.environ.get(name, "").lower() == "true" for name in names)


def name_on_wire(provider: str, base_url: str | None, parameter: str) -> str:
    """What a parameter is called: as the provider does on its own server, else as everybody."""
    return PROVIDERS[provider].names.get(parameter, parameter) if not base_url else parameter
