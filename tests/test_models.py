"""Judges: names, parameters, ways of structure, images, and models that the user brings."""

import base64
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from pydantic import BaseModel, SecretStr

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.prices import Price, load_prices
from dxjudge.agents.engine.run import Run
from dxjudge.agents.images import MAX_BYTES, Image, load_images
from dxjudge.agents.judge import JudgeSpec, parse_judge
from dxjudge.agents.outcome import Failed, Outcome
from dxjudge.agents.step import Step
from dxjudge.errors import InputError, ModelFault, UsageError
from dxjudge.graphs.step import run_step_sync

from .protocol_server import Act, ProtocolServer, fail

ITEM = {"diagnosis": "heart attack", "candidates": ["Acute myocardial infarction", "Angina"]}
GOOD = {"choice": "Angina"}
# The smallest PNG there is: one transparent pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def one(judge: Any, step: Any = CHOOSE_CANDIDATE, item: Any = ITEM, **options: Any) -> Outcome:
    run = Run(**{"mode": "off", "timeout": 5, "attempts": 2, **options})
    outcome: Outcome | list[Outcome] = run_step_sync(step, item, judge=judge, run=run)
    assert not isinstance(outcome, list)
    return outcome


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("openai:gpt-4o@https://api.openai.com/v1", "openai:gpt-4o"),
        ("openai:gpt-4o@https://API.openai.com/v1/", "openai:gpt-4o"),
        ("anthropic:m@https://api.anthropic.com", "anthropic:m"),
        ("openai:m@https://api.anthropic.com", "openai:m@https://api.anthropic.com"),
    ],
)
def test_the_official_address_is_no_other_judge(name: str, label: str) -> None:
    assert parse_judge(name).label == label


@pytest.mark.parametrize(
    ("name", "provider", "model", "base_url"),
    [
        ("openai:gpt-4o", "openai", "gpt-4o", None),
        ("anthropic:claude-sonnet-4-20250514", "anthropic", "claude-sonnet-4-20250514", None),
        ("openai:qwen@http://127.0.0.1:8000/v1", "openai", "qwen", "http://127.0.0.1:8000/v1"),
        ("openai:org/qwen2.5:7b@https://h/v1/", "openai", "org/qwen2.5:7b", "https://h/v1"),
        ("openai:ft:gpt-4o:me::id", "openai", "ft:gpt-4o:me::id", None),
    ],
)
def test_a_name_says_provider_model_and_server(
    name: str, provider: str, model: str, base_url: str | None
) -> None:
    spec = parse_judge(name, temperature=None, seed=3)
    assert (spec.provider, spec.model, spec.base_url, spec.seed) == (provider, model, base_url, 3)
    assert parse_judge(spec.label) == parse_judge(name)


@pytest.mark.parametrize("name", ["gpt-4o", "mistrel:large", "openai:", "", "openai", ":x"])
def test_another_name_says_what_is_allowed(name: str) -> None:
    with pytest.raises(UsageError, match="openai:MODEL, anthropic:MODEL or PROVIDER:MODEL"):
        parse_judge(name)


def test_a_bad_parameter_is_named() -> None:
    with pytest.raises(UsageError, match="temperature"):
        parse_judge("openai:gpt-4o", temperature=-1)
    with pytest.raises(UsageError, match="reasoning_effort"):
        parse_judge("openai:gpt-4o", reasoning_effort="huge")
    with pytest.raises(UsageError, match="tempreature"):
        parse_judge("openai:gpt-4o", tempreature=1)


def test_a_url_with_a_password_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        parse_judge("openai:m@http://me:hunter22@host/v1")
    assert "hunter22" not in str(error.value)


def test_parameters_are_sent_as_the_wire_names_them() -> None:
    parameters = {"temperature": 0.3, "max_tokens": 77, "seed": 5, "reasoning_effort": "low"}
    with ProtocolServer([GOOD]) as server:
        one(parse_judge(server.judge(), **parameters))
        one(parse_judge(f"anthropic:m@{server.root}", temperature=0.3, max_tokens=77))
    openai, anthropic = (seen.body for seen in server.seen)
    assert {name: openai[name] for name in parameters} == parameters
    assert (anthropic["temperature"], anthropic["max_tokens"]) == (0.3, 77)


def test_a_steps_own_temperature_is_sent_where_the_judge_has_none() -> None:
    from dataclasses import replace

    step = replace(CHOOSE_CANDIDATE, temperature=0.1, max_tokens=64)
    with ProtocolServer([GOOD]) as server:
        outcome = one(server.judge(), step)
        one(parse_judge(server.judge(), temperature=0.9), step)
    assert (server.seen[0].body["temperature"], server.seen[0].body["max_tokens"]) == (0.1, 64)
    assert server.seen[1].body["temperature"] == 0.9
    assert outcome.judge is not None and outcome.judge.temperature == 0.1


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_rejected_parameter_is_dropped_once_with_a_warning(wire: str) -> None:
    with ProtocolServer([GOOD], rejects=("temperature",)) as server:
        judge = server.judge() if wire == "openai" else f"anthropic:m@{server.root}"
        with pytest.warns(UserWarning, match="does not take temperature"):
            first = one(judge)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            second = one(judge)
    assert [("temperature" in seen.body) for seen in server.seen] == [True, False, False]
    for outcome in (first, second):
        assert outcome.status == "done" and outcome.judge is not None
        assert outcome.judge.dropped == ("temperature",)
        assert outcome.judge.temperature is None


def test_several_rejected_parameters_are_dropped_one_after_the_other() -> None:
    with ProtocolServer([GOOD], rejects=("temperature", "seed")) as server:
        with pytest.warns(UserWarning):
            outcome = one(parse_judge(server.judge(), seed=1))
    assert outcome.judge is not None and outcome.judge.dropped == ("temperature", "seed")


@pytest.mark.parametrize(
    ("forms", "asked"),
    [
        (("json_schema",), ["json_schema"]),
        (("tool", "text"), ["json_schema", "tool"]),
        (("json_mode", "text"), ["json_schema", "tool", "json_mode"]),
        (("text",), ["json_schema", "tool", "json_mode", "text"]),
    ],
)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_the_best_way_of_structure_is_found_and_remembered(
    forms: tuple[str, ...], asked: list[str], status: int
) -> None:
    with ProtocolServer([GOOD], forms=forms, form_status=status) as server:
        first, second = one(server.judge()), one(server.judge())
    assert [seen.form for seen in server.seen] == [*asked, asked[-1]]
    assert first.status == second.status == "done"
    assert first.judge is not None and first.judge.method == asked[-1]


def test_the_schema_is_said_in_words_where_the_server_does_not_enforce_it() -> None:
    with ProtocolServer([GOOD], forms=("text",)) as server:
        one(server.judge())
    assert '"choice"' in server.seen[-1].texts[0]
    assert server.seen[0].schema is not None
    assert server.seen[0].schema["required"] == ["choice"]


def test_a_server_that_ignores_the_form_is_told_in_words() -> None:
    """A tool call that is not enforced comes back as prose, with nothing to say so."""
    with ProtocolServer(["I choose Angina.", GOOD, GOOD]) as server:
        first, second = one(server.judge()), one(server.judge())
    assert [seen.form for seen in server.seen] == ["json_schema", "text", "text"]
    assert (first.status, first.repairs, second.repairs) == ("done", 1, 0)


def test_a_proven_way_is_not_left_for_one_answer_in_prose() -> None:
    with ProtocolServer([GOOD, "I choose Angina.", GOOD]) as server:
        one(server.judge())
        one(server.judge())
    assert [seen.form for seen in server.seen] == ["json_schema"] * 3


def test_json_in_text_is_read_where_a_tool_call_was_asked_for() -> None:
    with ProtocolServer(['```json\n{"choice": "Angina"}\n```']) as server:
        outcome = one(parse_judge(server.judge(), method="tool"))
    assert outcome.status == "done" and outcome.repairs == 0


@pytest.mark.parametrize("method", ["json_schema", "tool", "json_mode", "text"])
def test_the_way_of_structure_can_be_given(method: str) -> None:
    with ProtocolServer([GOOD]) as server:
        outcome = one(parse_judge(server.judge(), method=method))
    assert [seen.form for seen in server.seen] == [method]
    assert outcome.judge is not None and outcome.judge.method == method


def test_a_given_way_that_the_server_does_not_know_is_an_error() -> None:
    with ProtocolServer([GOOD], forms=("text",)) as server:
        with pytest.raises(ModelFault, match="method tool"):
            one(parse_judge(server.judge(), method="tool"))


def test_any_chat_model_is_a_judge() -> None:
    model = FakeListChatModel(responses=["prose", '{"choice": "Angina"}'])
    outcome = one(model)
    assert outcome.status == "done" and outcome.repairs == 1
    assert outcome.judge is not None and outcome.judge.provider == "object"


def test_two_model_objects_with_other_settings_are_other_judges(tmp_path: Path) -> None:
    one_says = FakeListChatModel(responses=['{"choice": "Angina"}'])
    other_says = FakeListChatModel(responses=['{"choice": null}'])
    cache = {"mode": "read-write", "cache": tmp_path / "r.sqlite"}
    assert one(one_says, **cache).status == "done"
    assert one(other_says, **cache).status == "abstained"


def test_a_model_object_without_an_identity_is_never_cached(tmp_path: Path) -> None:
    class Opaque(FakeListChatModel):
        settings: Any = None

    cache = {"mode": "read-write", "cache": tmp_path / "r.sqlite"}
    yes = Opaque(responses=['{"choice": "Angina"}'] * 2, settings=object())
    assert not one(yes, **cache).cached
    assert not one(yes, **cache).cached


def test_a_users_chat_openai_keeps_its_settings_and_leaves_retries_to_us() -> None:
    from langchain_openai import ChatOpenAI

    with ProtocolServer([fail(500)]) as server:
        model = ChatOpenAI(
            model="mine", base_url=server.url, api_key=SecretStr("k-123456789"), temperature=0.7
        )
        outcome = one(model)
        assert isinstance(outcome, Failed)
        assert len(server.seen) == 2  # attempts=2, and not each of them three times
        assert server.seen[0].body["temperature"] == 0.7
        server.script = [GOOD]
        for _ in range(2):
            assert one(model).status == "done"
    assert model.max_retries != 0 or model.root_async_client.max_retries != 0  # theirs is as it was
    assert "k-123456789" not in json.dumps(as_judge(model).spec.model_dump())


def test_a_users_chat_anthropic_leaves_retries_to_us() -> None:
    from langchain_anthropic import ChatAnthropic

    with ProtocolServer([fail(500)]) as server:
        model = ChatAnthropic(
            model_name="mine",
            base_url=server.root,
            api_key=SecretStr("k-123456789"),
            timeout=None,
            stop=None,
        )
        assert isinstance(one(model), Failed)
    assert len(server.seen) == 2


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_a_broken_body_is_asked_for_again_also_by_a_model_object(vendor: str) -> None:
    from langchain_anthropic import ChatAnthropic
    from langchain_openai import ChatOpenAI

    bodies = [b'{"choices": [{"message": {"content": "\xff"}}]}', b"null", b'{"id": "x"}']
    key = SecretStr("k-123456789")
    model: Any
    with ProtocolServer([*(Act(body=body) for body in bodies), GOOD]) as server:
        if vendor == "openai":
            model = ChatOpenAI(model="mine", base_url=server.url, api_key=key)
        else:
            model = ChatAnthropic(
                model_name="mine", base_url=server.root, api_key=key, timeout=None, stop=None
            )
        outcome = one(model, attempts=6)
    assert outcome.status == "done", outcome
    assert len(server.seen) == 4


def test_something_else_is_no_judge() -> None:
    with pytest.raises(UsageError, match="not int"):
        as_judge(3)  # type: ignore[arg-type]


class Picture(BaseModel):
    question: str
    images: tuple[Image, ...] = ()


class Seen(BaseModel):
    choice: str | None


LOOK: Step[Picture, Seen] = Step(
    name="look",
    version=1,
    prompt="choose_candidate",
    input=Picture,
    output=Seen,
    images=True,
    render=lambda inputs: {"diagnosis": inputs.question, "candidates": ["a"]},
)


@pytest.mark.parametrize("kind", ["path", "bytes", "url"])
def test_images_are_sent_as_content_blocks(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    url = "https://example.org/a.png"
    image: Any = {"path": tmp_path / "a.png", "bytes": PNG, "url": url}[kind]
    with ProtocolServer([GOOD]) as server:
        for judge in (server.judge(), f"anthropic:m@{server.root}"):
            outcome = one(judge, LOOK, {"question": "what is it?", "images": [image]})
            assert outcome.status == "done", outcome
    openai, anthropic = (
        next(m for m in seen.body["messages"] if m["role"] == "user")["content"][1]
        for seen in server.seen
    )
    data = base64.b64encode(PNG).decode()
    expected = url if kind == "url" else f"data:image/png;base64,{data}"
    assert openai == {"type": "image_url", "image_url": {"url": expected}}
    source = anthropic["source"]
    assert (source["url"] if kind == "url" else source["data"]) == (url if kind == "url" else data)


def test_another_image_is_another_call(tmp_path: Path) -> None:
    with ProtocolServer([GOOD]) as server:
        options = {"mode": "read-write", "cache": tmp_path / "r.sqlite"}
        for image in (PNG, PNG + b"\x00", PNG):
            one(server.judge(), LOOK, {"question": "q", "images": [image]}, **options)
    assert len(server.seen) == 2


def test_a_text_only_model_is_an_error_that_names_the_step() -> None:
    with ProtocolServer([fail(400, "image input is not supported by this model")]) as server:
        with pytest.raises(ModelFault, match="step look sends images"):
            one(server.judge(), LOOK, {"question": "q", "images": [PNG]})


def test_a_model_known_to_take_text_only_is_not_even_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with pytest.raises(ModelFault, match="step look sends images, and openai:o3-mini"):
        one("openai:o3-mini", LOOK, {"question": "q", "images": [PNG]})


def test_a_step_that_takes_no_images_says_so() -> None:
    from dataclasses import replace

    with pytest.raises(UsageError, match="takes no images"):
        from dxjudge.agents.engine.call import prepare

        blind = replace(LOOK, images=False)
        item = Picture(question="q", images=(Image.model_validate(PNG),))
        prepare(blind, item, as_judge("openai:gpt-4o"))


@pytest.mark.parametrize(
    ("image", "told"),
    [
        (b"GIF but not really", "image 1 .* is not PNG"),
        (b"", "is not PNG"),
        (PNG[:8] + b"\x00" * MAX_BYTES, "bytes; at most"),
        ("/no/such/file.png", "cannot be read"),
    ],
)
def test_a_bad_image_is_named(image: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load_images((Image.model_validate(image),))


def test_an_image_has_one_source() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        Image()
    with pytest.raises(ValueError, match="http"):
        Image(url="file:///etc/passwd")
    with pytest.raises(InputError, match="21 images"):
        load_images((Image(url="https://a/b"),) * 21)


def test_prices_are_dated_and_a_snapshot_costs_what_its_model_does() -> None:
    prices = load_prices()
    assert prices.date == "2026-11-21"
    gpt = Price(input=2.5, output=10.0, cached=1.25)
    assert prices.of(parse_judge("openai:gpt-4o")) == gpt
    assert prices.of(parse_judge("openai:gpt-4o-2024-08-06")) == gpt
    assert prices.of(parse_judge("openai:gpt-4o-2024-05-13")) == Price(input=5, output=15)
    sonnet = prices.of(parse_judge("anthropic:claude-sonnet-4-20250514"))
    assert sonnet == Price(input=3, output=15, cached=0.3)


def test_an_unknown_model_or_server_has_no_price() -> None:
    prices = load_prices()
    for name in ("openai:gpt-99", "openai:gpt-4o@http://127.0.0.1/v1", "openai:gpt-4o-new"):
        assert prices.of(parse_judge(name)) is None
    assert prices.of(JudgeSpec(provider="openai", model="gpt-4o", identity="x")) is None


def test_a_call_costs_its_tokens() -> None:
    price = Price(input=2.0, output=10.0, cached=0.5, up_to=2000)
    # (1000 - 400) x 2 + 400 x 0.5 + 100 x 10 = 1200 + 200 + 1000 = 2400 per million
    assert price.cost(1000, 100, cached=400) == pytest.approx(0.0024)
    assert price.cost(2001, 0) is None


@pytest.mark.parametrize("text", ["", "models: {}", "a: [", "date: 1\nsource: x\nmodels:\n  o: 3"])
def test_a_damaged_price_list_names_the_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(InputError, match=r"p\.yaml"):
        load_prices(tmp_path / "p.yaml")
