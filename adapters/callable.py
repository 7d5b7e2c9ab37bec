"""Any step as a plain callable: keyword arguments in, a judgement out.

    same = as_callable("judge_equivalence", "openai:gpt-4o")
    same(predicted="podagra", truth="gout").verdict  # True, or None where there is none

The adapters to other frameworks beside this file are made of it.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..agents.engine.ask import ask
from ..agents.engine.judges import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import EnvironmentFault, NoVerdict
from ..graphs.loop import run_here
from ..graphs.verdicts import votes_of
from ..scoring.votes import Scalar, Vote

_KEEP = 1000  # attempts that a callable remembers: it may serve for as long as a process lives


@dataclass(frozen=True)
class Judgement:
    """An outcome as other frameworks take it.

    parts: part -> verdict, empty unless the step is done. A step with one verdict has it under
        its own name; a rubric has one a dimension and `total`, error labels and multiple
        categories have one a category.
    explanation: the judge's own words. reason: why there is no verdict.
    outcome: all the rest: judge, tokens, cost, key of the reply.
    """

    outcome: Outcome
    parts: Mapping[str, Scalar]
    explanation: str = ""
    reason: str = ""

    @property
    def verdict(self) -> Scalar | None:
        """The one verdict; None where there is none. Raises ValueError where there are several."""
        if len(self.parts) > 1:
            raise ValueError(
                f"{self.outcome.step} has several verdicts: read one of {', '.join(self.parts)} "
                "from `parts`"
            )
        return next(iter(self.parts.values()), None)

    def demand(self) -> "Judgement":
        """This judgement. Raises NoVerdict where the step failed or abstained."""
        if self.parts:
            return self
        raise NoVerdict(f"{self.outcome.step} {self.outcome.status}: {self.reason}")

    def account(self) -> dict[str, Any]:
        """What a log needs to tell how it came to be, as plain JSON."""
        plain = self.outcome.model_dump(mode="json", exclude={"value", "reasons"})
        judge = self.outcome.judge
        return {**plain, "judge": judge.label if judge else None, "reason": self.reason}


@dataclass(frozen=True, eq=False)
class StepCallable:
    """A step, its judge and its run; call it with the step's fields."""

    step: Step[Any, Any]
    judge: Judge | None
    run: Run
    engine: str = "auto"

    def __call__(self, /, **fields: Any) -> Judgement:
        """Judge one item; also works inside a running event loop. Raises as `ask`."""
        return run_here(self.ask(**fields))

    async def ask(self, /, **fields: Any) -> Judgement:
        """Judge one item.

        Raises UsageError or InputError for fields that cannot be used, AuthenticationFault,
        ModelFault or ReplayMiss where no item can succeed. Whatever else goes wrong is a
        judgement without a verdict.
        """
        inputs = self.step.read_input(fields)
        outcome = await ask(self.step, inputs, judge=self.judge, run=self.run, engine=self.engine)
        if outcome.status == "done":
            value = self.step.read_value(inputs, outcome.value)
            outcome = outcome.model_copy(update={"value": value})
        votes = votes_of(self.step, inputs, outcome, case="1", judge="the judge")
        parts = {
            vote.step.removeprefix(f"{self.step.name}."): vote.verdict
            for vote in votes
            if vote.verdict is not None
        }
        if not parts:
            return Judgement(outcome, {}, reason=votes[0].reason)
        total = self.step.demand_verdict().total(getattr(outcome, "value", None))
        return Judgement(
            outcome,
            parts if total is None else {**parts, "total": total},
            explanation="\n".join(filter(None, map(_explained, votes))),
        )


def _explained(vote: Vote) -> str:
    """The judge's words on a vote, after the name of the part."""
    _, _, part = vote.step.partition(".")
    return f"{part}: {vote.explanation}" if part and vote.explanation else vote.explanation


def as_callable(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    run: Run | None = None,
    engine: str = "auto",
) -> StepCallable:
    """A step as a callable; `.ask` is its async twin. All of its calls are one run.

    run: by default a new one with the user's own cache. Raises UsageError for a step or judge
    that does not exist, or a step without a verdict.
    """
    known = find_step(step)
    known.demand_verdict()
    live = as_judge(judge) if judge is not None else None
    return StepCallable(known, live, run or Run(keep=_KEEP), engine)


def framework(module: str, extra: str) -> ModuleType:
    """Another framework's module. Raises EnvironmentFault that names the pip command."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as fault:
        raise EnvironmentFault(
            f"this adapter needs {module.split('.')[0]}: pip install 'dxjudge[{extra}]' ({fault})"
        ) from fault
