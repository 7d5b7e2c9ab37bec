"""Load the data of data-making steps: record forms, question structures and flaws.

Each is a YAML file, loaded by a name of the toolkit or by the path of your own file.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from .data import FROZEN, Text, refuse_twins
from .load_data import Source, load_data, loaded_by

Part = Literal["presentation", "examination", "tests", "diagnosis"]


class FormField(BaseModel):
    """A field of a record; `part` is the part of a reasoning that uses it."""

    model_config = FROZEN

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    part: Part
    description: Text


class RecordForm(BaseModel):
    """The fields of a case record; exactly one is the diagnosis."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    fields: tuple[FormField, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([field.name for field in self.fields], "field")
        if len(self.of("diagnosis")) != 1:
            raise ValueError("fields: exactly one must have the part diagnosis")
        return self

    def of(self, part: Part) -> tuple[str, ...]:
        """Return the names of the fields that a part uses."""
        return tuple(field.name for field in self.fields if field.part == part)

    @property
    def diagnosis(self) -> str:
        """The name of the field with the diagnosis."""
        return self.of("diagnosis")[0]


class QuestionStructure(BaseModel):
    """One way to build a question about the images of a case."""

    model_config = FROZEN

    name: Text
    instruction: Text


class QuestionRules(BaseModel):
    """The structures of questions, and the rules that code checks in each question.

    pointer: words that point to the images; a question must contain at least one. lesion: the
    fields that describe the lesion. copied: a question must not contain so many words in a row
    from the lesion fields.
    """

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    fewest_words: int = Field(ge=1)
    most_words: int
    copied: int = Field(ge=2)
    lesion: tuple[Text, ...]
    pointer: tuple[Text, ...] = Field(min_length=1)
    structures: tuple[QuestionStructure, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([structure.name for structure in self.structures], "structure")
        if self.most_words < self.fewest_words:
            raise ValueError("most_words: is below fewest_words")
        return self


class Flaw(BaseModel):
    """A fault of reasoning that a rejected answer contains."""

    model_config = FROZEN

    name: Text
    description: Text


class FlawKind(BaseModel):
    """One kind of rejected answer; `same_diagnosis` says whether it keeps the true diagnosis."""

    model_config = FROZEN

    name: Text
    same_diagnosis: bool
    fewest: int = Field(ge=1)
    most: int
    flaws: tuple[Flaw, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([flaw.name for flaw in self.flaws], "flaw")
        if not self.fewest <= self.most <= len(self.flaws):
            raise ValueError("most: must be from fewest to the number of flaws")
        return self


class FlawKinds(BaseModel):
    """The kinds of rejected answers; `length` is the share by which the length may differ."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    length: float = Field(gt=0, lt=1)
    kinds: tuple[FlawKind, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([kind.name for kind in self.kinds], "kind")
        return self


def load_record_form(source: Source) -> RecordForm:
    """Load a record form by name or path. Raises UsageError naming the file and the field."""
    return load_data("record", source, RecordForm)


def load_question_rules(source: Source) -> QuestionRules:
    """Load question rules by name or path. Raises UsageError naming the file and the field."""
    return load_data("questions", source, QuestionRules)


def load_flaw_kinds(source: Source) -> FlawKinds:
    """Load kinds of flaws by name or path. Raises UsageError naming the file and the field."""
    return load_data("flaws", source, FlawKinds)


# Types for the inputs of steps: the data itself, or its name or path.
RecordFormField = Annotated[RecordForm, loaded_by(load_record_form)]
QuestionRulesField = Annotated[QuestionRules, loaded_by(load_question_rules)]
FlawKindsField = Annotated[FlawKinds, loaded_by(load_flaw_kinds)]
