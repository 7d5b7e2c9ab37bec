"""Turn a step into a callable that takes the step's fields and returns a judgement.

    same = as_callable("judge_equivalence", "openai:gpt-4o")
    same(predicted="podagra", truth="gout").verdict  # True, or None if there is no verdict

The adapters to other frameworks in this folder use it.
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
from ..errors import MissingExtra, NoVerdict
from ..files.short import short
from ..graphs.loop import run_here
from ..graphs.verdicts import votes_of
from ..scoring.votes import Scalar, Vote

_KEEP = 1000  # attempts that a callable's run keeps; a process may use it for a long time


@dataclass(frozen=True, repr=False)
class Judgement:
    """An outcome in the form that other frameworks need.

    parts: the verdict of each part; empty unless the step is done. A step with one verdict has it
        under the step's name. A rubric has one verdict for each dimension, and `total`. Error
        labels and multiple categories have one verdict for each category.
    explanation: the judge's own words. reason: why there is no verdict.
    outcome: everything else: judge, tokens, cost, key of the reply.
    """

    outcome: Outcome
    parts: Mapping[str, Scalar]
    explanation: str = ""
    reason: str = ""

    def __repr__(self) -> str:
        what = f"parts={short(dict(self.parts))}" if self.parts else f"reason={short(self.reason)}"
        return f"Judgement({self.outcome.step!r}, {self.outcome.status}, {what})"

    @property
    def verdict(self) -> Scalar | None:
        """The only verdict; None if there is none. Raises ValueError if there are several."""
        if len(self.parts) > 1:
            raise ValueError(
                f"{self.outcome.step} has several verdicts; read one of {', '.join(self.parts)} "
                "from `parts`"
            )
        return next(iter(self.parts.values()), None)

    def demand(self) -> "Judgement":
        """Return this judgement. Raises NoVerdict if the step failed or abstained."""
        if self.parts:
            return self
        raise NoVerdict(f"{self.outcome.step} {self.outcome.status}: {self.reason}")

    def account(self) -> dict[str, Any]:
        """Return the outcome without its value, for a log, as plain JSON."""
        plain = self.outcome.model_dump(mode="json", exclude={"value", "reasons"})
        judge = self.outcome.judge
        return {**plain, "judge": judge.label if judge else None, "reason": self.reason}


@dataclass(frozen=True, eq=False, repr=False)
class StepCallable:
    """A step, its judge and its run; call it with the step's fields."""

    step: Step[Any, Any]
    judge: Judge | None
    run: Run
    engine: str = "auto"

    def __repr__(self) -> str:
        judge = self.judge.spec.label if self.judge else None
        return f"StepCallable({self.step.name!r}, judge={judge!r}, engine={self.engine!r})"

    def __call__(self, /, **fields: Any) -> Judgement:
        """Judge one item, also inside a running event loop. Raises in the same cases as `ask`."""
        return run_here(self.ask(**fields))

    async def ask(self, /, **fields: Any) -> Judgement:
        """Judge one item.

        Raises UsageError or InputError for fields that cannot be used, AuthenticationFault,
        ModelFault or ReplayMiss if no item can succeed. After any other error, the judgement has
        no verdict.
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
    """Return the judge's words on a vote, with the name of the part in front."""
    _, _, part = vote.step.partition(".")
    return f"{part}: {vote.explanation}" if part and vote.explanation else vote.explanation


def as_callable(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    run: Run | None = None,
    engine: str = "auto",
) -> StepCallable:
    """Return a step as a callable; `.ask` is the async form. All of its calls are one run.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        run: by default a new run with the user's cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        a callable that takes the step's fields and returns a `Judgement`.

    Raises:
        UsageError: for a step or judge that does not exist, or a step without a verdict.
    """
    known_step = find_step(step)
    known_step.demand_verdict()
    live = as_judge(judge) if judge is not None else None
    return StepCallable(known_step, live, run or Run(keep=_KEEP), engine)


def framework(module: str, extra: str) -> ModuleType:
    """Import a module of another framework. Raises MissingExtra with the pip command."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as fault:
        raise MissingExtra("this adapter", extra, fault) from fault
