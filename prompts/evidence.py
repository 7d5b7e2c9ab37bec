"""Load the data of evidence steps: kinds of evidence, and the rules of options."""

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from .data import FROZEN, Text, refuse_twins
from .load_data import Source, load_data, loaded_by


class EvidenceKind(BaseModel):
    """A modality or a section; its `words` in another section's paragraph are out of place."""

    model_config = FROZEN

    name: Text
    description: Text
    words: tuple[Text, ...] = ()


class EvidenceForm(BaseModel):
    """The kinds of evidence of a case.

    most: how many modalities a case may have. longest: how long a paragraph may be, as a multiple
    of its passages. modalities: evidence that may have figures. sections: text apart from them.
    """

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    most: int = Field(ge=1)
    longest: float = Field(gt=0)
    modalities: tuple[EvidenceKind, ...] = Field(min_length=1)
    sections: tuple[EvidenceKind, ...]

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([kind.name for kind in self.kinds], "kind")
        wanted = ("background", "laboratory", "medication", "impressions")
        names = tuple(section.name for section in self.sections)
        if names != wanted:
            raise ValueError(f"sections: must be {', '.join(wanted)}")
        return self

    @property
    def kinds(self) -> tuple[EvidenceKind, ...]:
        """All modalities and sections."""
        return self.modalities + self.sections

    def words_elsewhere(self, name: str) -> dict[str, str]:
        """Return the words of all kinds except this one, each with its kind."""
        return {word: kind.name for kind in self.kinds if kind.name != name for word in kind.words}


class OptionRules(BaseModel):
    """The rules of options: how many distractors, and the bound of the ratio of their lengths."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    distractors: int = Field(ge=1, le=25)
    length: float = Field(gt=1)


def load_evidence_form(source: Source) -> EvidenceForm:
    """Load kinds of evidence by name or path. Raises UsageError naming the file and the field."""
    return load_data("evidence", source, EvidenceForm)


def load_option_rules(source: Source) -> OptionRules:
    """Load the rules of options by name or path. Raises UsageError naming file and field."""
    return load_data("options", source, OptionRules)


# Types for the inputs of steps: the data itself, or its name or path.
EvidenceFormField = Annotated[EvidenceForm, loaded_by(load_evidence_form)]
OptionRulesField = Annotated[OptionRules, loaded_by(load_option_rules)]
