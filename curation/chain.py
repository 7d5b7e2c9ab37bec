"""Join the stages of a procedure to a graph: each writes, and is asked again after objections.

    first ──> second ──> ... ──> END
     ^│         ^│
     └┘         └┘ objections

A stage returns an update of the state. With `objections` in the update, the same stage runs again
and sees them in the state; after the last try, the item is rejected with the objections.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from .asking import Asking, Ended, StageAsking
from .item import Ending

Stage = Callable[[Any, StageAsking], Awaitable[dict[str, Any]]]
"""A function of the state that asks steps and returns an update of the state."""


def chain(
    name: str,
    asking: Asking,
    stages: Mapping[str, Stage],
    *,
    state: Any,
    inputs: Any,
    tries: int,
) -> CompiledStateGraph[Any, None, Any, Any]:
    """Compile the graph of these stages in their order.

    state: a typed dict with `objections`, `tries`, `ending` and `trail`, and the keys that the
    stages write. inputs: the typed dict of the keys that an item begins with. tries: how often
    each stage is run at most.
    """
    names = tuple(stages)
    builder = StateGraph(state, input_schema=inputs)
    for stage, following in zip(names, (*names[1:], END), strict=True):
        node = _node(asking, stage, stages[stage], tries, last=following == END)
        builder.add_node(stage, node)
        builder.add_conditional_edges(stage, _route(stage, following), [stage, following, END])
    builder.add_edge(START, names[0])
    return builder.compile(name=name)


def _node(asking: Asking, stage: str, write: Stage, most: int, *, last: bool) -> Any:
    async def node(state: Any) -> dict[str, Any]:
        ask = StageAsking(asking, stage, state.get("tries", 0))
        try:
            update = await write(state, ask)
            tries = ask.repeat + 1
            objections = update.get("objections", [])
            if objections and tries >= most:
                raise ask.reject(*objections)
            if not objections and last:
                update["ending"] = Ending(status="accepted", stage=stage).model_dump(mode="json")
            update |= {"tries": tries if objections else 0, "objections": objections}
        except Ended as end:
            update = {"ending": end.ending.model_dump(mode="json")}
        return {**update, "trail": [step.model_dump(mode="json") for step in ask.trail]}

    node.__name__ = stage
    return node


def _route(stage: str, following: str) -> Callable[[Any], str]:
    def route(state: Any) -> str:
        if state.get("ending"):
            return END
        return stage if state["objections"] else following

    return route


def objections_in(state: Any) -> tuple[str, ...]:
    """Return the objections of the last check of this stage."""
    return tuple(state.get("objections", ()))
