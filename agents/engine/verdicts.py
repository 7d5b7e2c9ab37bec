"""What a fault that no further request can mend means: for one item, or for all of them."""

from ...errors import AuthenticationFault, ModelFault
from ..judge import JudgeSpec
from ..outcome import FailureKind
from .call import Call
from .faults import Fault, rejects_images, rejects_method
from .judges import key_variable

_MEANING = {
    "unreachable": "no server answers there",
    "missing": "no such model or address",
    "forbidden": "the key may not use it",
}


class TurnFailed(Exception):
    """No answer was had in this turn, and none will be."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def final_fault(
    fault: Fault, sent: JudgeSpec, call: Call, spoke: bool, attempts: int, max_wait: float
) -> Exception:
    """The exception for a fault: TurnFailed for the item, or one that ends the run.

    spoke: whether the model has answered before; then a missing model is one item's failure.
    """
    label, said = sent.label, fault.message
    if fault.kind == "authentication":
        return AuthenticationFault(f"{label} refused the key: {_key_hint(call)} ({said})")
    if fault.kind == "quota":
        return ModelFault(f"the account for {label} has no quota left ({said})")
    if call.images and rejects_images(fault):
        return no_images(call, said)
    if not spoke and fault.kind in _MEANING:
        return ModelFault(f"{label} cannot be used: {_MEANING[fault.kind]} ({said})")
    if call.spec.method != "auto" and rejects_method(fault, sent.method):
        return ModelFault(f"{label} does not answer by method {sent.method} ({said})")
    if not fault.retryable:
        return TurnFailed("rejected", said)
    if (fault.wait or 0) > max_wait:
        said = f"the server asks to wait {fault.wait:.0f} s ({said})"
    return TurnFailed("transport", f"after {attempts} requests: {said}")


def no_images(call: Call, why: str) -> ModelFault:
    """The error for images that are sent to a model which takes text only."""
    label = call.spec.label
    return ModelFault(f"step {call.step.name} sends images, and {label} takes text only ({why})")


def _key_hint(call: Call) -> str:
    if call.judge.model is not None:
        return "check the key of the model object"
    return f"check the environment variable {key_variable(call.judge.spec)}"
