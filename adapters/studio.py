"""Define the graphs that langgraph.json names, for LangGraph Studio and `langgraph dev`.

Every listed step has a factory here; its name is the step's name with "_" instead of ".". The
input of a step's graph names the judge: {"inputs": {...}, "judge": "openai:gpt-4o"}. For the
graph of a case, the configuration does: {"configurable": {"judge": ..., "branches": [...]}}.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..agents.step import Step
from ..agents.steps import STEPS, VARIANTS
from ..graphs.case import CaseGraph, case_graph
from ..graphs.case_record import BRANCHES
from ..graphs.step_graph import StepGraph, step_graph

# Studio draws the graph of a case before a judge is chosen. This judge is not asked then.
DEFAULT_JUDGE = "openai:gpt-4o"


def case(config: Mapping[str, Any]) -> CaseGraph:
    """Return the graph of a case; the branch "mapping" is left out unless it is named."""
    chosen = config.get("configurable") or {}
    branches = chosen.get("branches") or [name for name in BRANCHES if name != "mapping"]
    return case_graph(chosen.get("judge") or DEFAULT_JUDGE, branches=branches)


def _factory(step: Step[Any, Any]) -> Callable[[], StepGraph]:
    def graph() -> StepGraph:
        return step_graph(step)

    graph.__doc__ = step.returns
    return graph


# LangGraph's server finds a factory by its name in the module.
globals().update(
    {step.prompt_name.replace(".", "_"): _factory(step) for step in (*STEPS, *VARIANTS)}
)
