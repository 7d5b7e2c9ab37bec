"""Judge an item unchanged, and again after changes that should not matter.

    plan ──Send──> judge (once for each trial) ──> gather

The state keeps the base verdict and every perturbed verdict, by perturbation and repeat. If a
change does not apply to an item, the state has the reason. The state is plain JSON: a node makes
each changed item again from the item, the name of the perturbation and the seed.
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Overwrite, Send
from pydantic import BaseModel
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..agents.engine.ask import ask
from ..agents.engine.conclude import failed_unasked
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Outcome
from ..agents.perturb import NotApplicable, perturb, perturbations
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import DxjudgeError, InputError, UsageError
from ..scoring.votes import Vote
from .node import Node
from .verdicts import votes_of

BASE = ""
"""The perturbation name of the trial with the unchanged item."""
WARM = 0.7
"""The default temperature of repeats."""
_KEEP = 1000  # attempts that a graph's own run keeps


@dataclass(frozen=True)
class Plan:
    """The trials of an item.

    perturb: names of `agents.perturb`, with `wording` expanded to each wording. repeats,
    temperature: used by the perturbation `repeat`; a judge that is a model object keeps its own
    temperature. seed: used by all changes.
    """

    perturb: tuple[str, ...]
    repeats: int = 3
    temperature: float = WARM
    seed: int = 0

    @property
    def trials(self) -> tuple[tuple[str, int], ...]:
        """(perturbation, repeat) of every trial, the base first."""
        trials = [(BASE, 0)]
        for name in self.perturb:
            many = range(1, self.repeats + 1) if name == "repeat" else (0,)
            trials += [(name, repeat) for repeat in many]
        return tuple(trials)


@dataclass(frozen=True)
class Trial:
    """The outcome of one perturbation and repeat, translated back to the original item.

    outcome: None if the change does not apply; then `reason` says why.
    """

    perturbation: str
    repeat: int
    outcome: Outcome | None
    reason: str = ""


@dataclass(frozen=True, repr=False)
class Tried:
    """All trials of one item by one judge, the base first; `inputs` is None if unusable."""

    judge: str
    inputs: BaseModel | None
    trials: tuple[Trial, ...]

    def __repr__(self) -> str:
        return f"Tried(judge={self.judge!r}, {len(self.trials)} trials, base={self.base!r})"

    @property
    def base(self) -> Outcome:
        """The outcome for the unchanged item."""
        outcome = self.trials[0].outcome
        assert outcome is not None  # the item itself always applies
        return outcome

    def votes(
        self, step: Step[Any, Any], case: str, groups: Mapping[str, str] | None = None
    ) -> list[Vote]:
        """Return the outcomes as votes; `variant` is the perturbation, "" for the base."""
        return [
            replace(vote, repeat=trial.repeat)
            for trial in self.trials
            if trial.outcome is not None
            for vote in votes_of(
                step,
                self.inputs,
                trial.outcome,
                case=case,
                judge=self.judge,
                variant=trial.perturbation,
                groups=groups,
            )
        ]


class RobustIn(TypedDict):
    """The input of the graph: the step's inputs as plain JSON."""

    inputs: dict[str, Any]


class RobustOut(TypedDict):
    """The output: a mapping for each trial with perturbation, repeat, outcome and reason."""

    trials: Annotated[list[dict[str, Any]], operator.add]


class RobustState(RobustIn, RobustOut):
    """The state of the graph: its input and output."""


class _One(TypedDict):
    """The input of one judging node. It contains the judge, because the verdict depends on it."""

    inputs: dict[str, Any]
    perturbation: str
    repeat: int
    judge: dict[str, Any]


@dataclass(frozen=True)
class RobustContext:
    """Values on which no verdict depends: the run, and the trials that an earlier run finished."""

    run: Run
    known: frozenset[tuple[str, int]] = frozenset()


RobustGraph: TypeAlias = CompiledStateGraph[RobustState, RobustContext, RobustIn, RobustOut]


def robust(
    step: Step[Any, Any] | str,
    perturb: Iterable[str] | None = None,
    *,
    judge: AnyJudge,
    run: Run | None = None,
    repeats: int = 3,
    temperature: float = WARM,
    seed: int = 0,
) -> RobustGraph:
    """Compile the graph: `{"inputs": {...}}` in, `{"trials": [...]}` out, the base first.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        perturb: names from `agents.perturb`; None means all.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        repeats, temperature: how often, and at which temperature, `repeat` asks. Stand-ins that
            would decide instead of the judge are left out.
        seed: the seed of what is drawn; the same seed gives the same.

    Returns:
        the compiled graph.

    Raises:
        UsageError: for a step or a perturbation that does not exist.
    """
    known_step = find_step(step)
    plan = make_plan(known_step, perturb, repeats=repeats, temperature=temperature, seed=seed)
    return compile_plan(known_step, as_judge(judge), plan, run)


def make_plan(
    step: Step[Any, Any],
    perturb: Iterable[str] | None = None,
    *,
    repeats: int = 3,
    temperature: float = WARM,
    seed: int = 0,
) -> Plan:
    """Return a plan of these perturbations, None for all. Raises UsageError for a bad argument."""
    if repeats < 1 or not 0 <= temperature <= 2:
        raise UsageError(
            f"repeats is {repeats} and temperature is {temperature}; repeats must be at least 1, "
            "and temperature from 0 to 2"
        )
    return Plan(perturbations(step, perturb), repeats, temperature, seed)


def compile_plan(step: Step[Any, Any], judge: Judge, plan: Plan, run: Run | None) -> RobustGraph:
    """Compile the graph of a plan; see `robust`."""
    default = RobustContext(run or Run(keep=_KEEP))
    warm = warmed(judge, plan.temperature)
    specs = {name: _spec(warm if name == "repeat" else judge) for name, _ in plan.trials}

    def fan_out(state: RobustIn, runtime: Runtime[RobustContext]) -> list[Send]:
        known = (runtime.context or default).known
        return [
            Send(
                "judge",
                _One(
                    inputs=state["inputs"],
                    perturbation=name,
                    repeat=repeat,
                    judge=specs[name],
                ),
            )
            for name, repeat in plan.trials
            if (name, repeat) not in known
        ]

    async def judge_one(state: _One) -> dict[str, Any]:
        context = get_runtime(RobustContext).context or default
        live = warm if state["perturbation"] == "repeat" else judge
        assert _spec(live) == state["judge"]
        trial = await _try(step, live, plan, state, context.run)
        outcome = trial.outcome.model_dump(mode="json") if trial.outcome is not None else None
        return {"trials": [{**vars(trial), "outcome": outcome}]}

    builder = StateGraph(
        RobustState, context_schema=RobustContext, input_schema=RobustIn, output_schema=RobustOut
    )
    # With a checkpointer, the state of a thread still contains the trials of its last item.
    builder.add_node("plan", lambda state: {"trials": Overwrite([])})
    builder.add_node("judge", Node("judge", judge_one), input_schema=_One)
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", fan_out, ["judge"])
    builder.add_edge("judge", END)
    return builder.compile(name=f"robust_{step.name}")


def _spec(judge: Judge) -> dict[str, Any]:
    return judge.spec.model_dump(mode="json")


def warmed(judge: Judge, temperature: float) -> Judge:
    """Return the judge at this temperature; a model object keeps its own."""
    if judge.model is not None:
        return judge
    return Judge(judge.spec.model_copy(update={"temperature": temperature}))


async def _try(step: Step[Any, Any], judge: Judge, plan: Plan, state: _One, run: Run) -> Trial:
    name, repeat = state["perturbation"], state["repeat"]
    try:
        inputs = step.read_input(state["inputs"])
        changed = perturb(step, inputs, name, plan.seed) if name else None
        if isinstance(changed, NotApplicable):
            return Trial(name, repeat, None, changed.reason)
        target, item = (changed.step, changed.inputs) if changed else (step, inputs)
        outcome = await ask(target, item, judge=judge, run=run, repeat=repeat, engine="llm")
        if changed and outcome.status == "done":
            outcome = outcome.model_copy(update={"value": changed.restore(outcome.value)})
        return Trial(name, repeat, outcome)
    except (UsageError, InputError) as fault:
        return Trial(name, repeat, failed_unasked(step, repeat, "input", str(fault)))
    except DxjudgeError:
        raise  # no item can succeed
    except Exception as fault:
        return Trial(
            name, repeat, failed_unasked(step, repeat, "error", f"{type(fault).__name__}: {fault}")
        )
