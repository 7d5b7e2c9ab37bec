"""What every step promises, whatever it judges."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dxjudge.adapters.contract import assert_judge_contract
from dxjudge.adapters.promises import INJECTION, PROMISES, JudgeExample
from dxjudge.adapters.scripted_judge import Said
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import read_outcome
from dxjudge.agents.step import Step
from dxjudge.agents.steps import STEPS, VARIANTS, find_step
from dxjudge.errors import ReplayMiss, UsageError
from dxjudge.graphs.described import schemas
from dxjudge.graphs.step import run_step, run_step_sync
from dxjudge.graphs.step_graph import step_graph, step_node

from .protocol_server import ProtocolServer
from .scripted import ask_step

ROOT = Path(__file__).parent.parent
ALL = (*STEPS, *VARIANTS)
NAMES = [step.prompt_name for step in ALL]

# An input and a good answer of each step, from tests/data/steps/NAME.json. A step may have none.
SAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    path.stem: (data["inputs"], data["answer"])
    for path in sorted((ROOT / "tests" / "data" / "steps").glob("*.json"))
    for data in [json.loads(path.read_text("utf-8"))]
}
# Answers that look right for some step, and are none of any.
GARBAGE = [Said('{"score": 5, "verdict": "Correct", "equivalent": true}')]


@pytest.fixture(params=[name for name in NAMES if name in SAMPLES])
def step(request: Any) -> Any:
    return find_step(request.param)


def test_the_steps_are_there_once() -> None:
    assert len(set(NAMES)) == len(ALL)
    assert set(SAMPLES) <= set(NAMES)


def test_steps_prompts_and_docs_match() -> None:
    prompts = {path.stem for path in (ROOT / "prompts").glob("*.md")} - {"engine"}
    assert set(NAMES) <= prompts
    rows = (ROOT / "docs" / "steps.md").read_text(encoding="utf-8")
    # Of the tables of that page the one of the steps has five columns.
    documented = set(re.findall(r"^\| `([a-z_.]+)` \|(?:[^|\n]*\|){4}$", rows, re.MULTILINE))
    assert documented and documented <= set(NAMES)


def test_every_step_says_what_it_is(step: Step[Any, Any]) -> None:
    assert step.returns and step.scale and step.load_prompt().source
    assert step.known_result is not None
    assert step.max_repairs == 2
    assert step.input.model_config["extra"] == "forbid"
    assert step.input.model_config["frozen"]


@pytest.mark.parametrize("promise", PROMISES)
def test_every_step_keeps_the_contract_of_nodes(step: Step[Any, Any], promise: str) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    judged = tuple(name for name, value in inputs.items() if _is_free_text(step, name, value))
    if promise == "injection" and not judged:
        return
    with Run(mode="off", attempts=1) as run:
        assert_judge_contract(
            lambda judge: step_node(step, judge.name, write="outcome", run=run, engine="llm"),
            [JudgeExample(inputs, answer, judged)],
            promises=[promise],
            garbage=GARBAGE,
        )


def test_typed_in_and_out(step: Step[Any, Any]) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    outcome, seen = ask_step(step, inputs, answer)
    assert outcome.status == "done", outcome
    assert step.known_result is not None and isinstance(outcome.value, step.known_result)
    assert len(seen) == outcome.calls == 1
    again: Any = read_outcome(json.loads(outcome.model_dump_json()))
    assert step.read_value(inputs, again.value) == outcome.value


def test_the_answer_is_the_result_unless_the_step_names_another() -> None:
    plain = replace(find_step("translate_diagnosis"), result=None, finish=None)
    test_every_step_says_what_it_is(plain)
    test_typed_in_and_out(plain)
    test_schemas_are_published(plain)


def test_deterministic_under_replay_and_a_miss_is_an_error(
    step: Step[Any, Any], tmp_path: Path
) -> Any:
    inputs, answer = SAMPLES[step.prompt_name]
    cache = tmp_path / "replies.sqlite"

    async def once(judge: Any, mode: Any) -> Any:
        with Run(cache=cache, mode=mode) as run:
            return await run_step(step, inputs, judge=judge, run=run, engine="llm")

    with ProtocolServer([answer]) as server:
        judge = server.judge()
        first = asyncio.run(once(judge, "read-write"))
    replayed = [asyncio.run(once(judge, "replay")) for _ in range(2)]  # the server is gone
    assert [each.value for each in replayed] == [first.value] * 2
    assert all(each.cached and each.calls == 0 for each in replayed)
    with pytest.raises(ReplayMiss):
        asyncio.run(once("openai:another", "replay"))


def test_a_repair_shows_the_model_what_is_wrong(step: Step[Any, Any]) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    outcome, seen = ask_step(step, inputs, {"nonsense": 1}, answer)
    assert (outcome.status, outcome.repairs) == ("done", 1)
    assert "nonsense" in seen[1].texts[-1] or "Field required" in seen[1].texts[-1]


def test_inputs_that_cannot_be_used_fail_alone(step: Step[Any, Any]) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    items = [{}, {**inputs, "surprise": 1}, inputs]
    outcomes, seen = ask_step(step, items, answer)
    assert [outcome.status for outcome in outcomes] == ["failed", "failed", "done"]
    assert {outcome.kind for outcome in outcomes[:2]} == {"input"}
    assert len(seen) == 1
    with pytest.raises(UsageError, match=f"step {step.name}: there is no field surprise"):
        ask_step(step, {**inputs, "surprise": 1}, answer)


def test_injected_orders_stand_inside_the_fences(step: Step[Any, Any]) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    poisoned = {
        name: value + INJECTION if _is_free_text(step, name, value) else value
        for name, value in inputs.items()
    }
    _, seen = ask_step(step, poisoned, answer)
    for request in seen:
        texts = "\n".join(request.texts)
        nonce = re.findall(r"tags that end in ([0-9a-f]{12})", texts)[0]
        left = re.sub(rf"<(\w+)-{nonce}>\n.*?\n</\1-{nonce}>", r"<\1>", texts, flags=re.DOTALL)
        assert "Ignore the rubric" not in left


def _is_free_text(step: Step[Any, Any], name: Any, value: Any) -> Any:
    return isinstance(value, str) and step.load_prompt().placeholders.get(name) == "untrusted"


def test_schemas_are_published(step: Step[Any, Any]) -> None:
    found = schemas(step)
    assert json.loads(json.dumps(found))["step"] == step.prompt_name
    inputs, answer = SAMPLES[step.prompt_name]
    assert set(inputs) <= set(found["input"]["properties"])
    if found["answer"] is not None:
        assert set(answer) == set(found["answer"]["properties"])
    assert found["result"]["properties"]


def test_graph_node_and_plain_call_agree(step: Step[Any, Any]) -> None:
    inputs, answer = SAMPLES[step.prompt_name]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        judge = server.judge()
        graph = step_graph(step, judge, run)
        by_graph = asyncio.run(graph.ainvoke({"inputs": inputs}))["outcome"]
        node = step_node(step, judge, read=lambda state: state["item"], write="found", run=run)
        by_node = asyncio.run(node({"item": inputs}))["found"]
        by_call: Any = run_step_sync(step, inputs, judge=judge, run=run)
    assert by_graph["value"] == by_node["value"] == by_call.model_dump(mode="json")["value"]


def test_a_step_without_stand_in_asks_for_a_judge(step: Step[Any, Any]) -> None:
    inputs, _ = SAMPLES[step.prompt_name]
    if set(step.stand_ins) - {"code"}:
        return
    with pytest.raises(UsageError, match=r"needs a judge: --judge .*http://127\.0\.0\.1"):
        run_step_sync(step, inputs)


def test_an_unknown_step_suggests_a_name() -> None:
    with pytest.raises(UsageError, match="did you mean grade_ddx"):
        find_step("grade_dx")
