"""Extract a case record from a report; each field is a list of passages, or empty."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from ...prompts.load import Value
from ...prompts.making import RecordForm, RecordFormField
from ..rules.quotes import Quote, cite, find_quote
from ..step import Step
from .facts import not_a_name
from .record import Record


class CaseTextInput(BaseModel):
    """A case of a report, and the form of its record (a name, path or data).

    start, end: the span of the case in the report, in characters; by default the whole report.
    objections: the faults of an earlier record of this case.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    report: str = Field(min_length=1)
    start: int = Field(default=0, ge=0)
    end: int | None = None
    form: RecordFormField = Field(default="dermcase", validate_default=True)
    objections: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _within(self) -> "CaseTextInput":
        if not self.start < self.last <= len(self.report):
            raise ValueError(f"end: the case must be a span of the {len(self.report)} characters")
        return self

    @property
    def last(self) -> int:
        """The offset after the last character of the case."""
        return len(self.report) if self.end is None else self.end

    @property
    def case(self) -> str:
        """The text of the case."""
        return self.report[self.start : self.last]


class RecordAnswer(BaseModel):
    """The passages of each field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@lru_cache(maxsize=64)
def _answer_model(form: RecordForm) -> type[RecordAnswer]:
    fields: dict[str, Any] = {
        field.name: (
            list[str],
            Field(description=f"{field.description} Passages copied word for word, or empty."),
        )
        for field in form.fields
    }
    return create_model("RecordAnswer", __base__=RecordAnswer, **fields)


def _render(inputs: CaseTextInput) -> Mapping[str, Value]:
    return {
        "form": "\n".join(f"- {field.name}: {field.description}" for field in inputs.form.fields),
        "case": inputs.case,
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _fault(inputs: CaseTextInput, quote: str) -> str | None:
    if find_quote(quote, inputs.case) is not None:
        return None
    if find_quote(quote, inputs.report) is not None:
        return "stands in the report outside this case"
    return "does not occur in the case; copy a passage word for word"


def _quoted(inputs: CaseTextInput, answer: RecordAnswer) -> list[str]:
    return [
        f"{field.name}: {quote[:200]!r} {fault}"
        for field in inputs.form.fields
        for quote in getattr(answer, field.name)
        if (fault := _fault(inputs, quote))
    ]


def _named(inputs: CaseTextInput, answer: RecordAnswer) -> list[str]:
    """Check that the diagnosis is a bare name, which questions can be searched for."""
    field = inputs.form.diagnosis
    faults = ((text, not_a_name(text)) for text in getattr(answer, field))
    return [f"{field}: {text[:200]!r} {fault}" for text, fault in faults if fault]


def _no_diagnosis(inputs: CaseTextInput, answer: RecordAnswer) -> str | None:
    diagnosis = inputs.form.diagnosis
    return None if getattr(answer, diagnosis) else f"the report documents no {diagnosis}"


def _cite(inputs: CaseTextInput, text: str) -> Quote | None:
    quote = cite(text, "report", inputs.case)
    if quote is None:
        return None
    places = {"start": quote.start + inputs.start, "end": quote.end + inputs.start}
    return quote.model_copy(update=places)


def _collect(inputs: CaseTextInput, answer: RecordAnswer) -> Record:
    return Record(
        fields={
            field.name: _cited(inputs, getattr(answer, field.name)) for field in inputs.form.fields
        }
    )


def _cited(inputs: CaseTextInput, texts: list[str]) -> tuple[Quote, ...]:
    quotes = (_cite(inputs, text) for text in texts)
    return tuple(dict.fromkeys(quote for quote in quotes if quote is not None))


EXTRACT_CASE_RECORD: Step[CaseTextInput, RecordAnswer, Record] = Step(
    name="extract_case_record",
    version=2,
    input=CaseTextInput,
    output=lambda inputs: _answer_model(inputs.form),
    render=_render,
    checks=(_quoted, _named),
    abstain=_no_diagnosis,
    finish=_collect,
    result=Record,
    returns="the fields of a case record, each as passages of the report with their places",
)
