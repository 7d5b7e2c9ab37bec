"""Decide whether a fault that no further request can cure fails one item or ends the run."""

from ...errors import AuthenticationFault, ModelFault
from ..judge import JudgeSpec
from ..outcome import FailureKind
from .call import Call
from .faults import Fault, rejects_images, rejects_method
from .judges import key_variable

_MEANING = {
    "unreachable": "no server answers there",
    "missing": "the model or address does not exist",
    "forbidden": "the key does not allow it",
}


class TurnFailed(Exception):
    """This turn has no answer, and a further request cannot get one."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def final_fault(
    fault: Fault, sent: JudgeSpec, call: Call, spoke: bool, attempts: int, max_wait: float
) -> Exception:
    """Return the exception for a fault: TurnFailed for the item, or one that ends the run.

    spoke: whether the model has answered before; if so, a fault "missing" fails only this item.
    """
    label, message = sent.label, fault.message
    if fault.kind == "authentication":
        return AuthenticationFault(f"{label} refused the key: {_key_hint(call)} ({message})")
    if fault.kind == "quota":
        return ModelFault(f"the account for {label} has no quota left ({message})")
    if call.images and rejects_images(fault):
        return no_images(call, message)
    if not spoke and fault.kind in _MEANING:
        return ModelFault(f"{label} cannot be used: {_MEANING[fault.kind]} ({message})")
    if call.spec.method != "auto" and rejects_method(fault, sent.method):
        return ModelFault(f"{label} does not answer by method {sent.method} ({message})")
    if not fault.retryable:
        return TurnFailed("rejected", message)
    if (fault.wait or 0) > max_wait:
        message = f"the server asks to wait {fault.wait:.0f} s ({message})"
    return TurnFailed("transport", f"after {attempts} requests: {message}")


def no_images(call: Call, why: str) -> ModelFault:
    """Return the error for images that are sent to a model which takes only text."""
    label = call.spec.label
    return ModelFault(f"step {call.step.name} sends images, and {label} takes text only ({why})")


def _key_hint(call: Call) -> str:
    if call.judge.model is not None:
        return "check the key of the model object"
    return f"check the environment variable {key_variable(call.judge.spec)}"
