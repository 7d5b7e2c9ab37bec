"""Whether a verdict holds: an item judged as it is, and under changes that should not matter.

    plan ──Send──> judge (once for each trial) ──> gather

The base verdict and every perturbed one are kept, each by its perturbation and repeat; a change
that does not apply to an item says why. All of it is plain JSON, and a trial is made again from
the item, its name and the seed, so that nothing but data is in the state.
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
"""The name of the trial of an item as it is."""
WARM = 0.7
"""The temperature of repeats, unless one is given."""
_KEEP = 1000  # attempts that a graph's own run remembers


@dataclass(frozen=True)
class Plan:
    """What an item goes through.

    perturb: names of `agents.perturb`, `wording` written out. repeats, temperature: of the
    perturbation `repeat`; a judge that is a model object keeps its own temperature. seed: of all
    changes.
    """

    perturb: tuple[str, ...]
    repeats: int = 3
    temperature: float = WARM
    seed: int = 0

    @property
    def trials(self) -> tuple[tuple[str, int], ...]:
        """(perturbation, repeat) of every trial, the base first."""
        found = [(BASE, 0)]
        for name in self.perturb:
            many = range(1, self.repeats + 1) if name == "repeat" else (0,)
            found += [(name, repeat) for repeat in many]
        return tuple(found)


@dataclass(frozen=True)
class Trial:
    """One verdict: under which change, the how manieth, and what it means for the item itself.

    outcome: None where the change does not apply; `reason` says why.
    """

    perturbation: str
    repeat: int
    outcome: Outcome | None
    reason: str = ""


@dataclass(frozen=True)
class Tried:
    """All trials of one item by one judge, the base first. `inputs`: None if unusable."""

    judge: str
    inputs: BaseModel | None
    trials: tuple[Trial, ...]

    @property
    def base(self) -> Outcome:
        """What the judge said of the item as it is."""
        outcome = self.trials[0].outcome
        assert outcome is not None  # the item itself always applies
        return outcome

    def votes(
        self, step: Step[Any, Any], case: str, groups: Mapping[str, str] | None = None
    ) -> list[Vote]:
        """Every verdict as votes; `variant` is the perturbation, "" for the base."""
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
    """What the graph takes: the step's inputs as plain JSON."""

    inputs: dict[str, Any]


class RobustOut(TypedDict):
    """What it returns: a mapping a trial, with perturbation, repeat, outcome and reason."""

    trials: Annotated[list[dict[str, Any]], operator.add]


class RobustState(RobustIn, RobustOut):
    """Both."""


class _One(TypedDict):
    """What one judging node is sent. The judge is in it: the verdict depends on it."""

    inputs: dict[str, Any]
    perturbation: str
    repeat: int
    judge: dict[str, Any]


@dataclass(frozen=True)
class RobustContext:
    """What a verdict does not depend on: the run, and which trials an earlier run has done."""

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

    perturb: names from `agents.perturb`; None means all. repeats, temperature: how often, and how
    warm, `repeat` asks. Stand-ins that would decide instead of the judge are left out.
    Raises UsageError for a step or a perturbation that does not exist.
    """
    found = find_step(step)
    plan = make_plan(found, perturb, repeats=repeats, temperature=temperature, seed=seed)
    return compile_plan(found, as_judge(judge), plan, run)


def make_plan(
    step: Step[Any, Any],
    perturb: Iterable[str] | None = None,
    *,
    repeats: int = 3,
    temperature: float = WARM,
    seed: int = 0,
) -> Plan:
    """A plan of these perturbations, None for all. Raises UsageError for what cannot be."""
    if repeats < 1 or not 0 <= temperature <= 2:
        raise UsageError("repeats must be at least 1, the temperature from 0 to 2")
    return Plan(perturbations(step, perturb), repeats, temperature, seed)


def compile_plan(step: Step[Any, Any], judge: Judge, plan: Plan, run: Run | None) -> RobustGraph:
    """The graph of a plan; see `robust`."""
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
    # With a checkpointer, a thread still holds the trials of its last item.
    builder.add_node("plan", lambda state: {"trials": Overwrite([])})
    builder.add_node("judge", Node("judge", judge_one), input_schema=_One)
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", fan_out, ["judge"])
    builder.add_edge("judge", END)
    return builder.compile(name=f"robust_{step.name}")


def _spec(judge: Judge) -> dict[str, Any]:
    return judge.spec.model_dump(mode="json")


def warmed(judge: Judge, temperature: float) -> Judge:
    """The judge at this temperature; a model object keeps its own."""
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
        target, made = (changed.step, changed.inputs) if changed else (step, inputs)
        outcome = await ask(target, made, judge=judge, run=run, repeat=repeat, engine="llm")
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
