"""A step as a scorer of inspect_ai.

    Task(dataset, scorer=as_inspect_scorer(
        "judge_equivalence", "openai:gpt-4o",
        read=lambda state, target: {"predicted": state.output.completion, "truth": target.text},
    ))

A step that failed or abstained leaves the sample unscored: it counts in no metric, and the score
says why (`reason` is "grader_failed" or "abstained", the explanation and the metadata the rest).
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
    """A scorer for `Task(scorer=...)`.

    read: (state, target) -> the fields of the step's input.
    grade: (judgement, target) -> the value of the score; by default the verdict, or
        part -> verdict where the step has several. A step whose verdict is text, such as
        match_option, needs it: compare with the target, and return True or False.
    metrics: by default inspect's mean and stderr, of every part where there are several.
    Raises EnvironmentFault without inspect_ai.
    """
    scorers = framework("inspect_ai.scorer", "inspect")
    asked = as_callable(step, judge, run=run, engine=engine)

    async def score(state: Any, target: Any) -> Any:
        found = await asked.ask(**read(state, target))
        if not found.parts:
            failed = found.outcome.status == "failed"
            return scorers.Score.unscored(
                reason="grader_failed" if failed else "abstained",
                explanation=found.reason,
                metadata=found.account(),
            )
        return scorers.Score(
            value=grade(found, target) if grade else _value(found),
            explanation=found.explanation or None,
            metadata=found.account() | {"parts": dict(found.parts)},
        )

    plain = [scorers.mean(), scorers.stderr()]
    has_parts = asked.step.demand_verdict().parts is not None
    several = {"*": plain} if grade is None and has_parts else plain
    make = scorers.scorer(metrics=metrics or several, name=f"dxjudge_{asked.step.name}")
    return make(lambda: score)()


def _value(found: Judgement) -> Any:
    return found.verdict if len(found.parts) == 1 else dict(found.parts)
