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
from ..agents.engine.models import AnyJudge, Judge, as_judge
from ..agents.engine.run import Run
from ..agents.outcome import Abstained, Failed, Outcome
from ..agents.step import Step
from ..agents.steps import find_step
from ..errors import EnvironmentFault, NoVerdict
from ..graphs.loop import run_here
from ..graphs.verdicts import verdicts_of
from ..scoring.votes import Scalar

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
        if isinstance(outcome, Failed):
            return Judgement(outcome, {}, reason=f"{outcome.kind}: {'; '.join(outcome.reasons)}")
        if isinstance(outcome, Abstained):
            return Judgement(outcome, {}, reason=outcome.reason)
        value = self.step.read_value(inputs, outcome.value)
        found = verdicts_of(self.step, inputs, value)
        parts = {part or self.step.name: verdict for part, (verdict, _) in found.items()}
        total = getattr(value, "total", None)
        if total is not None:
            parts["total"] = total
        lines = [f"{part}: {words}" if part else words for part, (_, words) in found.items()]
        spoken = [line for line, (_, words) in zip(lines, found.values(), strict=True) if words]
        return Judgement(outcome, parts, explanation="\n".join(spoken))


def as_callable(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    run: Run | None = None,
    engine: str = "auto",
) -> StepCallable:
    """A step as a callable; `.ask` is its async twin. All of its calls are one run.

    run: by default a new one with the user's own cache. Raises UsageError for a step or judge
    that does not exist.
    """
    live = as_judge(judge) if judge is not None else None
    return StepCallable(find_step(step), live, run or Run(keep=_KEEP), engine)


def framework(module: str, extra: str) -> ModuleType:
    """Another framework's module. Raises EnvironmentFault that names the pip command."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as fault:
        raise EnvironmentFault(
            f"this adapter needs {module.split('.')[0]}: pip install 'dxjudge[{extra}]' ({fault})"
        ) from fault
