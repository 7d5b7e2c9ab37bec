"""Several samples of one model: a judge picks the best of them, or they vote.

`best_of` is a graph of its own; `self_consistency` is a jury of one model, asked several times.

    START ──> open ──Send──> sample (N times, at a temperature) ──> pick ──> END

Where the judge gives no valid pick the outcome is failed: it is never the first sample.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, Send
from pydantic import BaseModel
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.choose_best import CHOOSE_BEST
from ..agents.engine.ask import ask
from ..agents.engine.conclude import failed_unasked
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Outcome, read_outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..cache.key import canonical
from ..errors import DxjudgeError, UsageError
from ..scoring.jury import Rule
from .jury.graph import JuryGraph, jury_graph
from .node import Node
from .robust import WARM, warmed

_KEEP = 1000  # attempts that a graph's own run remembers
Question = Callable[[Any], str]


class BestIn(TypedDict):
    """What the graph takes: the step's inputs as plain JSON."""

    inputs: dict[str, Any]


class BestOut(TypedDict):
    """What it returns, as plain JSON.

    samples: the outcome of every sample. pick: the outcome of `choose_best`; its index counts
    the samples that are done. None where fewer than two are. outcome: the sample that was picked.
    """

    samples: Annotated[list[dict[str, Any]], operator.add]
    pick: dict[str, Any] | None
    outcome: dict[str, Any]


class BestState(BestIn, BestOut):
    """Both."""


BestGraph: TypeAlias = CompiledStateGraph[BestState, None, BestIn, BestOut]


class _Sample(TypedDict):
    """What one sampling node is sent. The model is in it: the sample depends on it."""

    inputs: dict[str, Any]
    repeat: int
    model: dict[str, Any]


def best_of(
    step: Step[Any, Any] | str,
    samples: int = 5,
    *,
    model: AnyJudge,
    judge: AnyJudge,
    temperature: float = WARM,
    question: Question | None = None,
    run: Run | None = None,
    seed: int = 0,
) -> BestGraph:
    """Compile the graph: `{"inputs": {...}}` in, `{"samples", "pick", "outcome"}` out.

    model: does the step, `samples` times at `temperature` (a model object keeps its own).
    judge: picks one of the results, shown in an order that `seed` draws. question: what the
    judge reads, from the step's input; by default its fields. Samples that abstain or fail are
    not shown; where none is done, the first of them is the outcome.

    Raises UsageError for a step that does not exist or fewer than two samples.
    """
    found = find_step(step)
    if samples < 2:
        raise UsageError("best of N takes two samples or more")
    sampler, picker = warmed(as_judge(model), temperature), as_judge(judge)
    shared = run or Run(keep=_KEEP)
    spec = sampler.spec.model_dump(mode="json")

    def fan_out(state: BestIn) -> list[Send]:
        found.read_input(state["inputs"])  # the caller's error, before any call
        one = {"inputs": state["inputs"], "model": spec}
        return [Send("sample", {**one, "repeat": repeat}) for repeat in range(samples)]

    async def sample(state: _Sample) -> dict[str, Any]:
        outcome = await _sample(found, state, sampler, shared)
        return {"samples": [outcome.model_dump(mode="json")]}

    async def pick(state: BestState) -> dict[str, Any]:
        inputs = found.read_input(state["inputs"])
        text = question(inputs) if question else _fields(found.values(inputs))
        return await _pick(found, text, state["samples"], picker, shared, seed)

    builder = StateGraph(BestState, input_schema=BestIn, output_schema=BestOut)
    # With a checkpointer, a thread still holds the samples of its last item.
    builder.add_node("open", lambda state: {"samples": Overwrite([])})
    builder.add_node("sample", Node("sample", sample), input_schema=_Sample)
    builder.add_node("pick", Node("pick", pick))
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", fan_out, ["sample"])
    builder.add_edge("sample", "pick")
    builder.add_edge("pick", END)
    return builder.compile(name=f"best_of_{found.name}")


def self_consistency(
    step: Step[Any, Any] | str,
    samples: int = 5,
    *,
    model: AnyJudge,
    temperature: float = WARM,
    rule: Rule = "plurality",
    run: Run | None = None,
) -> JuryGraph:
    """The graph of a jury of one model that is asked `samples` times at `temperature`.

    `{"inputs": {...}, "case": "7"}` in, `{"jury": {...}}` out (see `graphs.jury_outcome`): every
    sample is a vote, a tie stays a tie. A model object keeps its own temperature.
    Raises UsageError as `jury_graph`, and for fewer than two samples.
    """
    if samples < 2:
        raise UsageError("self-consistency takes two samples or more")
    one = warmed(as_judge(model), temperature)
    return jury_graph(step, [one], repeats=samples, rule=rule, run=run)


async def _sample(step: Step[Any, Any], state: _Sample, model: Judge, run: Run) -> Outcome:
    inputs, repeat = state["inputs"], state["repeat"]
    try:
        return await ask(step, inputs, judge=model, run=run, repeat=repeat, engine="llm")
    except DxjudgeError:
        raise  # no sample can succeed
    except Exception as fault:
        return failed_unasked(step, repeat, "error", f"{type(fault).__name__}: {fault}")


async def _pick(
    step: Step[Any, Any],
    question: str,
    samples: list[dict[str, Any]],
    judge: Judge,
    run: Run,
    seed: int,
) -> dict[str, Any]:
    done = [each for each in samples if each["status"] == "done"]
    if len(done) < 2:
        return {"pick": None, "outcome": done[0] if done else samples[0]}
    shown = {
        "question": question,
        "answers": [as_text(each["value"]) for each in done],
        "shuffle": seed,
    }
    made = await ask(CHOOSE_BEST, shown, judge=judge, run=run)
    plain = made.model_dump(mode="json")
    if made.status == "done":
        return {"pick": plain, "outcome": done[plain["value"]["index"]]}
    why = "; ".join(made.reasons) if made.status == "failed" else made.reason
    failed = failed_unasked(step, 0, made.kind if made.status == "failed" else "undecided", why)
    return {"pick": plain, "outcome": failed.model_dump(mode="json")}


def read_best(step: Step[Any, Any] | str, inputs: Any, found: Mapping[str, Any]) -> Outcome:
    """The outcome in what the graph returned, its value typed."""
    known = find_step(step)
    outcome = read_outcome(dict(found["outcome"]))
    if outcome.status == "failed" or outcome.value is None:
        return outcome
    value: BaseModel = known.read_value(known.read_input(inputs), outcome.value)
    return outcome.model_copy(update={"value": value})


def as_text(value: Mapping[str, Any]) -> str:
    """A result as a judge reads it: texts as they are, anything else as JSON.

    >>> as_text({"diagnosis": "gout"}), as_text({"diagnoses": ["gout", "lupus"], "merged": []})
    ('gout', 'gout; lupus')
    """
    held = [each for each in value.values() if each not in (None, [], {})]
    if len(held) == 1 and isinstance(held[0], str):
        return held[0]
    if len(held) == 1 and isinstance(held[0], list) and all(isinstance(x, str) for x in held[0]):
        return "; ".join(held[0])
    return canonical(dict(value))


def _fields(values: Mapping[str, Any]) -> str:
    texts = {
        name: value if isinstance(value, str) else "; ".join(value)
        for name, value in values.items()
    }
    return "\n\n".join(f"{name}: {text}" for name, text in texts.items() if text)
