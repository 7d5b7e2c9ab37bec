"""Write the diagnostic reasoning of a case in five parts, only from the facts of its record."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ...prompts.load import Value
from ...prompts.making import Part, RecordFormField
from ..rules.wording import fold
from ..step import Step
from .facts import missing_numbers
from .reasoning import LIMITED, Reasoning
from .record import Record


class ReasoningInput(BaseModel):
    """A case record, the question that the reasoning answers, and the diagnoses considered.

    objections: the faults of an earlier reasoning.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: Record
    question: str = Field(min_length=1)
    considered: tuple[str, ...] = ()
    form: RecordFormField = Field(default="dermcase", validate_default=True)
    objections: tuple[str, ...] = ()

    @property
    def truth(self) -> str:
        """The record's final diagnosis."""
        return self.record.text(self.form.diagnosis)


def _render(inputs: ReasoningInput) -> Mapping[str, Value]:
    return {
        "record": inputs.record.sheet(),
        "question": inputs.question,
        "considered": "\n".join(f"- {name}" for name in inputs.considered) or "(none named)",
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _numbers(inputs: ReasoningInput, answer: Reasoning) -> list[str]:
    source = " ".join(inputs.record.passages())
    return [
        f"{place}: the number {number} is not in the record"
        for place, text in _written(answer).items()
        for number in missing_numbers(text, source)
    ]


def _written(answer: Reasoning) -> dict[str, str]:
    texts = {"presentation": answer.presentation, "examination": answer.examination}
    for place, test in enumerate(answer.tests):
        texts[f"tests.{place}"] = f"{test.name} {test.result}"
    for place, item in enumerate(answer.differential):
        texts[f"differential.{place}"] = f"{item.support} {item.contradiction}"
    return {**texts, "pathophysiology": answer.pathophysiology}


def _tests(inputs: ReasoningInput, answer: Reasoning) -> list[str]:
    """Check that every word of each test's name occurs in the record."""
    words = set(fold(" ".join(inputs.record.passages())).split())
    return [
        f"tests.{place}.name: {test.name!r} is no test of the record"
        for place, test in enumerate(answer.tests)
        if not set(fold(test.name).split()) <= words
    ]


def _ranked(inputs: ReasoningInput, answer: Reasoning) -> list[str]:
    """Check that the final diagnosis is one of the differential, and none is listed twice."""
    names = [fold(item.diagnosis) for item in answer.differential]
    problems = (
        []
        if fold(answer.final_diagnosis) in names
        else ["differential: the final diagnosis is missing"]
    )
    return problems + ["differential: lists a diagnosis twice"] * (len(set(names)) < len(names))


def _limits(inputs: ReasoningInput, answer: Reasoning) -> list[str]:
    """Check that a part without documented facts says so."""
    written: dict[Part, str] = {
        "presentation": answer.presentation,
        "examination": answer.examination,
    }
    problems = [
        f"{part}: the record documents nothing for it; say {LIMITED!r}"
        for part, text in written.items()
        if not inputs.record.passages(*inputs.form.of(part)) and LIMITED not in text.lower()
    ]
    if answer.tests and not inputs.record.passages(*inputs.form.of("tests")):
        problems.append("tests: the record documents none")
    return problems


WRITE_REASONING: Step[ReasoningInput, Reasoning] = Step(
    name="write_reasoning",
    version=2,
    input=ReasoningInput,
    output=Reasoning,
    render=_render,
    checks=(_numbers, _tests, _ranked, _limits),
    temperature=0.3,
    returns="a reasoning in five parts with a final diagnosis, from a record's facts",
)
