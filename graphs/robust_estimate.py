"""Estimate the calls and the cost of the trials of a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ..agents.engine.estimate import Estimate, estimate
from ..agents.engine.judges import Judge
from ..agents.engine.run import Run
from ..agents.perturb import NotApplicable, perturb
from ..agents.step import Step
from ..errors import DxjudgeError
from .robust import BASE, Plan, warmed

Inputs = BaseModel | Mapping[str, Any]


def estimate_trials(
    step: Step[Any, Any], inputs: Sequence[Inputs], judges: Sequence[Judge], plan: Plan, run: Run
) -> list[tuple[str, str, Estimate]]:
    """Return the estimate of each judge and perturbation, with the judge's label; sends nothing.

    A change that does not apply to an item is not counted as a question. Raises UsageError for a
    judge that cannot be used.
    """
    changed = {name: _changed(step, inputs, name, plan.seed) for name, _ in plan.trials}
    return [
        (
            judge.spec.label,
            f"{target.name} ({name or 'unchanged'})",
            estimate(
                target,
                items,
                judge=warmed(judge, plan.temperature) if name == "repeat" else judge,
                run=run,
                engine="llm",
                repeat=repeat,
            ),
        )
        for judge in judges
        for name, repeat in plan.trials
        for target, items in changed[name]
    ]


Question = tuple[Step[Any, Any], list[Inputs]]


def _changed(
    step: Step[Any, Any], inputs: Sequence[Inputs], name: str, seed: int
) -> list[Question]:
    """Return the changed items by the step that judges them, which a wording replaces."""
    if name == BASE:
        return [(step, list(inputs))]
    by_step: dict[str, Question] = {}
    for item in inputs:
        try:
            change = perturb(step, step.read_input(item), name, seed)
        except DxjudgeError:  # this item cannot be asked in any form
            by_step.setdefault(step.load_prompt().hash, (step, []))[1].append(item)
            continue
        if not isinstance(change, NotApplicable):
            target = change.step
            by_step.setdefault(target.load_prompt().hash, (target, []))[1].append(change.inputs)
    return list(by_step.values())
