"""Check each field of a case record against the text of the case."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts.load import Value
from ...prompts.making import RecordForm, RecordFormField
from ..rules.technical import technical_fault
from ..step import Step
from .record import Record


class RecordCheckInput(BaseModel):
    """The text of a case, and the record that was extracted from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str = Field(min_length=1)
    record: Record
    form: RecordFormField = Field(default="dermcase", validate_default=True)


class FieldCheck(BaseModel):
    """What is wrong with one field, first in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: str = Field(
        description="What the field claims wrongly, or what it lacks that the case says; empty if "
        "nothing is wrong."
    )
    supported: bool = Field(description="true if the field is right and complete, else false.")


class RecordCheckAnswer(BaseModel):
    """The check of every field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RecordCheck(BaseModel):
    """The fault of each wrong field; empty if the whole record is supported."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unsupported: dict[str, str]


def _render(inputs: RecordCheckInput) -> Mapping[str, Value]:
    return {
        "form": "\n".join(f"- {field.name}: {field.description}" for field in inputs.form.fields),
        "case": inputs.case,
        "record": inputs.record.sheet(),
    }


@lru_cache(maxsize=64)
def _answer_model(form: RecordForm) -> type[RecordCheckAnswer]:
    fields: dict[str, Any] = {
        field.name: (FieldCheck, Field(description=field.description)) for field in form.fields
    }
    return create_model("RecordCheckAnswer", __base__=RecordCheckAnswer, **fields)


def _checks(inputs: RecordCheckInput, answer: RecordCheckAnswer) -> dict[str, FieldCheck]:
    return {field.name: getattr(answer, field.name) for field in inputs.form.fields}


def _explained(inputs: RecordCheckInput, answer: RecordCheckAnswer) -> list[str]:
    """Check that a field has a fault in words exactly where it is not supported."""
    problems = []
    for name, check in _checks(inputs, answer).items():
        is_silent = technical_fault(check.fault) is not None  # empty, "none", only marks
        if not check.supported and is_silent:
            problems.append(f"{name}.fault: say what is wrong")
        elif check.supported and not is_silent:
            problems.append(
                f"{name}: {check.fault[:200]!r} is a fault, and yet the field is said to be "
                "supported; if nothing is wrong, leave fault empty"
            )
    return problems


def _collect(inputs: RecordCheckInput, answer: RecordCheckAnswer) -> RecordCheck:
    checks = _checks(inputs, answer).items()
    faults = {name: check.fault.strip() for name, check in checks if not check.supported}
    return RecordCheck(unsupported=faults)


VERIFY_RECORD: Step[RecordCheckInput, RecordCheckAnswer, RecordCheck] = Step(
    name="verify_record",
    version=2,
    input=RecordCheckInput,
    output=lambda inputs: _answer_model(inputs.form),
    render=_render,
    checks=(_explained,),
    finish=_collect,
    result=RecordCheck,
    returns="the fields of a record that its source does not support, with the reason",
)
