"""Graphs and nodes run with invoke and with ainvoke, also inside a running event loop."""

import asyncio
import operator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from dxjudge.agents.engine.run import Run
from dxjudge.errors import ReplayMiss
from dxjudge.graphs.best_of import best_of
from dxjudge.graphs.case import case_graph
from dxjudge.graphs.jury.graph import jury_graph, jury_node
from dxjudge.graphs.robust import robust
from dxjudge.graphs.step_graph import step_graph, step_node

from .protocol_server import ProtocolServer

STEP = "judge_equivalence"
PAIR = {"predicted": "heart attack", "truth": "angina pectoris"}
YES = {"same_disease": "yes"}
FINAL = {"diagnosis": "gout"}
CASE = {"case": "A red toe.", "reference": "Gout.", "diagnosis": "gout", "response": "It is gout."}


class Theirs(TypedDict, total=False):
    """The state of somebody else's graph."""

    predicted: str
    truth: str
    judge_equivalence: Any


def with_node(node: Any) -> Any:
    builder = StateGraph(Theirs)
    builder.add_node("judge", node)
    builder.add_edge(START, "judge")
    builder.add_edge("judge", END)
    return builder.compile()


def graphs_of(judge: str, run: Run) -> dict[str, tuple[Any, dict[str, Any], str]]:
    """Name -> graph, its input, and the key of what it must write."""
    inputs = {"inputs": PAIR}
    return {
        "step_graph": (step_graph(STEP, judge, run), inputs, "outcome"),
        "step_node": (with_node(step_node(STEP, judge, run=run)), PAIR, STEP),
        "jury_graph": (jury_graph(STEP, [judge], run=run), inputs, "jury"),
        "jury_node": (with_node(jury_node(STEP, [judge], run=run)), PAIR, STEP),
        "robust": (robust(STEP, ["swap"], judge=judge, run=run), inputs, "trials"),
    }


def plain(written: Any) -> Any:
    """What was written, without the names of servers and the account."""
    if isinstance(written, dict):
        kept = {"status", "value", "verdict", "perturbation", "outcome", "verdicts", "inputs"}
        return {key: plain(value) for key, value in written.items() if key in kept}
    return sorted(map(repr, map(plain, written))) if isinstance(written, list) else written


@pytest.mark.parametrize("name", ["step_graph", "step_node", "jury_graph", "jury_node", "robust"])
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "inside a running loop"])
def test_both_ways_write_the_same(name: str, inside: bool) -> None:
    with ProtocolServer([YES]) as server, Run(mode="off") as run:
        graph, state, key = graphs_of(server.judge(), run)[name]

        async def call() -> Any:
            return graph.invoke(state)

        by_invoke = asyncio.run(call()) if inside else graph.invoke(state)
    with ProtocolServer([YES]) as server, Run(mode="off") as run:
        graph, state, key = graphs_of(server.judge(), run)[name]
        by_ainvoke = asyncio.run(graph.ainvoke(state))
    assert "'status': 'failed'" not in repr(by_invoke[key])
    assert plain(by_invoke[key]) == plain(by_ainvoke[key])


@pytest.mark.parametrize("way", ["alone", "inside a running loop", "async"])
def test_best_of_and_a_case_run_in_every_way(way: str) -> None:
    def written(graph: Any, inputs: dict[str, Any]) -> Any:
        async def call() -> Any:
            return graph.invoke({"inputs": inputs})

        if way == "async":
            return asyncio.run(graph.ainvoke({"inputs": inputs}))
        return asyncio.run(call()) if way != "alone" else graph.invoke({"inputs": inputs})

    with ProtocolServer([FINAL]) as server, Run(mode="off") as run:
        case = case_graph(server.judge(), branches=["final_diagnosis"], run=run)
        found = written(case, {**CASE, "id": "1"})
        assert found["final_diagnosis"]["value"]["diagnosis"] == "gout"
        with ProtocolServer([{"reason": "It says why.", "choice": 1}]) as picker:
            best = best_of(
                "extract_final_diagnosis", 2, model=server.judge(), judge=picker.judge(), run=run
            )
            found = written(best, {"response": "I see gout."})
    assert found["outcome"]["status"] == "done"


class Many(TypedDict, total=False):
    """The state of a fan-out."""

    items: list[Any]
    predicted: Any
    truth: Any
    found: Annotated[list[Any], operator.add]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_one_bad_item_of_fifty_is_a_failed_outcome(way: str) -> None:
    with ProtocolServer([YES]) as server, Run(mode="off") as run:
        node = step_node(STEP, server.judge(), run=run, write="outcome")

        async def judge(state: Many) -> Any:
            return {"found": [(await node(state))["outcome"]]}

        def judge_here(state: Many) -> Any:
            return {"found": [node.invoke(state)["outcome"]]}

        builder = StateGraph(Many)
        builder.add_node("judge", judge if way == "ainvoke" else judge_here)
        builder.add_conditional_edges(
            START, lambda state: [Send("judge", item) for item in state["items"]], ["judge"]
        )
        graph = builder.compile()
        items = [{"predicted": f"disease {n}", "truth": "gout" if n else ""} for n in range(50)]
        state: Any = {"items": items}
        written = graph.invoke(state) if way == "invoke" else asyncio.run(graph.ainvoke(state))
    outcomes = written["found"]
    assert [one["status"] for one in outcomes] == ["failed", *["done"] * 49]
    assert outcomes[0]["kind"] == "input"
    assert outcomes[0]["reasons"][0].startswith(f"step {STEP}: the field truth is empty")


def test_a_field_that_is_missing_or_cannot_be_read_is_a_failed_outcome() -> None:
    with ProtocolServer([YES]) as server, Run(mode="off") as run:
        node = step_node(STEP, server.judge(), run=run)
        reading = step_node(
            STEP, server.judge(), run=run, read=lambda state: {"predicted": state["none"]}
        )
        graph: Any = step_graph(STEP, server.judge(), run)
        missing = node.invoke({"predicted": "gout"})[STEP]
        unread = reading.invoke({"predicted": "gout"})[STEP]
        wrong = graph.invoke({"inputs": {"predicted": "gout"}})["outcome"]
        assert not server.seen
    assert {one["kind"] for one in (missing, unread, wrong)} == {"input"}
    assert unread["reasons"] == ["KeyError: 'none'"]


def test_what_no_item_can_survive_is_still_raised(tmp_path: Path) -> None:
    with Run(cache=tmp_path / "r", mode="replay") as run:
        node = step_node(STEP, "openai:gpt-4o", run=run)
        with pytest.raises(ReplayMiss):
            with_node(node).invoke(PAIR)
