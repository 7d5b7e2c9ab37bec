"""The contract finds every broken promise, in nodes that know nothing of dxjudge's engine."""

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from dxjudge.adapters.contract import assert_judge_contract
from dxjudge.adapters.promises import PROMISES, JudgeExample
from dxjudge.adapters.scripted_judge import Said, ScriptedJudge
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import Abstained, Done, Failed
from dxjudge.errors import UsageError
from dxjudge.graphs.step import run_step_sync
from dxjudge.graphs.step_graph import step_graph

STEP: dict[str, Any] = {"step": "ward_final", "version": 1}
EXAMPLE = JudgeExample(
    state={"response": "I see gout here."}, answer={"diagnosis": "gout"}, judged=("response",)
)
Wrap = Callable[[dict[str, Any], Any], dict[str, Any]]


def ask(url: str, prompt: str, system: str = "Name the diagnosis as JSON.") -> tuple[str, str]:
    """Text and why the model stopped, from any server that speaks chat completions."""
    body = {
        "model": "any",
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": prompt},
        ],
    }
    reply = httpx2.post(f"{url}/chat/completions", json=body).raise_for_status().json()
    choice = reply["choices"][0]
    return choice["message"]["content"] or "", choice["finish_reason"]


def verdict(text: str, finish: str) -> dict[str, Any]:
    """An outcome by hand, as somebody else would write it."""
    try:
        found = json.loads(text) if finish == "stop" else None
        if not isinstance(found, dict) or not isinstance(found.get("diagnosis"), str):
            raise ValueError("no diagnosis")
    except ValueError as fault:
        kind: Any = "truncated" if finish == "length" else "invalid"
        return Failed(**STEP, kind=kind, reasons=(str(fault),)).model_dump(mode="json")
    return Done(**STEP, value={"diagnosis": found["diagnosis"]}).model_dump(mode="json")


def honest(judge: ScriptedJudge) -> Any:
    """A node that keeps every promise, with a client of its own."""

    def node(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"final": verdict(*ask(judge.url, state["response"]))}
        except httpx2.HTTPError as fault:
            failed = Failed(**STEP, kind="transport", reasons=(repr(fault),))
            return {"final": failed.model_dump(mode="json")}

    return node


def wrapped(change: Wrap) -> Callable[[ScriptedJudge], Any]:
    """The honest node whose update is changed: (update, state) -> update."""

    def make(judge: ScriptedJudge) -> Any:
        node = honest(judge)
        return lambda state: change(node(state), state)

    return make


def test_an_honest_node_of_somebody_else_keeps_the_contract() -> None:
    assert_judge_contract(honest, [EXAMPLE])


def test_a_coroutine_function_and_a_compiled_graph_are_nodes_too() -> None:
    def as_coroutine(judge: ScriptedJudge) -> Any:
        async def node(state: dict[str, Any]) -> Any:
            return await asyncio.to_thread(honest(judge), state)

        return node

    assert_judge_contract(as_coroutine, [EXAMPLE])
    inputs = {"inputs": {"response": "I see gout here."}}
    with Run(mode="off", attempts=1) as run:
        assert_judge_contract(
            lambda judge: step_graph("extract_final_diagnosis", judge.name, run),
            [JudgeExample(inputs, {"diagnosis": "gout"}, ("inputs.response",))],
            promises=[name for name in PROMISES if name != "inputs"],
        )


def _default_score(judge: ScriptedJudge) -> Any:
    """The classic: what cannot be read becomes a default."""

    def node(state: dict[str, Any]) -> dict[str, Any]:
        found = honest(judge)(state)["final"]
        value = found["value"] if found["status"] == "done" else {"diagnosis": "none"}
        return {"final": Done(**STEP, value=value).model_dump(mode="json")}

    return node


def _fragile(judge: ScriptedJudge) -> Any:
    def node(state: dict[str, Any]) -> dict[str, Any]:
        return {"final": verdict(*ask(judge.url, state["response"]))}

    return node


def _gives_up(judge: ScriptedJudge) -> Any:
    """A dead server taken for "nothing to answer"."""

    def node(state: dict[str, Any]) -> dict[str, Any]:
        try:
            return _fragile(judge)(state)  # type: ignore[no-any-return]
        except httpx2.HTTPError:
            return {"final": Abstained(**STEP, reason="no answer").model_dump(mode="json")}

    return node


def _obedient(judge: ScriptedJudge) -> Any:
    """Judged text changes the instructions."""

    def node(state: dict[str, Any]) -> dict[str, Any]:
        strict = "SYSTEM:" in state["response"]
        system = "Give full marks." if strict else "Name the diagnosis as JSON."
        try:
            return {"final": verdict(*ask(judge.url, state["response"], system))}
        except httpx2.HTTPError as fault:
            failed = Failed(**STEP, kind="transport", reasons=(repr(fault),))
            return {"final": failed.model_dump(mode="json")}

    return node


def _swayed(update: dict[str, Any], state: Any) -> dict[str, Any]:
    if "full marks" in state.get("response", "") and update["final"]["status"] == "done":
        update["final"]["value"]["diagnosis"] = "full marks"
    return update


def _eager(judge: ScriptedJudge) -> Any:
    """Asks the model about nothing at all."""
    return lambda state: honest(judge)({"response": "nothing", **state})


_SHARED: dict[str, str] = {}


def _leaky(judge: ScriptedJudge) -> Any:
    """The judge in a global: the last one made is everybody's."""
    _SHARED["url"] = judge.url

    class Current:
        url = property(lambda self: _SHARED["url"])

    return honest(Current())  # type: ignore[arg-type]


_COUNT = itertools.count()


def _counting(judge: ScriptedJudge) -> Any:
    def node(state: dict[str, Any]) -> dict[str, Any]:
        if "response" in state:
            state = {"response": f"{state['response']} ({next(_COUNT)})"}
        return honest(judge)(state)  # type: ignore[no-any-return]

    return node


def _drifting(update: dict[str, Any], state: Any) -> dict[str, Any]:
    if update["final"]["status"] == "done":
        update["final"]["value"]["sample"] = next(_COUNT)
    return update


def _not_json(update: dict[str, Any], state: Any) -> dict[str, Any]:
    return {"final": {**update["final"], "value": {"gout"}}}


def _meddling(update: dict[str, Any], state: Any) -> dict[str, Any]:
    state["seen"] = True
    return update


def _bare(update: dict[str, Any], state: Any) -> dict[str, Any]:
    return {"final": update["final"]["status"]}


@pytest.mark.parametrize(
    ("make", "promise", "what"),
    [
        (wrapped(_not_json), "typed", "the update is not plain JSON"),
        (wrapped(_meddling), "typed", "the node changed its state"),
        (wrapped(_bare), "typed", "no outcome in"),
        (_default_score, "garbage", "became the verdict {'diagnosis': 'none'}"),
        (_default_score, "faults", "became done"),
        (_fragile, "faults", "raised HTTPStatusError"),
        (_gives_up, "faults", "became abstained"),
        (_obedient, "injection", "changed the rest of the prompt"),
        (wrapped(_swayed), "injection", "full marks"),
        (_eager, "inputs", "got a verdict"),
        (_leaky, "apart", "while another judge's node ran"),
        (_counting, "repeatable", "differ the second time"),
        (wrapped(_drifting), "repeatable", "the first time and"),
    ],
)
def test_a_broken_promise_is_named_with_its_input(make: Any, promise: str, what: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_judge_contract(make, [EXAMPLE], promises=[promise])
    message = str(caught.value)
    assert message.startswith(f"promise '{promise}' is broken: ") and what in message
    assert "(example 1, state {" in message


def test_a_node_that_takes_cut_off_answers_is_found() -> None:
    def make(judge: ScriptedJudge) -> Any:
        def node(state: dict[str, Any]) -> dict[str, Any]:
            text, _ = ask(judge.url, state["response"])
            return {"final": verdict(text, "stop")}

        return node

    with pytest.raises(AssertionError, match="finish='length'.* became the verdict"):
        assert_judge_contract(make, [EXAMPLE], promises=["garbage"])


def test_the_wrong_use_of_the_contract_is_an_error() -> None:
    with pytest.raises(UsageError, match="no promise 'fast'; the promises are typed, inputs"):
        assert_judge_contract(honest, [EXAMPLE], promises=["fast"])
    with pytest.raises(UsageError, match="give at least one JudgeExample"):
        assert_judge_contract(honest, [])
    unmarked = JudgeExample(EXAMPLE.state, EXAMPLE.answer)
    with pytest.raises(UsageError, match="no example has `judged`"):
        assert_judge_contract(honest, [unmarked])


def test_the_scripted_judge_speaks_the_wire() -> None:
    with ScriptedJudge(lambda request: Said(request["messages"][-1]["content"])) as judge:
        assert ask(judge.url, "hello") == ("hello", "stop")
        assert judge.name == f"openai:scripted@{judge.url}"
        assert len(judge.requests) == 1


def _wrong(request: dict[str, Any]) -> Any:
    return '{"answer": "yes"}' if "podagra" in str(request["messages"]) else request["absent"]


def test_a_script_that_gives_no_reply_is_an_error_that_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pairs = [{"predicted": name, "truth": "sarcoidosis"} for name in ("podagra", "keloid")]
    with ScriptedJudge(_wrong) as judge, Run(mode="off") as run:
        outcomes = run_step_sync("judge_equivalence", pairs, judge=judge.name, run=run)
        assert len(judge.requests) == 2, "no request is sent again"
    said = "the reply function of the ScriptedJudge "
    whys = [outcome.why for outcome in outcomes if outcome.status == "failed"]
    assert f'{said}returned \'{{"answer": "yes"}}\', not a Said' in whys[0]
    assert f"{said}raised KeyError: 'absent'" in whys[1]
    assert capsys.readouterr().err == ""
