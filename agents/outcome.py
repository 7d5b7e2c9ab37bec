"""How a step ended: done, abstained or failed, three types that cannot be mistaken."""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from .judge import JudgeSpec

R = TypeVar("R")

FailureKind = Literal[
    "invalid",  # no valid answer after the allowed repairs
    "refused",  # the model or its content filter declined
    "truncated",  # every answer was cut off at the token limit
    "transport",  # timeouts, connection errors, 429 or 5xx outlasted the retries
    "rejected",  # the server refused this request (400, 403, 413, 422)
    "budget",  # not asked: the budget was reached
    "input",  # the inputs of this item cannot be used
    "undecided",  # no stand-in decides and no model was allowed, or a jury comes to no verdict
    "error",  # a fault in the step's own code
]


class Account(BaseModel):
    """What every outcome tells about how it came to be.

    `decided_by` is "llm", the name of the stand-in that decided ("rules", ...), or "none" where
    the inputs could not be used. `judge` is what was really sent, None where no model was
    asked. `calls` counts the requests of this process (0 when cached), `tokens_in` and
    `tokens_out` are their tokens, None where the server does not tell, `cost` their price in
    US dollars, None where the price is unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    version: int
    decided_by: str = "llm"
    judge: JudgeSpec | None = None
    repeat: int = 0
    key: str | None = None
    cached: bool = False
    calls: int = 0
    repairs: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost: float | None = 0.0


class Done(Account, Generic[R]):
    """A verdict: `value` is the step's result type."""

    status: Literal["done"] = "done"
    value: R


class Abstained(Account):
    """A valid answer that there is nothing to answer; `value` is what the model said."""

    status: Literal["abstained"] = "abstained"
    reason: str
    value: Any = None


class Failed(Account):
    """Not a verdict: why there is none, one reason an attempt."""

    status: Literal["failed"] = "failed"
    kind: FailureKind
    reasons: tuple[str, ...]


Outcome = Done[Any] | Abstained | Failed
_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(
    Annotated[Done[Any] | Abstained | Failed, Field(discriminator="status")]
)


def read_outcome(data: dict[str, Any]) -> Outcome:
    """Read a dumped outcome; `value` stays plain JSON (see `Step.read_value`)."""
    return _OUTCOME.validate_python(data)


def write_outcome(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain JSON, which `read_outcome` reads back."""
    return outcome.model_dump(mode="json")
