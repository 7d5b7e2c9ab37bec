"""Use a step as an evaluator of pydantic_evals.

    Dataset(cases=cases, evaluators=[as_pydantic_evaluator(
        "grade_final_diagnosis", "openai:gpt-4o",
        read=lambda case: {"truth": case.expected_output, "generated": case.output},
    )])

If a step failed or abstained, the evaluator raises NoVerdict. pydantic_evals records this as an
`EvaluatorFailure` of the case, not as a score or a failed assertion.
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
class _Judging:
    """The parts of an evaluator that are not fields, because a report could not print them."""

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
    """Return an evaluator for `Dataset(evaluators=[...])`.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        read: a function of the EvaluatorContext that returns the fields of the step's input.
        grade: a function of (judgement, context) that returns a number (a score), a truth value (an
            assertion) or text (a label). By default, the result is the verdict of each part.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        an evaluator of pydantic_evals.

    Raises:
        EnvironmentFault: if pydantic_evals is not installed.
    """
    asked = as_callable(step, judge, run=run, engine=engine)
    label = asked.judge.spec.label if asked.judge else None
    evaluator = _type()(step=asked.step.prompt_name, judge=label)
    evaluator.judging = _Judging(asked, read, grade)
    return evaluator


@cache
def _type() -> Any:
    evals = framework("pydantic_evals.evaluators", "pydantic-evals")

    @dataclass(repr=False)
    class DxjudgeStep(evals.Evaluator):  # type: ignore[name-defined, misc]
        """A step as an evaluator; a report shows its fields."""

        step: str
        judge: str | None

        def get_default_evaluation_name(self) -> str:
            return self.step

        def get_evaluator_version(self) -> str | None:
            return str(self.judging.asked.step.version)

        async def evaluate(self, ctx: Any) -> Any:
            judging: _Judging = self.judging
            judgement = (await judging.asked.ask(**judging.read(ctx))).demand()
            if judging.grade is not None:
                return evals.EvaluationReason(
                    judging.grade(judgement, ctx), judgement.explanation or None
                )
            return {
                part: evals.EvaluationReason(verdict, judgement.explanation or None)
                for part, verdict in judgement.parts.items()
            }

    return DxjudgeStep
