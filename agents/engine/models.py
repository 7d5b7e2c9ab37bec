"""The providers of models: the address, the key and the wire (API protocol) of each.

Only this module knows providers and their environment variables. A provider is one entry in
`PROVIDERS`; a new wire also needs a module like `wires/openai_wire.py`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Wire = Literal["openai", "anthropic"]
Method = Literal["auto", "json_schema", "tool", "json_mode", "text"]
SERVER_KEY = "DXJUDGE_SERVER_KEY"
"""The variable of the key for a server that a judge names by URL; it never gets a vendor's key."""
_ALL: tuple[Method, ...] = ("json_schema", "tool", "json_mode", "text")


@dataclass(frozen=True)
class Provider:
    """One provider.

    url: its address; "" when each customer has another address, which the judge's name or the
    environment must state. url_variable: the environment variable for another address, to which
    `path` is appended. key: the environment variable of its key, "" if it needs none. methods:
    its methods of structured output, best first. names: its names of our parameters. absent:
    parameters that its API does not have; they are never sent. more: what else it `supports`.
    """

    wire: Wire
    url: str
    key: str = ""
    url_variable: str = ""
    path: str = ""
    methods: tuple[Method, ...] = _ALL
    names: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    @property
    def supports(self) -> tuple[str, ...]:
        """What its API supports by its documentation; a single model may support less."""
        words = {"json_schema": "schema", "tool": "tools"}
        structure = [word for method, word in words.items() if method in self.methods]
        parameters = [name for name in ("seed", "reasoning_effort") if name not in self.absent]
        return (*structure, *parameters, *self.more)


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        wire="openai",
        url="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
        url_variable="OPENAI_BASE_URL",
        names={"max_tokens": "max_completion_tokens"},
        more=("images", "logprobs", "batch"),
    ),
    "anthropic": Provider(
        wire="anthropic",
        url="https://api.anthropic.com",
        key="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        methods=("json_schema", "tool", "text"),
        absent=("seed",),
        more=("images", "batch"),
    ),
    "azure": Provider(  # Azure OpenAI's version 1 API; a model is the name of a deployment
        wire="openai",
        url="",
        key="AZURE_OPENAI_API_KEY",
        url_variable="AZURE_OPENAI_ENDPOINT",
        path="/openai/v1",
        names={"max_tokens": "max_completion_tokens"},
        more=("images", "logprobs", "batch"),
    ),
    "google": Provider(  # Gemini's OpenAI-compatible API
        wire="openai",
        url="https://generativelanguage.googleapis.com/v1beta/openai",
        key="GEMINI_API_KEY",
        url_variable="GEMINI_BASE_URL",
        absent=("seed",),
        more=("images", "batch"),
    ),
    "mistral": Provider(
        wire="openai",
        url="https://api.mistral.ai/v1",
        key="MISTRAL_API_KEY",
        url_variable="MISTRAL_BASE_URL",
        names={"seed": "random_seed"},
        more=("images", "batch"),
    ),
    "openrouter": Provider(
        wire="openai",
        url="https://openrouter.ai/api/v1",
        key="OPENROUTER_API_KEY",
        url_variable="OPENROUTER_BASE_URL",
        more=("images", "logprobs"),
    ),
    "ollama": Provider(
        wire="openai",
        url="http://127.0.0.1:11434/v1",
        url_variable="OLLAMA_BASE_URL",
        more=("images",),
    ),
    "vllm": Provider(
        wire="openai",
        url="http://127.0.0.1:8000/v1",
        url_variable="VLLM_BASE_URL",
        more=("images", "logprobs", "prompt_logprobs"),
    ),
}


def key_variable(provider: str, base_url: str | None) -> str:
    """Return the environment variable of the key for this provider at this address."""
    if base_url and base_url != url_of_environment(provider):
        return SERVER_KEY
    return PROVIDERS[provider].key or SERVER_KEY


def key_of_environment(provider: str, base_url: str | None) -> str:
    """Return the key for this provider at this address, "" if it is not set."""
    return os.environ.get(key_variable(provider, base_url), "")


def keys_of_environment() -> list[str]:
    """Return the keys of all providers in the environment; "" for one that is not set."""
    names = (*(known.key for known in PROVIDERS.values()), SERVER_KEY)
    return [os.environ.get(name, "") for name in names if name]


def url_of_environment(provider: str) -> str:
    """Return the address that the environment names for a provider, "" if it names none."""
    known = PROVIDERS[provider]
    url = os.environ.get(known.url_variable, "").rstrip("/")
    return url if not url or url.endswith(known.path) else url + known.path


def is_traced() -> bool:
    """Whether the environment asks LangChain to trace every call."""
    names = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2")
    return any(os.environ.get(name, "").lower() == "true" for name in names)


def name_on_wire(provider: str, base_url: str | None, parameter: str) -> str:
    """Return the name of a parameter on the wire.

    OpenAI's special names are used only for its own server: others with its wire may not know
    them.
    """
    if provider == "openai" and base_url:
        return parameter
    return PROVIDERS[provider].names.get(parameter, parameter)
