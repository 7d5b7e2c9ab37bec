"""Write one paragraph from the passages of one section of a case, with nothing added."""

import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ...prompts.evidence import EvidenceFormField
from ...prompts.load import Value
from ..step import Step
from .facts import missing_numbers, named_in


class SectionInput(BaseModel):
    """The passages of one section or modality, and the names that must not occur.

    hidden: the final diagnosis and the differential. objections: the faults of an earlier
    paragraph.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    section: str
    passages: tuple[str, ...] = Field(min_length=1)
    hidden: tuple[str, ...] = ()
    form: EvidenceFormField = Field(default="medsyn", validate_default=True)
    objections: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The passages as one text."""
        return "\n".join(self.passages)


class Paragraph(BaseModel):
    """The paragraph."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paragraph: str


def _render(inputs: SectionInput) -> Mapping[str, Value]:
    return {
        "section": inputs.section,
        "passages": "\n".join(f"- {text}" for text in inputs.passages),
        "hidden": "\n".join(f"- {name}" for name in inputs.hidden) or "(none)",
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _form(inputs: SectionInput, answer: Paragraph) -> list[str]:
    text = answer.paragraph.strip()
    if not any(char.isalnum() for char in text):
        return ["paragraph: is empty"]
    problems = ["paragraph: has several paragraphs; one fits"] if "\n" in text else []
    most = inputs.form.longest * len(inputs.source)
    if len(text) > most:
        problems.append(f"paragraph: has {len(text)} characters; at most {most:.0f} fit")
    return problems


def _sourced(inputs: SectionInput, answer: Paragraph) -> list[str]:
    return [
        f"paragraph: the number {number} is not in the passages of {inputs.section}"
        for number in missing_numbers(answer.paragraph, inputs.source)
    ]


def _silent(inputs: SectionInput, answer: Paragraph) -> list[str]:
    return [
        f"paragraph: names the diagnosis {name!r}, which is to be found"
        for name in named_in(answer.paragraph, inputs.hidden)
    ]


def _own_section(inputs: SectionInput, answer: Paragraph) -> list[str]:
    """Check that the paragraph has no words of another kind of evidence than its passages."""
    return [
        f"paragraph: {word!r} belongs to {kind}, not to {inputs.section}"
        for word, kind in inputs.form.words_elsewhere(inputs.section).items()
        if _has(word, answer.paragraph) and not _has(word, inputs.source)
    ]


def _has(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


SUMMARISE_EVIDENCE: Step[SectionInput, Paragraph] = Step(
    name="summarise_evidence",
    version=1,
    input=SectionInput,
    output=Paragraph,
    render=_render,
    checks=(_form, _sourced, _silent, _own_section),
    temperature=0.3,
    returns="one paragraph from the passages of a section, with nothing added",
)
