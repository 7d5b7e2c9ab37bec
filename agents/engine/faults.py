"""Read an SDK's exception: whether to retry, to ask differently, or to fail the item or run."""

import math
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from ..judge import JudgeSpec
from ..wires.request import NoAnswer
from .judges import Judge
from .models import Method
from .redact import redact

FaultKind = Literal[
    "throttled",  # 429
    "transport",  # timeout, a dropped connection, 408, 409, 5xx, a body without an answer
    "unreachable",  # no connection was opened
    "rejected",  # 400, 413, 422 and every other fault of the request
    "forbidden",  # 403
    "missing",  # 404: the model or address does not exist
    "authentication",  # 401
    "quota",  # the account is empty: waiting does not help
]

_TRANSIENT = (408, 409)
_LONGEST_WAIT = 7 * 24 * 3600.0  # seconds
_KINDS: dict[int, FaultKind] = {401: "authentication", 403: "forbidden", 404: "missing"}
_NETWORK = ("TransportError", "TimeoutException", "APIConnectionError", "ProtocolError")
_UNFIT = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|deprecated|not permitted|"
    r"not allowed|invalid|only the default|cannot be|must be|must unset|extra inputs",
    re.IGNORECASE,
)
# The names that servers' messages use for our parameters.
_ALIASES = {
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "seed": ("seed", "random_seed"),
    "reasoning_effort": ("reasoning_effort", "reasoning effort", "effort"),
}
_METHOD_WORDS: dict[Method, tuple[str, ...]] = {
    "json_schema": (
        "response_format", "json_schema", "output_config", "output_format", "output format",
        "structured output", "outputconfig", "textformat",
    ),
    "tool": ("tool", "function"),
    "json_mode": ("response_format", "json_object", "json mode"),
}  # fmt: skip
_FOREIGN = re.compile(
    r"Unexpected response type|missing 'choices'|null value for 'choices'|"
    r"'(str|NoneType|list|dict)' object (has no attribute|is not iterable)"
)
_IMAGE_WORDS = re.compile(r"image|vision|multimodal|content type|mmproj", re.IGNORECASE)


@dataclass(frozen=True)
class Fault:
    """A failed request. `wait`: seconds that the server asks to wait, None if it does not ask."""

    kind: FaultKind
    message: str
    status: int | None = None
    wait: float | None = None
    parameter: str | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.kind in ("throttled", "transport", "unreachable")


class RequestFault(Exception):
    """Carries a Fault from a request to the retry loop.

    sent: the spec of the request. again: the loop may try again.
    """

    def __init__(self, fault: Fault, sent: JudgeSpec, *, again: bool) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.sent = sent
        self.again = again


def read_fault(error: Exception, judge: Judge) -> Fault | None:
    """Return an exception's fault; None when it is not about a request but a bug of ours."""
    status = _status(error)
    message = redact(f"{type(error).__name__}: {error}"[:2000], judge)
    if status is None:
        if _is_network(error) or _is_no_answer(error):
            return Fault("unreachable" if _never_connected(error) else "transport", message)
        if isinstance(error, (ValueError, TypeError)) and judge.spec.provider != "object":
            return Fault("rejected", message)  # a check of the SDK or LangChain, before sending
        return None
    if status == 429:
        code = getattr(error, "code", None)
        exhausted = code == "insufficient_quota" or "insufficient_quota" in str(error)
        return Fault("quota" if exhausted else "throttled", message, status, _wait(error))
    if status in _TRANSIENT or status >= 500:
        return Fault("transport", message, status, _wait(error))
    kind = _KINDS.get(status, "rejected")
    return Fault(kind, message, status, parameter=_parameter(error))


def rejected_parameter(fault: Fault, spec: JudgeSpec) -> str | None:
    """Return the parameter of the spec that the fault says the model does not take, or None."""
    if fault.kind != "rejected":
        return None
    text = fault.message.lower()
    for name, aliases in _ALIASES.items():
        if getattr(spec, name) is None:
            continue
        if fault.parameter in aliases:
            return name
        words = (re.search(rf"\b{re.escape(alias)}\b", text) for alias in aliases)
        if any(words) and _UNFIT.search(text):
            return name
    return None


def rejects_method(fault: Fault, method: Method) -> bool:
    """Whether this fault says that the server cannot answer in this form.

    Some servers use status 500 or 501 for this.
    """
    if fault.status not in (400, 404, 415, 422, 500, 501):
        return False
    words = _METHOD_WORDS.get(method, ())
    is_named = fault.parameter is not None and any(word in fault.parameter for word in words)
    return is_named or any(word in fault.message.lower() for word in words)


def rejects_images(fault: Fault) -> bool:
    """Whether this fault says that the model takes no images."""
    return fault.status in (400, 415, 422, 500) and bool(_IMAGE_WORDS.search(fault.message))


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    # The exception for an unreadable body carries its response, whose status may be 200.
    return status if isinstance(status, int) and status >= 400 else None


def _is_network(error: Exception) -> bool:
    if isinstance(error, (TimeoutError, ConnectionError)) or getattr(error, "is_retryable", False):
        return True
    names = {base.__name__ for base in type(error).__mro__}
    return bool(names & set(_NETWORK))


def _never_connected(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ConnectionRefusedError) or type(error).__name__ == "ConnectError":
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_no_answer(error: Exception) -> bool:
    """Whether a body with status 200 is not a completion: a proxy's page, or a cut-off body.

    LangChain has no exception type for this, so its messages are searched too.
    """
    if isinstance(error, NoAnswer):
        return True
    names = {base.__name__ for base in type(error).__mro__}
    if names & {"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError"}:
        return True
    return bool(_FOREIGN.search(str(error)))


def _wait(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    milliseconds, seconds = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        wait = float(seconds) if milliseconds is None else float(milliseconds) / 1000
    except (TypeError, ValueError):
        wait = _until(str(seconds))
    # Nobody waits for a week: such a header is a fault of the server, like one that is no number.
    return max(0.0, wait) if wait < _LONGEST_WAIT else None


def _until(date: str) -> float:
    """Return the seconds until a date as HTTP writes it; NaN for any other text."""
    from datetime import UTC, datetime

    try:
        return (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _parameter(error: Exception) -> str | None:
    parameter: Any = getattr(error, "param", None)
    return parameter if isinstance(parameter, str) else None
