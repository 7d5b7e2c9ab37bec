"""What a person gave: from the fields of a form to an outcome of the step, by its own rules."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from ..outcome import Abstained, Done
from ..step import Step, problems_of
from .form import Question, questions_of

HUMAN = "human"
"""Who decided, in the outcome of a person."""
_EMPTY: Mapping[str, Any] = {"text": "", "lines": (), "quotes": (), "choices": (), "entries": ()}


def outcome_of(
    step: Step[Any, Any], inputs: BaseModel, answer: Mapping[str, Any]
) -> Done[Any] | Abstained | list[str]:
    """Return the outcome of a person's answer, or what is wrong with it, for the person.

    The answer passes the same type, checks and rules as a model's. People need not explain: a
    check of a text or of passages that were left empty is not held against the answer.
    """
    questions = questions_of(step, inputs)
    filled = _filled(questions, answer)
    try:
        output = step.output_model(inputs).model_validate(filled)
    except ValidationError as fault:
        return problems_of(fault)
    try:
        left_empty = set(_left_empty(questions, filled))
        problems = [one for one in step.problems(inputs, output) if _path(one) not in left_empty]
        if problems:
            return problems
        value = step.finish(inputs, output) if step.finish else output
        reason = step.abstain(inputs, output) if step.abstain else None
    except Exception as fault:  # a fault in the step's own code
        return [f"the step cannot use this answer: {type(fault).__name__}: {fault}"]
    about: dict[str, Any] = {"step": step.name, "version": step.version, "decided_by": HUMAN}
    if reason is not None:
        return Abstained(**about, reason=reason, value=value)
    return Done(**about, value=value)


def cannot_tell(step: Step[Any, Any], note: str) -> Abstained:
    """Return the outcome of a person who looked and cannot tell."""
    reason = f"cannot tell: {note}" if note.strip() else "cannot tell"
    return Abstained(step=step.name, version=step.version, decided_by=HUMAN, reason=reason)


def _filled(questions: Sequence[Question], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with every field that may be left empty; others stay missing."""
    filled = dict(answer)
    for one in questions:
        if one.kind == "group":
            filled[one.name] = _filled(one.questions, _mapping(answer.get(one.name)))
        elif one.kind == "entries":
            entries = answer.get(one.name) or ()
            filled[one.name] = [_filled(one.questions, _mapping(entry)) for entry in entries]
        elif one.kind in _EMPTY and not one.needed and not one.none:
            filled.setdefault(one.name, _EMPTY[one.kind])
    return filled


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _left_empty(
    questions: Sequence[Question], filled: Mapping[str, Any], above: str = ""
) -> Iterable[str]:
    for one in questions:
        value, path = filled.get(one.name), f"{above}{one.name}"
        if one.kind == "group":
            yield from _left_empty(one.questions, value or {}, f"{path}.")
        elif one.kind == "entries":
            for number, entry in enumerate(value or ()):
                yield from _left_empty(one.questions, entry, f"{path}.{number}.")
        elif not one.needed and one.kind in ("text", "quotes") and not value:
            yield path


def _path(problem: str) -> str:
    return problem.partition(":")[0]
