"""Running the trials of a plan: many items under several judges, as they finish or all at once."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import product
from typing import Any

from pydantic import BaseModel

from ..agents.engine.judges import AnyJudge, Judge, as_judge, check_key
from ..agents.engine.run import Run
from ..agents.outcome import Outcome, read_outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import DxjudgeError, UsageError
from .gather import as_finished
from .jury.jurors import one_model
from .loop import run_here
from .robust import Plan, RobustContext, Trial, Tried, compile_plan, make_plan

Inputs = BaseModel | Mapping[str, Any]


async def run_robust(
    step: Step[Any, Any] | str,
    inputs: Sequence[Inputs],
    *,
    judges: AnyJudge | Sequence[AnyJudge],
    perturb: Iterable[str] | None = None,
    run: Run | None = None,
    **options: Any,
) -> list[Tried]:
    """Every item under every judge: by item, then by judge, all trials kept.

    options: repeats, temperature, seed. An item whose inputs cannot be used has failed trials.
    Raises UsageError for a step, perturbation or judge that cannot be used or is there twice,
    and AuthenticationFault, ModelFault or ReplayMiss when no item can succeed.
    """
    found = find_step(step)
    plan = make_plan(found, perturb, **options)
    held: list[Any] = [*judges] if isinstance(judges, list | tuple) else [judges]
    own = run or Run()
    try:
        stream = stream_robust(found, inputs, judges=held, plan=plan, run=own)
        async with aclosing(stream):
            tried = {place: one async for place, one in stream}
        return [tried[place] for place in sorted(tried)]
    finally:
        if run is None:
            own.close()


def run_robust_sync(
    step: Step[Any, Any] | str, inputs: Sequence[Inputs], **options: Any
) -> list[Tried]:
    """`run_robust` for code that is not async; also works inside a running event loop."""
    return run_here(run_robust(step, inputs, **options))


Known = Mapping[tuple[int, int], Mapping[tuple[str, int], Outcome]]


async def stream_robust(
    step: Step[Any, Any],
    inputs: Sequence[Inputs],
    *,
    judges: Sequence[AnyJudge],
    plan: Plan,
    run: Run,
    known: Known | None = None,
) -> AsyncGenerator[tuple[tuple[int, int], Tried], None]:
    """((item, judge), trials) as they finish, both counted from 0. Raises as `run_robust`.

    known: outcomes that need not be asked for again, by (item, judge) and trial.
    """
    lives = check_judges(judges)
    step.load_prompt()  # a step that is put together wrongly is not an item's failure
    if run.replies.mode != "replay":
        for live in lives:
            check_key(live)
    graphs = [compile_plan(step, live, plan, run) for live in lives]

    async def one(place: tuple[int, int]) -> tuple[tuple[int, int], Tried]:
        item, judge = place
        given = inputs[item]
        plain = given.model_dump(mode="json") if isinstance(given, BaseModel) else dict(given)
        done = (known or {}).get(place, {})
        context = RobustContext(run, frozenset(done))
        asked: list[dict[str, Any]] = []
        if not done.keys() >= set(plan.trials):  # a graph without any trial returns nothing
            ended = await graphs[judge].ainvoke({"inputs": plain}, context=context)
            asked = ended["trials"]
        label = lives[judge].spec.label
        return place, read_trials(step, plan, plain, asked, label, done)

    places = product(range(len(inputs)), range(len(lives)))
    async with aclosing(as_finished(places, one, width=run.width)) as tried:
        async for pair in tried:
            yield pair


def check_judges(judges: Sequence[AnyJudge]) -> list[Judge]:
    """Raise UsageError for no judge, or one that is there twice: its votes would be one's."""
    lives = [as_judge(judge) for judge in judges]
    seen: set[str] = set()
    for live in lives:
        # Votes go by the label, so two judges of one label would be one.
        names = {live.spec.label.lower(), one_model(live)}
        if names & seen:
            raise UsageError(f"the judge {live.spec.label} is there twice")
        seen |= names
    if not lives:
        raise UsageError("no judge is named: --judge openai:gpt-4o")
    return lives


def read_trials(
    step: Step[Any, Any],
    plan: Plan,
    inputs: Mapping[str, Any],
    trials: Iterable[Mapping[str, Any]],
    judge: str,
    known: Mapping[tuple[str, int], Outcome] | None = None,
) -> Tried:
    """What the graph returned, with its values typed, and the known outcomes in their places."""
    found = {(each["perturbation"], each["repeat"]): each for each in trials}
    try:
        typed = step.read_input(inputs)
    except DxjudgeError:
        typed = None
    made = []
    for name, repeat in plan.trials:
        held = found.get((name, repeat), {})
        data, reason = held.get("outcome"), held.get("reason", "")
        outcome = read_outcome(data) if data is not None else (known or {}).get((name, repeat))
        made.append(Trial(name, repeat, _typed(step, typed, outcome), reason))
    return Tried(judge, typed, tuple(made))


def _typed(step: Step[Any, Any], inputs: Any, outcome: Outcome | None) -> Outcome | None:
    if inputs is None or outcome is None or outcome.status == "failed" or outcome.value is None:
        return outcome
    value = step.read_value(inputs, outcome.value)
    return outcome.model_copy(update={"value": value})
