"""A step as an evaluator of pydantic_evals.

    Dataset(cases=cases, evaluators=[as_pydantic_evaluator(
        "grade_final_diagnosis", "openai:gpt-4o",
        read=lambda case: {"truth": case.expected_output, "generated": case.output},
    )])

A step that failed or abstained raises NoVerdict, which pydantic_evals keeps as an
`EvaluatorFailure` of that case: neither a score nor a failed assertion.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.step import Step
from .callable import Judgement, StepCallable, as_callable, framework

Read = Callable[[Any], Mapping[str, Any]]
Grade = Callable[[Judgement, Any], Any]


@dataclass(frozen=True, eq=False)
class _Held:
    """What an evaluator needs and no report can print."""

    asked: StepCallable
    read: Read
    grade: Grade | None


def as_pydantic_evaluator(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    read: Read,
    grade: Grade | None = None,
    run: Run | None = None,
    engine: str = "auto",
) -> Any:
    """An evaluator for `Dataset(evaluators=[...])`.

    read: the EvaluatorContext -> the fields of the step's input.
    grade: (judgement, context) -> a number (a score), a truth value (an assertion) or text (a
        label); by default the verdict, or part -> verdict where the step has several.
    Raises EnvironmentFault without pydantic_evals.
    """
    asked = as_callable(step, judge, run=run, engine=engine)
    label = asked.judge.spec.label if asked.judge else None
    evaluator = _type()(step=asked.step.prompt_name, judge=label)
    evaluator.held = _Held(asked, read, grade)
    return evaluator


@cache
def _type() -> Any:
    evals = framework("pydantic_evals.evaluators", "pydantic-evals")

    @dataclass(repr=False)
    class DxjudgeStep(evals.Evaluator):  # type: ignore[name-defined, misc]
        """A judging step; the fields are what a report shows of it."""

        step: str
        judge: str | None

        def get_default_evaluation_name(self) -> str:
            return self.step

        def get_evaluator_version(self) -> str | None:
            return str(self.held.asked.step.version)

        async def evaluate(self, ctx: Any) -> Any:
            held: _Held = self.held
            found = (await held.asked.ask(**held.read(ctx))).demand()
            if held.grade is not None:
                return evals.EvaluationReason(held.grade(found, ctx), found.explanation or None)
            return {
                part: evals.EvaluationReason(verdict, found.explanation or None)
                for part, verdict in found.parts.items()
            }

    return DxjudgeStep
