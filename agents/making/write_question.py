"""Write a question about the images of a case that reveals neither lesion nor diagnosis."""

import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...prompts.load import Value
from ...prompts.making import QuestionRulesField, QuestionStructure
from ..step import Step
from .facts import copied_words, missing_numbers, named_in, numbers_in
from .record import Record

_SEX = {
    "male": re.compile(r"\b(?:man|boy|male|gentleman|he|his|him)\b", re.IGNORECASE),
    "female": re.compile(r"\b(?:woman|girl|female|lady|she|her)\b", re.IGNORECASE),
}


class QuestionInput(BaseModel):
    """A case record, the structure of the question, and the names that it must not contain.

    hidden: the final diagnosis and the differential, with their other names. age_sex: the
    record's field with age and sex. objections: the faults of an earlier question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: Record
    structure: str
    hidden: tuple[str, ...] = ()
    age_sex: str = "age_sex"
    rules: QuestionRulesField = Field(default="dermcase", validate_default=True)
    objections: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> "QuestionInput":
        names = [structure.name for structure in self.rules.structures]
        if self.structure not in names:
            raise ValueError(f"structure: must be one of {', '.join(names)}")
        return self

    @property
    def chosen(self) -> QuestionStructure:
        """The structure of the question."""
        return next(item for item in self.rules.structures if item.name == self.structure)

    @property
    def shown(self) -> dict[str, str]:
        """The fields of the record that the model sees: all except the lesion fields."""
        hidden = set(self.rules.lesion)
        return {name: self.record.text(name) for name in self.record.fields if name not in hidden}


class VisualQuestion(BaseModel):
    """The question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str


def _render(inputs: QuestionInput) -> Mapping[str, Value]:
    return {
        "structure": inputs.chosen.instruction,
        "fewest": str(inputs.rules.fewest_words),
        "most": str(inputs.rules.most_words),
        "record": "\n".join(f"{name}: {text}" for name, text in inputs.shown.items()),
        "hidden": "\n".join(f"- {name}" for name in inputs.hidden) or "(none)",
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _patient(inputs: QuestionInput, answer: VisualQuestion) -> list[str]:
    """Check that the question contains the age and sex of the record."""
    documented = " ".join(inputs.record.passages(inputs.age_sex))
    problems = []
    ages = numbers_in(documented)
    if ages and not set(ages) & set(numbers_in(answer.question)):
        problems.append(f"question: the age ({ages[0]}) is missing")
    sexes = [sex for sex, words in _SEX.items() if words.search(documented)]
    if len(sexes) == 1 and not _SEX[sexes[0]].search(answer.question):
        problems.append(f"question: that the patient is {sexes[0]} is missing")
    return problems


def _form(inputs: QuestionInput, answer: VisualQuestion) -> list[str]:
    rules, words = inputs.rules, re.findall(r"\w+", answer.question.lower())
    problems = []
    if not rules.fewest_words <= len(words) <= rules.most_words:
        problems.append(
            f"question: has {len(words)} words; {rules.fewest_words} to {rules.most_words} fit"
        )
    if not set(words) & set(rules.pointer):
        problems.append("question: does not point to the images")
    if "?" not in answer.question:
        problems.append("question: asks nothing")
    return problems


def _silent(inputs: QuestionInput, answer: VisualQuestion) -> list[str]:
    """Check that the question contains no lesion passage and no hidden diagnosis."""
    lesion = inputs.record.passages(*inputs.rules.lesion)
    copied = copied_words(answer.question, lesion, inputs.rules.copied)
    problems = [f"question: describes the lesion: {copied!r}"] if copied else []
    return problems + [
        f"question: names {name!r}, which is to be found"
        for name in named_in(answer.question, inputs.hidden)
    ]


def _sourced(inputs: QuestionInput, answer: VisualQuestion) -> list[str]:
    source = " ".join(inputs.record.passages())
    return [
        f"question: the number {number} is not in the record"
        for number in missing_numbers(answer.question, source)
    ]


WRITE_VISUAL_QUESTION: Step[QuestionInput, VisualQuestion] = Step(
    name="write_visual_question",
    version=2,
    input=QuestionInput,
    output=VisualQuestion,
    render=_render,
    checks=(_patient, _form, _silent, _sourced),
    temperature=0.7,
    returns="a question about the images of a case that hides lesion and diagnosis",
)
