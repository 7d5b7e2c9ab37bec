"""Load value lists of annotations and rules of ability questions.

Each is a YAML file (`prompts/values_NAME.yaml`, `prompts/abilities_NAME.yaml`), or your own.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from .data import FROZEN, Text, refuse_twins
from .load_data import Source, load_data, loaded_by

Facet = Literal["region", "lesion", "attribute", "relation", "reasoning", "disease", "advice"]
QuestionType = Literal["single", "multiple", "open"]
LISTED = ("region", "lesion", "relation", "disease")
"""The facets with a value list of their own; each attribute has a list too."""


class TermGroup(BaseModel):
    """Terms that are alike, so that one can stand beside another as an option."""

    model_config = FROZEN

    name: Text
    terms: tuple[Text, ...] = Field(min_length=1)


class ValueList(BaseModel):
    """The terms of a facet or an attribute. A list without groups takes measures ("5 mm").

    kind: the kind of an open question about it (see `scale_open_answer.yaml`).
    """

    model_config = FROZEN

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]*$")]
    attribute: bool = False
    kind: Text = "other"
    groups: tuple[TermGroup, ...] = ()

    @model_validator(mode="after")
    def _once(self) -> Self:
        refuse_twins([term for group in self.groups for term in group.terms], "term")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms, in the order of the groups."""
        return tuple(term for group in self.groups for term in group.terms)

    def alike(self, term: str) -> tuple[str, ...]:
        """Return the other terms of the groups that have this term."""
        return tuple(
            other
            for group in self.groups
            if term in group.terms
            for other in group.terms
            if other != term
        )


class ValueLists(BaseModel):
    """All value lists. synonyms: groups of terms that mean the same."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    lists: tuple[ValueList, ...] = Field(min_length=1)
    synonyms: tuple[tuple[Text, ...], ...] = ()

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [one.name for one in self.lists]
        refuse_twins(names, "list")
        missing = [name for name in LISTED if name not in names]
        if missing:
            raise ValueError(f"lists: {missing[0]} is missing")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes of a lesion."""
        return tuple(one.name for one in self.lists if one.attribute)

    def of(self, name: str) -> ValueList:
        """Return the list with this name."""
        return next(one for one in self.lists if one.name == name)

    def same(self, term: str) -> frozenset[str]:
        """Return the term and its synonyms, in lower case."""
        groups = [{word.lower() for word in group} for group in self.synonyms]
        own = {term.lower()}
        return frozenset(own.union(*(group for group in groups if term.lower() in group)))


class Ability(BaseModel):
    """One ability: the facet of the record that it asks for, its question types and its share."""

    model_config = FROZEN

    name: Text
    facet: Facet
    share: float = Field(ge=0)
    types: tuple[QuestionType, ...] = Field(min_length=1)
    instruction: Text


class AbilityRules(BaseModel):
    """The abilities, and the rules that code checks in every question.

    options: the number of options of a choice. question_words: the most words of a question.
    length_ratio: the longest option has at most so many times the characters of the shortest.
    silent: words that a question may not have, because they speak of the record.
    """

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    options: int = Field(ge=3, le=26)
    question_words: int = Field(ge=3)
    length_ratio: float = Field(ge=1)
    silent: tuple[Text, ...]
    abilities: tuple[Ability, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _shares(self) -> Self:
        refuse_twins([ability.name for ability in self.abilities], "ability")
        total = sum(ability.share for ability in self.abilities)
        if abs(total - 1) > 1e-6:
            raise ValueError(f"abilities: the shares sum to {total:g}, not to 1")
        return self

    def ability(self, name: str) -> Ability:
        """Return the ability with this name."""
        return next(one for one in self.abilities if one.name == name)


def load_value_lists(source: Source) -> ValueLists:
    """Load value lists by name or path. Raises UsageError naming the file and the field."""
    return load_data("values", source, ValueLists)


def load_ability_rules(source: Source) -> AbilityRules:
    """Load ability rules by name or path. Raises UsageError naming the file and the field."""
    return load_data("abilities", source, AbilityRules)


# Types for the inputs of steps: the data itself, or its name or path.
ValueListsField = Annotated[ValueLists, loaded_by(load_value_lists)]
AbilityRulesField = Annotated[AbilityRules, loaded_by(load_ability_rules)]
