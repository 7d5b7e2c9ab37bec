"""Use a step as an evaluator of openevals or LangSmith.

    same = as_openevals(
        "judge_equivalence", "openai:gpt-4o",
        read=lambda inputs, outputs, reference_outputs: {
            "predicted": outputs, "truth": reference_outputs},
    )
    same(outputs="podagra", reference_outputs="gout")  # {"key": ..., "score": True, ...}

If a step failed or abstained, the score is None, the comment is the reason, and the metadata has
the details.
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
    """Return an evaluator of (inputs, outputs, reference_outputs).

    The evaluator returns a result, or a list of results if the step has several verdicts.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        read: a function of (inputs, outputs, reference_outputs) that returns the fields of the
            step's input.
        grade: a function of (judgement, reference_outputs) that returns the score, a number or a
            truth value; by default, the verdict. If the verdict is text and there is no `grade`,
            the evaluator raises UsageError.
        key: the name of the result, by default the step's name. The name of a part is `key.part`.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        an evaluator for openevals.

    Raises:
        EnvironmentFault: if openevals is not installed.
    """
    evaluate = as_async_openevals(
        step, judge, read=read, grade=grade, key=key, run=run, engine=engine
    )

    def evaluate_here(**arguments: Any) -> Any:
        return run_here(_awaited(evaluate(**arguments)))

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
    """`as_openevals` for code that is async.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        read, grade, key: as in `as_openevals`.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        an async evaluator for openevals.
    """
    result = framework("openevals.types", "openevals").EvaluatorResult
    asked = as_callable(step, judge, run=run, engine=engine)
    name = key or asked.step.prompt_name

    async def evaluate(
        *, inputs: Any = None, outputs: Any, reference_outputs: Any = None, **_: Any
    ) -> Any:
        judgement = await asked.ask(**read(inputs, outputs, reference_outputs))
        if not judgement.parts:
            return result(
                key=name, score=None, comment=judgement.reason, metadata=judgement.account()
            )
        scores = {name: grade(judgement, reference_outputs)} if grade else _scores(name, judgement)
        about = {"comment": judgement.explanation or None, "metadata": judgement.account()}
        results = [result(key=part, score=score, **about) for part, score in scores.items()]
        return results[0] if len(results) == 1 else results

    return evaluate


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def _scores(name: str, judgement: Judgement) -> dict[str, Any]:
    if any(isinstance(verdict, str) for verdict in judgement.parts.values()):
        raise UsageError(
            f"the verdict of {judgement.outcome.step} is text, but openevals needs numbers; "
            "give `grade`, such as lambda judgement, reference: judgement.verdict == reference"
        )
    if len(judgement.parts) == 1:
        return {name: judgement.verdict}
    return {f"{name}.{part}": verdict for part, verdict in judgement.parts.items()}
