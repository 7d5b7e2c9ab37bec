"""The outcome of a step: Done, Abstained or Failed."""

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from ..files.counted import counted
from ..files.short import LINE, short
from .judge import JudgeSpec

R = TypeVar("R")

_LONGEST = 400  # characters of a cell

FailureKind = Literal[
    "invalid",  # no valid answer after the allowed repairs
    "refused",  # the model or its content filter declined
    "truncated",  # every answer was cut off at the token limit
    "transport",  # timeouts, connection errors, 429 or 5xx outlasted the retries
    "rejected",  # the server refused this request (400, 403, 413, 422)
    "budget",  # not asked: the budget was reached
    "input",  # the inputs of this item cannot be used
    "undecided",  # no stand-in decided and no model was allowed
    "tied",  # the rule of a jury chose none of the verdicts
    "no_quorum",  # too few votes of a jury decided
    "no_result",  # the verdicts of a jury make no result of the step
    "error",  # a fault in the step's own code
]


class Account(BaseModel):
    """The fields that every outcome has: who decided, and what it cost.

    `decided_by` is "llm", the name of the stand-in that decided (such as "rules"), or "none" for
    an item that failed. `judge` is the spec that was really sent, None if no model was
    asked. `calls` counts the requests of this process (0 for a kept reply). `tokens_in` and
    `tokens_out` count their tokens, None if the server does not report them. `cost` is their
    price in US dollars, None if the price is unknown. `notes` say what was changed in the
    question before it was sent, such as the size of an image.
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
    # Left out of records where there is none, so that those are written as before it existed.
    notes: tuple[str, ...] = Field(default=(), exclude_if=lambda notes: not notes)

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Return the fields of a short repr: step, result and judge, without the costs."""
        yield "step", self.step
        yield from ((name, _Short(value)) for name, value in self._shown())
        yield from self._who()

    def _shown(self) -> list[tuple[str, Any]]:
        return []

    def _who(self) -> list[tuple[str, str]]:
        return [("decided_by", self.judge.label if self.judge else self.decided_by)]

    def _repr_html_(self) -> str:
        """Return the outcome as an HTML table for a notebook."""
        rows = [pair for name, value in self._shown() for pair in _rows(name, value)]
        rows += [(name.replace("_", " "), label) for name, label in self._who()]
        account = f"{counted(self.calls, 'call')}, {counted(self.repairs, 'repair')}" + (
            ", cached" * self.cached
        )
        title = f"{self.step}: {type(self).__name__.partition('[')[0].lower()}"
        return html_table(title, [*rows, ("account", account)])


class _Short:
    """A value whose repr is cut to one line."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return short(self._value, 2 * LINE)


def _rows(name: str, value: Any) -> list[tuple[str, Any]]:
    return fields_of(value) if name == "value" else [(name, value)]


class Done(Account, Generic[R]):
    """The step reached a result; `value` has the step's result type."""

    status: Literal["done"] = "done"
    value: R

    def _shown(self) -> list[tuple[str, Any]]:
        return [("value", self.value)]


class Abstained(Account):
    """A valid answer says that there is nothing to answer; `value` is the model's result."""

    status: Literal["abstained"] = "abstained"
    reason: str
    value: Any = None

    def _shown(self) -> list[tuple[str, Any]]:
        return [("reason", self.reason)]


class Failed(Account):
    """The step reached no result; `reasons` has one entry for each attempt.

    Nobody decided it, so `decided_by` is always "none".
    """

    status: Literal["failed"] = "failed"
    decided_by: Literal["none"] = "none"
    kind: FailureKind
    reasons: tuple[str, ...]

    @field_validator("decided_by", mode="before")
    @classmethod
    def _nobody(cls, _: object) -> str:
        # Records of earlier versions name the judge or the stand-in that failed.
        return "none"

    @property
    def why(self) -> str:
        """The kind and all reasons as one text; the kind is not repeated."""
        return self._why("; ".join(self.reasons))

    @property
    def first_why(self) -> str:
        """The kind and the first reason as one text."""
        return self._why(self.reasons[0])

    @property
    def last_why(self) -> str:
        """The kind and the last reason as one text."""
        return self._why(self.reasons[-1])

    def _why(self, text: str) -> str:
        return text if text.startswith(f"{self.kind}: ") else f"{self.kind}: {text}"

    def _shown(self) -> list[tuple[str, Any]]:
        return [("kind", self.kind), ("reasons", self.reasons)]

    def _who(self) -> list[tuple[str, str]]:
        return [("judge", self.judge.label)] if self.judge else []


Outcome = Done[Any] | Abstained | Failed
_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(
    Annotated[Done[Any] | Abstained | Failed, Field(discriminator="status")]
)


def read_outcome(data: dict[str, Any]) -> Outcome:
    """Read an outcome from plain JSON; `value` stays plain JSON (see `Step.read_value`)."""
    return _OUTCOME.validate_python(data)


def write_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as plain JSON, which `read_outcome` reads back."""
    return outcome.model_dump(mode="json")


def html_table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """Return an HTML table with a row for each pair; empty values are left out, long ones cut."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(_text(value))}</td></tr>'
        for name, value in rows
        if value not in (None, "", (), [], {})
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def fields_of(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a result as rows; a result that is a plain value is one row."""
    plain = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    return list(plain.items()) if isinstance(plain, dict) else [("value", plain)]


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
