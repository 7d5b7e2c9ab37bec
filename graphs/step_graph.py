"""Compile a step as a graph of one node, or as a node for your own graph."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NotRequired, TypeAlias, cast

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from pydantic import BaseModel
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.ask import ask
from ..agents.engine.conclude import failed_unasked
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.judge import JudgeSpec
from ..agents.stand_ins import check_engine
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import DxjudgeError, InputError, UsageError
from .node import Node

# Attempts that a graph's own run keeps. A server may use a graph for a long time, so there must
# be a limit.
_KEEP = 1000


class StepInput(TypedDict):
    """The input of a step's graph, as plain JSON.

    judge: a name or the fields of a JudgeSpec. It is in the state, not in the context, because
    the verdict depends on it, and a node's cache or a checkpoint sees only the state.
    """

    inputs: dict[str, Any]
    judge: NotRequired[str | dict[str, Any] | None]
    repeat: NotRequired[int]
    engine: NotRequired[str]


class StepOutput(TypedDict):
    """The output: an outcome as plain JSON (see `read_outcome`, `Step.read_value`)."""

    outcome: dict[str, Any]


class StepState(StepInput, StepOutput):
    """The state of the graph: its input and output."""


@dataclass(frozen=True)
class StepContext:
    """Values on which no verdict depends: the run (cache, limits, budget, ledger) and objects.

    run: None for the graph's own run, for example if LangGraph's server makes an empty context.
    judge: the live object of a judge that has no name; the state contains its spec.
    """

    run: Run | None = None
    judge: Judge | None = None


StepGraph: TypeAlias = CompiledStateGraph[StepState, StepContext, StepInput, StepOutput]


def step_graph(
    step: Step[Any, Any] | str, judge: AnyJudge | None = None, run: Run | None = None
) -> StepGraph:
    """Compile a graph of one node: `{"inputs": {...}}` in, `{"outcome": {...}}` out.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: used if the state names no judge.
        run: used if there is no context. Without both, all calls of the graph are one run with the
            user's cache.

    Returns:
        the compiled graph.
    """
    known_step = find_step(step)
    if judge is None and run is None:
        return _shared(known_step)
    return _compile(known_step, as_judge(judge) if judge is not None else None, run)


def step_node(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    read: Callable[[Any], BaseModel | Mapping[str, Any]] | None = None,
    write: str = "",
    run: Run | None = None,
    engine: str = "auto",
) -> Node:
    """Return a node for a StateGraph: it reads the step's input and writes an outcome.

    The node runs with `invoke` and `ainvoke`, and `await node(state)` runs it without a graph.
    For inputs that cannot be used the outcome is Failed(kind="input"), so that one bad item never
    stops the others.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        read: returns the input from the state; by default, the values of the state with the names
            of the input's fields.
        write: the state's key for the outcome (plain JSON); by default, the step's name. All calls
            of the node are one run.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        a node for a StateGraph, sync and async.
    """
    known_step = find_step(step)
    live = as_judge(judge) if judge is not None else None
    own = run or Run(keep=_KEEP)

    check_engine(known_step, engine, live is not None)

    async def node(state: Any) -> dict[str, Any]:
        try:
            inputs = known_step.read_input(read(state) if read else _pick(known_step, state))
        except Exception as fault:
            return {write or known_step.name: _failed(known_step, fault, "input")}
        try:
            outcome = await ask(known_step, inputs, judge=live, run=own, engine=engine)
        except DxjudgeError:
            raise  # no item can succeed
        except Exception as fault:
            return {write or known_step.name: _failed(known_step, fault)}
        return {write or known_step.name: outcome.model_dump(mode="json")}

    return Node(known_step.name, node)


# Compiling takes as long as the overhead of a request, so each step is compiled only once.
@lru_cache(maxsize=256)
def _shared(step: Step[Any, Any]) -> StepGraph:
    return _compile(step, None, None)


def _compile(step: Step[Any, Any], judge: Judge | None, run: Run | None) -> StepGraph:
    own = run or Run(keep=_KEEP)

    async def judge_item(state: StepInput) -> dict[str, Any]:
        context = get_runtime(StepContext).context or StepContext()
        try:
            inputs = step.read_input(state["inputs"])
        except (UsageError, InputError) as fault:
            return {"outcome": _failed(step, fault, "input")}
        outcome = await ask(
            step,
            inputs,
            judge=_judge_of(state, context.judge or judge),
            run=context.run or own,
            repeat=state.get("repeat", 0),
            engine=state.get("engine", "auto"),
        )
        return {"outcome": outcome.model_dump(mode="json")}

    def give_up(state: StepInput, error: NodeError) -> dict[str, Any]:
        if isinstance(error.error, DxjudgeError):
            raise error.error
        return {"outcome": _failed(step, error.error)}

    builder = StateGraph(
        StepState, context_schema=StepContext, input_schema=StepInput, output_schema=StepOutput
    )
    node, handler = Node(step.name, judge_item), cast(Any, give_up)  # untyped with a schema
    builder.add_node(step.name, node, input_schema=StepInput, error_handler=handler)
    builder.add_edge(START, step.name)
    builder.add_edge(step.name, END)
    return builder.compile(name=step.name)


def _judge_of(state: StepInput, live: Judge | None) -> Judge | None:
    named = state.get("judge")
    if named is None:
        return live
    judge = as_judge(named if isinstance(named, str) else JudgeSpec.model_validate(named))
    if live is not None and live.spec == judge.spec:
        return live
    if judge.spec.identity:
        raise UsageError(
            f"the judge {judge.spec.label} is a model object; pass the object to the graph"
        )
    return judge


def _pick(step: Step[Any, Any], state: Any) -> dict[str, Any]:
    fields = state if isinstance(state, Mapping) else vars(state)
    return {name: fields[name] for name in step.input.model_fields if name in fields}


def _failed(
    step: Step[Any, Any], fault: BaseException, kind: Literal["input", "error"] = "error"
) -> dict[str, Any]:
    is_expected = isinstance(fault, DxjudgeError)
    reason = str(fault) if is_expected else f"{type(fault).__name__}: {fault}"
    return failed_unasked(step, 0, kind, reason).model_dump(mode="json")
