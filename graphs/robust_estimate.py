"""Estimate the calls and the cost of the trials of a plan."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
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
Question = tuple[Step[Any, Any], Inputs]
Known = Mapping[tuple[int, int], Collection[tuple[str, int]]]


def estimate_trials(
    step: Step[Any, Any],
    inputs: Sequence[Inputs],
    judges: Sequence[Judge],
    plan: Plan,
    run: Run,
    known: Known,
) -> list[tuple[str, str, Estimate]]:
    """Return the estimate of each judge and perturbation, with the judge's label; sends nothing.

    known: (item, judge) -> trials that are not asked again. A change that does not apply to an item
    is not counted as a question. Raises UsageError for a judge that cannot be used.
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
        for place, judge in enumerate(judges)
        for name, repeat in plan.trials
        for target, items in _by_step(
            [
                question
                for number, question in changed[name].items()
                if (name, repeat) not in known.get((number, place), ())
            ]
        )
    ]


def _changed(
    step: Step[Any, Any], inputs: Sequence[Inputs], name: str, seed: int
) -> dict[int, Question]:
    """Return the changed items by number, each with its step, which a wording replaces."""
    if name == BASE:
        return {number: (step, item) for number, item in enumerate(inputs)}
    questions: dict[int, Question] = {}
    for number, item in enumerate(inputs):
        try:
            change = perturb(step, step.read_input(item), name, seed)
        except DxjudgeError:  # this item cannot be asked in any form
            questions[number] = (step, item)
            continue
        if not isinstance(change, NotApplicable):
            questions[number] = (change.step, change.inputs)
    return questions


def _by_step(questions: Sequence[Question]) -> list[tuple[Step[Any, Any], list[Inputs]]]:
    """Return the items of each prompt; every item that a wording changes has a step of its own."""
    hash_of = cache(_hash_of)
    by_hash: dict[str, tuple[Step[Any, Any], list[Inputs]]] = {}
    for step, item in questions:
        by_hash.setdefault(hash_of(step), (step, []))[1].append(item)
    return list(by_hash.values())


def _hash_of(step: Step[Any, Any]) -> str:
    return step.load_prompt().hash
