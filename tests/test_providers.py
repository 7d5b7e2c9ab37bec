"""Each provider on the wire it documents: address, key, names of parameters, structure."""

import json
from typing import Any

import pytest

from dxjudge.agents.engine.families import families_of
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.models import PROVIDERS
from dxjudge.agents.engine.prices import Price, Prices
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import parse_judge
from dxjudge.agents.outcome import Outcome
from dxjudge.cli.main import run as command
from dxjudge.errors import AuthenticationFault, UsageError
from dxjudge.graphs.step import run_step_sync

from .protocol_server import ProtocolServer, fail

ITEM = {"diagnosis": "heart attack", "candidates": ["Acute myocardial infarction", "Angina"]}
GOOD = {"choice": "Angina"}
# The provider's own path before /chat/completions or /v1/messages.
PATHS = {
    "openai": "/v1",
    "anthropic": "",
    "azure": "/openai/v1",
    "google": "/v1beta/openai",
    "mistral": "/v1",
    "openrouter": "/api/v1",
    "ollama": "/v1",
    "vllm": "/v1",
    "bedrock": "",
    "vertex": "/v1/projects/p/locations/us-east5",
}
# What comes after it, and after the address of a server of one's own.
ENDS = {
    "anthropic": "/v1/messages",
    "bedrock": "/model/some-model/converse",
    "vertex": "/endpoints/openapi/chat/completions",
}
TOKENS = {"bedrock": "AWS_BEARER_TOKEN_BEDROCK", "vertex": "CLOUDSDK_AUTH_ACCESS_TOKEN"}
every = pytest.mark.parametrize("provider", list(PROVIDERS))


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for known in PROVIDERS.values():
        monkeypatch.delenv(known.url_variable, raising=False)
        monkeypatch.setenv(known.key or "DXJUDGE_SERVER_KEY", f"key-of-{known.key}")
        for name in known.account:
            monkeypatch.delenv(name, raising=False)
    for name in TOKENS.values():
        monkeypatch.setenv(name, "key-of-")


def ask(judge: Any, **options: Any) -> Outcome:
    with Run(mode="off", attempts=2, **options) as run:
        outcome = run_step_sync("choose_candidate", ITEM, judge=judge, run=run)
    assert not isinstance(outcome, list)
    return outcome


@every
def test_a_provider_is_asked_at_its_path_with_its_key(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = PROVIDERS[provider]
    assert not known.url or known.url.endswith(PATHS[provider])
    with ProtocolServer([GOOD]) as server:
        told = server.root if provider == "azure" else server.root + PATHS[provider]
        monkeypatch.setenv(known.url_variable, told)
        outcome = ask(f"{provider}:some-model")
    assert outcome.status == "done" and outcome.judge is not None
    [seen] = server.seen
    assert seen.path == PATHS[provider] + ENDS.get(provider, "/chat/completions")
    assert seen.headers["authorization"] == f"Bearer key-of-{known.key}"
    names = {"bedrock": None, "vertex": "google/some-model"}
    assert seen.body.get("model") == names.get(provider, "some-model")
    assert seen.form == "json_schema"
    assert (outcome.judge.provider, outcome.judge.base_url) == (
        provider,
        server.root + PATHS[provider],
    )


@every
def test_parameters_have_the_providers_names(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = PROVIDERS[provider]
    given: dict[str, Any] = {"temperature": 0.5, "max_tokens": 50, "reasoning_effort": "low"}
    with ProtocolServer([GOOD]) as server:
        monkeypatch.setenv(known.url_variable, server.root + PATHS[provider])
        judge = parse_judge(f"{provider}:m", seed=7, **given)
        if "seed" in known.absent:
            with pytest.warns(UserWarning, match="does not take seed"):
                outcome = ask(judge)
            assert outcome.judge is not None and outcome.judge.dropped == ("seed",)
        else:
            outcome = ask(judge)
    [seen] = server.seen
    if provider == "bedrock":
        assert seen.body["inferenceConfig"] == {"temperature": 0.5, "maxTokens": 50}
        assert seen.body["outputConfig"]["effort"] == "low" and "seed" not in str(seen.body)
        return
    tokens = "max_completion_tokens" if provider == "azure" else "max_tokens"
    seeds = {"mistral": "random_seed"}
    assert (seen.body["temperature"], seen.body[tokens]) == (0.5, 50)
    assert seen.body.get(seeds.get(provider, "seed")) == (None if "seed" in known.absent else 7)
    if provider == "anthropic":
        assert seen.body["output_config"]["effort"] == "low"
    else:
        assert seen.body["reasoning_effort"] == "low"


@every
def test_the_key_of_a_provider_goes_to_no_server_named_by_address(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXJUDGE_SERVER_KEY", "key-of-the-server")
    with ProtocolServer([GOOD]) as server:
        assert ask(f"{provider}:m@{server.root}/v1").status == "done"
    assert "key-of-the-server" in server.seen[0].headers["authorization"]
    assert not PROVIDERS[provider].key or PROVIDERS[provider].key not in str(server.seen[0].headers)


@pytest.mark.parametrize("provider", [name for name, known in PROVIDERS.items() if known.key])
def test_a_key_that_is_needed_and_missing_is_named(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = PROVIDERS[provider]
    monkeypatch.delenv(known.key)
    monkeypatch.setenv(known.url_variable, "http://127.0.0.1:9/v1")
    with pytest.raises(AuthenticationFault, match=known.key):
        ask(f"{provider}:m")


def test_a_seed_that_mistral_does_not_take_is_dropped() -> None:
    script = [fail(422, "Extra inputs are not permitted: random_seed"), GOOD]
    with ProtocolServer(script) as server, pytest.warns(UserWarning, match="does not take seed"):
        outcome = ask(parse_judge(f"mistral:m@{server.url}", seed=3))
    assert outcome.status == "done"


def test_azure_without_an_address_says_where_to_put_it() -> None:
    with pytest.raises(UsageError, match="AZURE_OPENAI_ENDPOINT"):
        as_judge("azure:my-deployment")


def test_azure_may_be_priced_by_the_name_of_a_deployment() -> None:
    price = Price(input=1, output=2)
    prices = Prices("2026-11-22", "mine", {("azure", "d"): price, ("openai", "d"): price})
    assert prices.of(parse_judge("azure:d@https://r.openai.azure.com/openai/v1")) == price
    assert prices.of(parse_judge("openai:d@https://r.openai.azure.com/openai/v1")) is None


def test_the_provider_is_no_part_of_a_models_family() -> None:
    assert families_of("azure:my-gpt-4o") == families_of("openai:gpt-4o") == {"openai"}
    assert families_of("google:gemini-2.5-pro") == families_of("gemini-2.5-pro")
    assert families_of("mistral:custom") == families_of("custom") == frozenset()
    assert "anthropic" in families_of("openrouter:anthropic/claude-sonnet-4")


def test_the_command_lists_every_provider(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["providers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["providers"]
    assert [row["provider"] for row in rows] == list(PROVIDERS)
    assert rows[0]["supports"][:2] == ["schema", "tools"]
    assert command(["providers"]) == 0
    shown = capsys.readouterr().out
    assert "azure:MODEL" in shown and "AZURE_OPENAI_ENDPOINT" in shown
