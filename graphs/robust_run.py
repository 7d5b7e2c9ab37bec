"""Run the trials of a plan: many items with several judges, all at once or as they finish."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import product
from typing import Any

from pydantic import BaseModel

from ..agents.engine.judges import AnyJudge, Judge, as_judge, check_key, check_named_once
from ..agents.engine.run import Run
from ..agents.outcome import Outcome, read_outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import DxjudgeError, UsageError
from .gather import as_finished
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
    """Return the trials of every item with every judge, in order of item, then judge.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        inputs: the step's input: a model of its fields or a mapping; a list of these gives a list.
        judges: a judge or a list of judges, each as in `run_step`.
        perturb: the names of the changes; by default all that the step allows.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        options: repeats, temperature, seed. An item whose inputs cannot be used has failed trials.

    Returns:
        the trials, in order of item, then judge.

    Raises:
        UsageError: for a step, perturbation or judge that cannot be used or is named twice.
        AuthenticationFault: if no item can succeed.
        ModelFault: if no item can succeed.
        ReplayMiss: if no item can succeed.
    """
    known_step = find_step(step)
    plan = make_plan(known_step, perturb, **options)
    judge_list: list[Any] = [*judges] if isinstance(judges, list | tuple) else [judges]
    own = run or Run()
    try:
        stream = stream_robust(known_step, inputs, judges=judge_list, plan=plan, run=own)
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
    """Yield ((item, judge), trials) as they finish; item and judge are counted from 0.

    known: outcomes that are not asked for again, by (item, judge) and trial. Raises in the same
    cases as `run_robust`.
    """
    lives = check_judges(judges)
    step.load_prompt()  # a fault in the step itself is not an item's failure
    if run.replies.mode != "replay":
        for live in lives:
            check_key(live)
    graphs = [compile_plan(step, live, plan, run) for live in lives]

    async def one(place: tuple[int, int]) -> tuple[tuple[int, int], Tried]:
        item, judge = place
        raw = inputs[item]
        plain = raw.model_dump(mode="json") if isinstance(raw, BaseModel) else dict(raw)
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
    """Return the live judges. Raise UsageError if there is none, or if one is named twice."""
    lives = [as_judge(judge) for judge in judges]
    check_named_once(lives)
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
    """Return the trials of a graph's result with typed values, together with known outcomes."""
    by_trial = {(trial["perturbation"], trial["repeat"]): trial for trial in trials}
    try:
        typed = step.read_input(inputs)
    except DxjudgeError:
        typed = None
    typed_trials = []
    for name, repeat in plan.trials:
        trial_fields = by_trial.get((name, repeat), {})
        data, reason = trial_fields.get("outcome"), trial_fields.get("reason", "")
        outcome = read_outcome(data) if data is not None else (known or {}).get((name, repeat))
        typed_trials.append(Trial(name, repeat, _typed(step, typed, outcome), reason))
    return Tried(judge, typed, tuple(typed_trials))


def _typed(step: Step[Any, Any], inputs: Any, outcome: Outcome | None) -> Outcome | None:
    if inputs is None or outcome is None or outcome.status == "failed" or outcome.value is None:
        return outcome
    value = step.read_value(inputs, outcome.value)
    return outcome.model_copy(update={"value": value})
