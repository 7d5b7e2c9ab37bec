"""A step as an evaluator in the form of openevals, which LangSmith takes too.

    same = as_openevals(
        "judge_equivalence", "openai:gpt-4o",
        read=lambda inputs, outputs, reference_outputs: {
            "predicted": outputs, "truth": reference_outputs},
    )
    same(outputs="podagra", reference_outputs="gout")  # {"key": ..., "score": True, ...}

A step that failed or abstained has the score None, the reason as its comment, and the account
in its metadata.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.step import Step
from ..errors import UsageError
from ..graphs.loop import run_here
from .callable import Judgement, as_callable, framework

Read = Callable[[Any, Any, Any], Mapping[str, Any]]
Grade = Callable[[Judgement, Any], float | bool]


def as_openevals(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    read: Read,
    grade: Grade | None = None,
    key: str | None = None,
    run: Run | None = None,
    engine: str = "auto",
) -> Callable[..., Any]:
    """An evaluator: (inputs, outputs, reference_outputs) -> a result, or one a part.

    read: (inputs, outputs, reference_outputs) -> the fields of the step's input.
    grade: (judgement, reference_outputs) -> the score, a number or a truth value; by default
        the verdict. A step whose verdict is text needs it, and raises UsageError without.
    key: the name of the result, the step's by default; parts are `key.part`.
    Raises EnvironmentFault without openevals.
    """
    evaluate = as_async_openevals(
        step, judge, read=read, grade=grade, key=key, run=run, engine=engine
    )

    def evaluate_here(**given: Any) -> Any:
        return run_here(_awaited(evaluate(**given)))

    return evaluate_here


def as_async_openevals(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    read: Read,
    grade: Grade | None = None,
    key: str | None = None,
    run: Run | None = None,
    engine: str = "auto",
) -> Callable[..., Awaitable[Any]]:
    """`as_openevals` for code that is async."""
    result = framework("openevals.types", "openevals").EvaluatorResult
    asked = as_callable(step, judge, run=run, engine=engine)
    name = key or asked.step.prompt_name

    async def evaluate(
        *, inputs: Any = None, outputs: Any, reference_outputs: Any = None, **_: Any
    ) -> Any:
        found = await asked.ask(**read(inputs, outputs, reference_outputs))
        if not found.parts:
            return result(key=name, score=None, comment=found.reason, metadata=found.account())
        scores = {name: grade(found, reference_outputs)} if grade else _scores(name, found)
        about = {"comment": found.explanation or None, "metadata": found.account()}
        results = [result(key=part, score=score, **about) for part, score in scores.items()]
        return results[0] if len(results) == 1 else results

    return evaluate


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def _scores(name: str, found: Judgement) -> dict[str, Any]:
    if any(isinstance(verdict, str) for verdict in found.parts.values()):
        raise UsageError(
            f"the verdict of {found.outcome.step} is text and openevals takes numbers: "
            "give `grade`, such as lambda found, reference: found.verdict == reference"
        )
    if len(found.parts) == 1:
        return {name: found.verdict}
    return {f"{name}.{part}": verdict for part, verdict in found.parts.items()}
