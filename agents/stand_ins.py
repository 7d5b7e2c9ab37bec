"""Decide without a model: a step's stand-ins run before the judge or instead of it."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ..errors import DxjudgeError, UsageError
from ..files.nearest import did_you_mean
from .outcome import Abstained, Done, Failed, Outcome
from .step import Nothing, Step

# The stand-in with this name does not replace a judge. It is a rule that only code decides (an
# empty response is a technical error). It runs first under every engine, and it cannot be chosen
# as an engine.
ALWAYS = "code"


def check_engine(
    step: Step[Any, Any], engine: str, has_judge: bool, others: Sequence[str] = ()
) -> None:
    """Raise UsageError if the step does not have this engine or if a judge is missing.

    others: engines that the caller has for this step; the message names them too.
    """
    standing = tuple(name for name in step.stand_ins if name != ALWAYS)
    allowed = ("auto", "llm", *standing)
    if engine not in allowed:
        known = (*allowed, *others)
        hint = did_you_mean(engine, known, f"it has {', '.join(known)}")
        raise UsageError(f"step {step.name} has no engine {engine!r}; {hint}")
    if not has_judge and (engine == "llm" or not standing):
        raise UsageError(
            f"step {step.name} needs a judge: --judge openai:gpt-4o, or for a local server "
            "--judge openai:MODEL@http://127.0.0.1:8080/v1"
        )


def by_stand_in(
    step: Step[Any, Any], inputs: BaseModel, engine: str, has_judge: bool, repeat: int
) -> Outcome | None:
    """Return the outcome that the step's stand-ins decide; None means that the judge is asked.

    If no stand-in decides and no judge may be asked, the outcome is Failed with kind "undecided".
    Raises UsageError in the same cases as `check_engine`.
    """
    check_engine(step, engine, has_judge)
    names = {"auto": tuple(step.stand_ins), "llm": ()}.get(engine, (engine,))
    if ALWAYS in step.stand_ins and ALWAYS not in names:
        names = (ALWAYS, *names)
    about: dict[str, Any] = {"step": step.name, "version": step.version, "repeat": repeat}
    for name in names:
        try:
            decision = step.stand_ins[name](inputs)
        except DxjudgeError:
            raise
        except Exception as fault:
            reason = f"the stand-in {name}: {type(fault).__name__}: {fault}"
            return Failed(**about, kind="error", reasons=(reason,))
        if isinstance(decision, Nothing):
            return Abstained(**about, decided_by=name, reason=decision.reason)
        if decision is not None:
            return Done(**about, decided_by=name, value=decision)
    if engine in ("auto", "llm") and has_judge:
        return None
    reason = f"{' and '.join(names)} did not decide" + (
        "" if has_judge else ", and no judge was given"
    )
    return Failed(**about, kind="undecided", reasons=(reason,))
