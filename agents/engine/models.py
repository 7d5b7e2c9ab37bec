"""The providers of models: the address, the key and the wire (API protocol) of each.

Only this module knows providers and their environment variables. A provider is one entry in
`PROVIDERS`; a new wire also needs a module like `wires/openai_wire.py`.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Wire = Literal["openai", "anthropic", "converse"]
Method = Literal["auto", "json_schema", "tool", "json_mode", "text"]
SERVER_KEY = "DXJUDGE_SERVER_KEY"
"""The variable of the key for a server that a judge names by URL; it never gets a vendor's key."""
_ALL: tuple[Method, ...] = ("json_schema", "tool", "json_mode", "text")


@dataclass(frozen=True)
class BatchLimits:
    """How many requests, and how many bytes of them, one batch of a provider may have."""

    requests: int
    size: int


@dataclass(frozen=True)
class Provider:
    """One provider.

    url: its address; "" when each customer has another address, which the judge's name or the
    environment must state. url_variable: the environment variable for another address, to which
    `path` is appended. key: the environment variable of its key, "" if it needs none. methods:
    its methods of structured output, best first. names: its names of our parameters. absent:
    parameters that its API does not have; they are never sent. more: what else it `supports`.
    account: the environment variables with which its own credentials work, of which each holds
    a secret. servers: a pattern of the names of its servers. extra: the extra of our package with
    the library that finds its credentials, and that library's module. batch: the limits of its
    batches, None where there are none that we can use.
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
    account: tuple[str, ...] = ()
    servers: str = ""
    extra: tuple[str, str] | None = None
    batch: BatchLimits | None = None

    @property
    def supports(self) -> tuple[str, ...]:
        """What its API supports by its documentation; a single model may support less."""
        words = {"json_schema": "schema", "tool": "tools"}
        structure = [word for method, word in words.items() if method in self.methods]
        parameters = [name for name in ("seed", "reasoning_effort") if name not in self.absent]
        return (*structure, *parameters, *self.more, *(("batch",) if self.batch else ()))


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        wire="openai",
        url="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
        url_variable="OPENAI_BASE_URL",
        names={"max_tokens": "max_completion_tokens"},
        more=("images", "logprobs"),
        batch=BatchLimits(requests=50_000, size=200_000_000),
    ),
    "anthropic": Provider(
        wire="anthropic",
        url="https://api.anthropic.com",
        key="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        methods=("json_schema", "tool", "text"),
        absent=("seed",),
        more=("images",),
        batch=BatchLimits(requests=100_000, size=256_000_000),
    ),
    "azure": Provider(  # Azure OpenAI's version 1 API; a model is the name of a deployment
        wire="openai",
        url="",
        key="AZURE_OPENAI_API_KEY",
        url_variable="AZURE_OPENAI_ENDPOINT",
        path="/openai/v1",
        names={"max_tokens": "max_completion_tokens"},
        more=("images", "logprobs"),
    ),
    "google": Provider(  # Gemini's OpenAI-compatible API
        wire="openai",
        url="https://generativelanguage.googleapis.com/v1beta/openai",
        key="GEMINI_API_KEY",
        url_variable="GEMINI_BASE_URL",
        absent=("seed",),
        more=("images",),
    ),
    "mistral": Provider(
        wire="openai",
        url="https://api.mistral.ai/v1",
        key="MISTRAL_API_KEY",
        url_variable="MISTRAL_BASE_URL",
        names={"seed": "random_seed"},
        more=("images",),
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
    "bedrock": Provider(  # Amazon Bedrock's Converse API, for the models of every vendor there
        wire="converse",
        url="",
        url_variable="AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        methods=("json_schema", "tool", "text"),
        absent=("seed",),
        more=("images",),
        account=("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        servers=r"(.+\.)?bedrock-runtime(-fips)?\.[a-z0-9-]+\.(vpce\.)?amazonaws\.com",
        extra=("bedrock", "boto3"),
    ),
    "vertex": Provider(  # Google's Vertex AI; for models of Anthropic, see `wire_of`
        wire="openai",
        url="",
        url_variable="VERTEX_BASE_URL",
        methods=("json_schema", "tool", "text"),
        absent=("seed",),
        more=("images",),
        account=("CLOUDSDK_AUTH_ACCESS_TOKEN",),
        servers=r"([a-z0-9-]+-)?aiplatform(\.[a-z]+\.rep)?\.googleapis\.com",
        extra=("vertex", "google.auth"),
    ),
}
_KEYS = frozenset(
    name for known in PROVIDERS.values() for name in (known.key, *known.account, SERVER_KEY) if name
)
_REGION = ("AWS_REGION", "AWS_DEFAULT_REGION")
_PROJECT = ("GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID")
_LOCATION = ("GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION")


def wire_of(provider: str, model: str) -> Wire:
    """Return the wire of a model: Vertex has Anthropic's models on Anthropic's wire."""
    is_claude = provider == "vertex" and model.startswith("claude")
    return "anthropic" if is_claude else PROVIDERS[provider].wire


def model_on_wire(provider: str, model: str) -> str:
    """Return the name of a model in a request; Vertex wants its publisher before it."""
    return f"google/{model}" if provider == "vertex" and "/" not in model else model


def key_variable(provider: str, base_url: str | None) -> str:
    """Return the environment variable of the key for this provider at this address."""
    if not has_own_server(provider, base_url):
        return SERVER_KEY
    return PROVIDERS[provider].key or SERVER_KEY


def has_own_server(provider: str, base_url: str | None) -> bool:
    """Whether an address is the provider's own, or that of the environment.

    Only such a server gets the provider's key or credentials.
    """
    if not base_url or base_url == url_of_environment(provider):
        return True
    address, servers = urlsplit(base_url), PROVIDERS[provider].servers
    if not servers or address.scheme != "https":
        return False
    return re.fullmatch(servers, address.hostname or "") is not None


def variable(names: Sequence[str]) -> str:
    """Return the first of these environment variables that is set, "" if none is."""
    return next((value for name in names if (value := os.environ.get(name))), "")


def account_of_environment(provider: str) -> str:
    """Return the token that the environment holds for a provider's account, "" if none."""
    return variable(PROVIDERS[provider].account[:1])


def region_of(base_url: str) -> str:
    """Return the region for which a request to Bedrock is signed, "" if nothing names it."""
    named = re.search(r"[./]bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.", base_url)
    return named[1] if named else variable(_REGION)


def key_of_environment(provider: str, base_url: str | None) -> str:
    """Return the key for this provider at this address, "" if it is not set."""
    return os.environ.get(key_variable(provider, base_url), "")


def keys_of_environment() -> list[str]:
    """Return the keys of all providers that are set in the environment."""
    return [os.environ[name] for name in _KEYS if name in os.environ]


def url_of_environment(provider: str) -> str:
    """Return the address that the environment names for a provider, "" if it names none.

    That of Bedrock follows from the region, that of Vertex from the project and the location.
    """
    known = PROVIDERS[provider]
    url = os.environ.get(known.url_variable, "").rstrip("/")
    if not url and provider == "bedrock" and (region := variable(_REGION)):
        return f"https://bedrock-runtime.{region}.amazonaws.com"
    project, location = variable(_PROJECT), variable(_LOCATION)
    if not url and provider == "vertex" and project and location:
        return f"https://{_vertex_host(location)}/v1/projects/{project}/locations/{location}"
    return url if not url or url.endswith(known.path) else url + known.path


def _vertex_host(location: str) -> str:
    place = "" if location == "global" else f"{location}-"
    is_continent = location in ("us", "eu")
    return (
        f"aiplatform.{location}.rep.googleapis.com"
        if is_continent
        else (f"{place}aiplatform.googleapis.com")
    )


def address_variables(provider: str) -> str:
    """Return the environment variables that say where a provider without an address is."""
    place = {"bedrock": _REGION[0], "vertex": f"{_PROJECT[0]} and {_LOCATION[0]}"}
    named = PROVIDERS[provider].url_variable
    return f"{place[provider]}, or {named}" if provider in place else named


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
