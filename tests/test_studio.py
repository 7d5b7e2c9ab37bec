"""langgraph.json names every step's graph, and each of them runs."""

import asyncio
import importlib
import inspect
import json
from typing import Any

import pytest

from dxjudge.adapters import studio
from dxjudge.adapters.studio import case
from dxjudge.agents.steps import STEPS, VARIANTS

from .protocol_server import ProtocolServer
from .test_steps_contract import ROOT, SAMPLES

GRAPHS: dict[str, str] = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]


def factory(name: str) -> Any:
    module, variable = GRAPHS[name].split(":")
    return getattr(importlib.import_module(module), variable)


def test_every_step_has_a_graph_that_a_name_finds() -> None:
    for step in (*STEPS, *VARIANTS):
        name = step.prompt_name.replace(".", "_")
        # LangGraph's server looks into the module's own names, where no __getattr__ helps.
        assert vars(studio)[name]().name == step.name
    assert set(GRAPHS) <= set(vars(studio))


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_a_factory_takes_nothing_or_a_configuration_and_gives_a_graph(name: str) -> None:
    # LangGraph's server refuses factories with other parameters, and calls them bare to draw.
    parameters = list(inspect.signature(factory(name)).parameters)
    assert parameters == (["config"] if name == "case" else [])
    graph = factory(name)(*[{} for _ in parameters])
    assert graph.get_graph().nodes and graph.get_input_jsonschema()["properties"]["inputs"]


def test_the_judge_comes_with_the_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path))
    inputs, answer = SAMPLES["grade_ddx"]
    with ProtocolServer([answer]) as server:
        state = {"inputs": inputs, "judge": server.judge()}
        graph = factory("grade_ddx")()
        # LangGraph's server makes an empty context where a run gives none.
        found = asyncio.run(graph.ainvoke(state, context={}))
    assert found["outcome"]["value"]["score"] == 5


def test_the_judge_of_a_case_comes_with_the_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path))
    with ProtocolServer([{"diagnosis": "gout"}]) as server:
        chosen = {"judge": server.judge(), "branches": ["final_diagnosis"]}
        graph = case({"configurable": chosen})
        inputs = {
            "id": "1",
            "case": "A red toe.",
            "reference": "Gout.",
            "diagnosis": "gout",
            "response": "I see gout here, and nothing else fits as well.",
        }
        found = asyncio.run(graph.ainvoke({"inputs": inputs}))
    assert found["final_diagnosis"]["value"]["diagnosis"] == "gout"
    assert "rubric" not in found
