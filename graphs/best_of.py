"""Ask one model for several samples; then a judge picks the best of them, or the samples vote.

In `best_of` a judge picks. `self_consistency` is a jury of one model that is asked several times.

    START ──> open ──Send──> sample (N times, at a temperature) ──> pick ──> END

If the judge gives no valid pick, the outcome is Failed; the first sample is never a default.
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

_KEEP = 1000  # attempts that a graph's own run keeps
Question = Callable[[Any], str]


class BestIn(TypedDict):
    """The input of the graph: the step's inputs as plain JSON."""

    inputs: dict[str, Any]


class BestOut(TypedDict):
    """The output of the graph, as plain JSON.

    samples: the outcome of every sample. pick: the outcome of `choose_best`, whose index counts
    only the samples that are done; None if fewer than two are done. outcome: the picked sample.
    """

    samples: Annotated[list[dict[str, Any]], operator.add]
    pick: dict[str, Any] | None
    outcome: dict[str, Any]


class BestState(BestIn, BestOut):
    """The state of the graph: its input and output."""


BestGraph: TypeAlias = CompiledStateGraph[BestState, None, BestIn, BestOut]


class _Sample(TypedDict):
    """The input of one sampling node. It contains the model, because the sample depends on it."""

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

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        samples: how often the model is asked, at least 2.
        model: answers the step `samples` times at `temperature` (a model object keeps its own).
        judge: picks one of the results, which are shown in a random order that depends on `seed`.
        temperature: the temperature of the samples, from 0 to 2.
        question: returns the text that the judge reads, from the step's input; by default, the
            fields of the input. Samples that abstain or fail are not shown. If no sample is done,
            the first one is the outcome.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        seed: the seed of what is drawn; the same seed gives the same.

    Returns:
        the compiled graph.

    Raises:
        UsageError: for a step that does not exist or fewer than two samples.
    """
    known_step = find_step(step)
    if samples < 2:
        raise UsageError(f"samples is {samples}; best of N needs at least 2")
    sampler, picker = warmed(as_judge(model), temperature), as_judge(judge)
    shared = run or Run(keep=_KEEP)
    spec = sampler.spec.model_dump(mode="json")

    def fan_out(state: BestIn) -> list[Send]:
        known_step.read_input(state["inputs"])  # the caller's error, before any call
        shared_fields = {"inputs": state["inputs"], "model": spec}
        return [Send("sample", {**shared_fields, "repeat": repeat}) for repeat in range(samples)]

    async def sample(state: _Sample) -> dict[str, Any]:
        outcome = await _sample(known_step, state, sampler, shared)
        return {"samples": [outcome.model_dump(mode="json")]}

    async def pick(state: BestState) -> dict[str, Any]:
        inputs = known_step.read_input(state["inputs"])
        text = question(inputs) if question else _fields(known_step.values(inputs))
        return await _pick(known_step, text, state["samples"], picker, shared, seed)

    builder = StateGraph(BestState, input_schema=BestIn, output_schema=BestOut)
    # With a checkpointer, the state of a thread still contains the samples of its last item.
    builder.add_node("open", lambda state: {"samples": Overwrite([])})
    builder.add_node("sample", Node("sample", sample), input_schema=_Sample)
    builder.add_node("pick", Node("pick", pick))
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", fan_out, ["sample"])
    builder.add_edge("sample", "pick")
    builder.add_edge("pick", END)
    return builder.compile(name=f"best_of_{known_step.name}")


def self_consistency(
    step: Step[Any, Any] | str,
    samples: int = 5,
    *,
    model: AnyJudge,
    temperature: float = WARM,
    rule: Rule = "plurality",
    run: Run | None = None,
) -> JuryGraph:
    """Return the graph of a jury of one model that is asked `samples` times at `temperature`.

    `{"inputs": {...}, "case": "7"}` in, `{"jury": {...}}` out (see `graphs.jury.result`). Every
    sample is a vote, and a tie is not broken. A model object keeps its own temperature.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        samples: how often the model is asked, at least 2.
        model: the model that is asked for the samples, in the forms of a judge.
        temperature: the temperature of the samples, from 0 to 2.
        rule: how the votes are combined; see `jury_graph`.
        run: the cache, limits and budget; by default a new run with the user's own cache.

    Returns:
        the compiled graph of the jury.

    Raises:
        UsageError: in the same cases as `jury_graph`, and for fewer than two samples.
    """
    if samples < 2:
        raise UsageError(f"samples is {samples}; self-consistency needs at least 2")
    sampler = warmed(as_judge(model), temperature)
    return jury_graph(step, [sampler], repeats=samples, rule=rule, run=run)


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
    done = [outcome for outcome in samples if outcome["status"] == "done"]
    if len(done) < 2:
        return {"pick": None, "outcome": done[0] if done else samples[0]}
    shown = {
        "question": question,
        "answers": [as_text(outcome["value"]) for outcome in done],
        "shuffle": seed,
    }
    choice = await ask(CHOOSE_BEST, shown, judge=judge, run=run)
    plain = choice.model_dump(mode="json")
    if choice.status == "done":
        return {"pick": plain, "outcome": done[plain["value"]["index"]]}
    why = "; ".join(choice.reasons) if choice.status == "failed" else choice.reason
    failed = failed_unasked(step, 0, choice.kind if choice.status == "failed" else "undecided", why)
    return {"pick": plain, "outcome": failed.model_dump(mode="json")}


def read_best(step: Step[Any, Any] | str, inputs: Any, result: Mapping[str, Any]) -> Outcome:
    """Return the outcome in the graph's result; its value has the step's result type."""
    known_step = find_step(step)
    outcome = read_outcome(dict(result["outcome"]))
    if outcome.status == "failed" or outcome.value is None:
        return outcome
    value: BaseModel = known_step.read_value(known_step.read_input(inputs), outcome.value)
    return outcome.model_copy(update={"value": value})


def as_text(value: Mapping[str, Any]) -> str:
    """Return a result as a judge reads it: a single text or list as text, all else as JSON.

    >>> as_text({"diagnosis": "gout"}), as_text({"diagnoses": ["gout", "lupus"], "merged": []})
    ('gout', 'gout; lupus')
    """
    fields = [field for field in value.values() if field not in (None, [], {})]
    if len(fields) == 1 and isinstance(fields[0], str):
        return fields[0]
    if (
        len(fields) == 1
        and isinstance(fields[0], list)
        and all(isinstance(x, str) for x in fields[0])
    ):
        return "; ".join(fields[0])
    return canonical(dict(value))


def _fields(values: Mapping[str, Any]) -> str:
    texts = {
        name: value if isinstance(value, str) else "; ".join(value)
        for name, value in values.items()
    }
    return "\n\n".join(f"{name}: {text}" for name, text in texts.items() if text)
