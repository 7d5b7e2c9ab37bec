"""The graphs that langgraph.json names, for LangGraph Studio and `langgraph dev`.

Every listed step has a factory here, by its name with "_" for ".". A step's graph takes its judge
in its input: {"inputs": {...}, "judge": "openai:gpt-4o"}. The case's graph takes it from the
configuration: {"configurable": {"judge": ..., "branches": [...]}}.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..agents.step import Step
from ..agents.steps import STEPS, VARIANTS
from ..graphs.case import CaseGraph, case_graph
from ..graphs.case_record import BRANCHES
from ..graphs.step_graph import StepGraph, step_graph

# What the graph of a case is drawn with before anybody has chosen; nothing is asked of it then.
DEFAULT_JUDGE = "openai:gpt-4o"


def case(config: Mapping[str, Any]) -> CaseGraph:
    """A whole case; without the branch "mapping" unless that is asked for and can run."""
    chosen = config.get("configurable") or {}
    branches = chosen.get("branches") or [name for name in BRANCHES if name != "mapping"]
    return case_graph(chosen.get("judge") or DEFAULT_JUDGE, branches=branches)


def _factory(step: Step[Any, Any]) -> Callable[[], StepGraph]:
    def graph() -> StepGraph:
        return step_graph(step)

    graph.__doc__ = step.returns
    return graph


# LangGraph's server looks a factory up among the module's own names.
globals().update(
    {step.prompt_name.replace(".", "_"): _factory(step) for step in (*STEPS, *VARIANTS)}
)
