"""Define the evidence of a case: passages of the report, by section and by modality."""

import re

from pydantic import BaseModel, ConfigDict

from ...prompts.evidence import EvidenceForm
from ...prompts.making import FormField, RecordForm
from ..rules.quotes import Quote
from .record import Record

_DIAGNOSIS = FormField(
    name="final_diagnosis",
    part="diagnosis",
    description="The diagnosis that the report settles on for the patient.",
)


class Modal(BaseModel):
    """The passages of one modality, and the figures that show it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    modality: str
    passages: tuple[Quote, ...]
    figures: tuple[str, ...]


class CaseEvidence(BaseModel):
    """The passages of a case by section and by modality; the offsets count the report's characters.

    sections: background, laboratory, medication and impressions. diagnosis: passages with the
    final diagnosis.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sections: dict[str, tuple[Quote, ...]]
    evidence: tuple[Modal, ...]
    diagnosis: tuple[Quote, ...]

    def passages(self, name: str) -> tuple[str, ...]:
        """Return the passages of a section or of a modality; empty if there are none."""
        quotes = self.sections.get(name, ())
        for modal in self.evidence:
            if modal.modality == name:
                quotes = modal.passages
        return tuple(quote.text for quote in quotes)

    def kinds(self, *hidden: str) -> tuple[str, ...]:
        """Return the sections and modalities that have passages, except the hidden ones."""
        names = (*self.sections, *(modal.modality for modal in self.evidence))
        return tuple(name for name in names if name not in hidden and self.passages(name))

    def as_record(self, form: EvidenceForm) -> Record:
        """Return the evidence as a record of `record_form(form)`, for the step that verifies it."""
        quotes = {**self.sections, **{modal.modality: modal.passages for modal in self.evidence}}
        kinds = (*form.sections, *form.modalities)
        fields = {_field_name(kind.name): quotes.get(kind.name, ()) for kind in kinds}
        return Record(fields={**fields, _DIAGNOSIS.name: self.diagnosis})


def record_form(form: EvidenceForm) -> RecordForm:
    """Return the sections and modalities as fields of a record, and the diagnosis."""
    kinds = (*form.sections, *form.modalities)
    fields = [
        FormField(name=_field_name(kind.name), part="tests", description=kind.description)
        for kind in kinds
    ]
    return RecordForm(
        name=form.name, version=form.version, source=form.source, fields=(*fields, _DIAGNOSIS)
    )


def _field_name(kind: str) -> str:
    """Return a kind of evidence as the name of a field: "X-ray" is `x_ray`."""
    return re.sub(r"[^a-z0-9]+", "_", kind.casefold()).strip("_")
