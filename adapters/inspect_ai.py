"""Use a step as a scorer of inspect_ai.

    Task(dataset, scorer=as_inspect_scorer(
        "judge_equivalence", "openai:gpt-4o",
        read=lambda state, target: {"predicted": state.output.completion, "truth": target.text},
    ))

If a step failed or abstained, the sample is unscored: no metric counts it. The `reason` of the
score is "grader_failed" or "abstained"; the explanation and the metadata have the details.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.step import Step
from .callable import Judgement, as_callable, framework

Read = Callable[[Any, Any], Mapping[str, Any]]
Grade = Callable[[Judgement, Any], Any]


def as_inspect_scorer(
    step: Step[Any, Any] | str,
    judge: AnyJudge | None = None,
    *,
    read: Read,
    grade: Grade | None = None,
    metrics: Any = None,
    run: Run | None = None,
    engine: str = "auto",
) -> Any:
    """Return a scorer for `Task(scorer=...)`.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.
        judge: the model that is asked: a name such as "openai:gpt-4o", a `JudgeSpec`, or a
            LangChain chat model. Without it, only stand-ins decide.
        read: a function of (state, target) that returns the fields of the step's input.
        grade: a function of (judgement, target) that returns the value of the score. By default,
            the value is the verdict, or the verdict of each part. If the verdict is text, as in
            match_option, give a `grade` that compares it with the target and returns True or False.
        metrics: by default inspect's mean and stderr, for every part if there are several.
        run: the cache, limits and budget; by default a new run with the user's own cache.
        engine: "auto" (stand-ins first, then the judge), "llm" (the judge alone), or the name of a
            stand-in.

    Returns:
        a scorer of inspect_ai.

    Raises:
        EnvironmentFault: if inspect_ai is not installed.
    """
    scorers = framework("inspect_ai.scorer", "inspect")
    asked = as_callable(step, judge, run=run, engine=engine)

    async def score(state: Any, target: Any) -> Any:
        judgement = await asked.ask(**read(state, target))
        if not judgement.parts:
            failed = judgement.outcome.status == "failed"
            return scorers.Score.unscored(
                reason="grader_failed" if failed else "abstained",
                explanation=judgement.reason,
                metadata=judgement.account(),
            )
        return scorers.Score(
            value=grade(judgement, target) if grade else _value(judgement),
            explanation=judgement.explanation or None,
            metadata=judgement.account() | {"parts": dict(judgement.parts)},
        )

    plain = [scorers.mean(), scorers.stderr()]
    has_parts = asked.step.demand_verdict().parts is not None
    several = {"*": plain} if grade is None and has_parts else plain
    make = scorers.scorer(metrics=metrics or several, name=f"dxjudge_{asked.step.name}")
    return make(lambda: score)()


def _value(judgement: Judgement) -> Any:
    return judgement.verdict if len(judgement.parts) == 1 else dict(judgement.parts)
