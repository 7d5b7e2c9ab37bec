"""Define the evidence of a case: passages of the report, by section and by modality."""

from pydantic import BaseModel, ConfigDict

from ..rules.quotes import Quote


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
