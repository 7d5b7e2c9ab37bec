"""The forms of data files: rubrics, taxonomies, category lists, scales and answer rules.

The models are frozen and hashable, so that the output model of a step can be kept for each rubric.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from ..errors import UsageError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
FROZEN = ConfigDict(frozen=True, extra="forbid")


class Level(BaseModel):
    """One level of a scale, and the text that describes it."""

    model_config = FROZEN

    value: float
    text: Text


def _level_list(levels: Any) -> Any:
    if not isinstance(levels, Mapping):
        return levels
    return [{"value": value, "text": text} for value, text in levels.items()]


def _distinct_levels(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    values = [level.value for level in levels]
    if len(set(values)) != len(values):
        raise ValueError("a level occurs twice")
    return tuple(sorted(levels, key=lambda level: level.value))


# In a file, levels are a mapping from the level to its text. They are kept in rising order.
Levels = Annotated[
    tuple[Level, ...],
    Field(min_length=2),
    BeforeValidator(_level_list),
    AfterValidator(_distinct_levels),
]


class Scale(BaseModel):
    """The levels that a grading step may give."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    levels: Levels


class Dimension(BaseModel):
    """One dimension of a rubric; points are the raw level times `factor`."""

    model_config = FROZEN

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    title: Text
    question: Text
    factor: float = Field(gt=0, allow_inf_nan=False)
    levels: Levels

    @model_validator(mode="after")
    def _whole_levels(self) -> Self:
        if any(level.value != int(level.value) or level.value < 0 for level in self.levels):
            raise ValueError("levels: a rubric's levels are whole numbers from 0 up")
        return self

    @property
    def values(self) -> tuple[int, ...]:
        """The levels as whole numbers, lowest first."""
        return tuple(int(level.value) for level in self.levels)


class Rubric(BaseModel):
    """The dimensions on which a response is scored.

    `invented_cap` is the highest level that counts in a dimension if the response invents
    findings or data in it.
    """

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    invented_cap: int = Field(ge=0)
    dimensions: tuple[Dimension, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([dimension.name for dimension in self.dimensions], "dimension")
        return self

    @property
    def best(self) -> float:
        """The highest total in points."""
        return sum(dimension.factor * dimension.values[-1] for dimension in self.dimensions)


class ErrorCategory(BaseModel):
    """A kind of error; `evidence` names the text from which the error must be quoted."""

    model_config = FROZEN

    name: Text
    description: Text
    group: str = ""
    evidence: Literal["response", "reference", "either"] = "response"
    decided_by: Literal["judge", "code"] = "judge"


class Taxonomy(BaseModel):
    """Kinds of errors that a response can have."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    categories: tuple[ErrorCategory, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([category.name for category in self.categories], "category")
        if not self.judged:
            raise ValueError("categories: at least one is decided by the judge")
        if sum(category.decided_by == "code" for category in self.categories) > 1:
            raise ValueError("categories: at most one, for technical errors, is decided by code")
        return self

    @property
    def judged(self) -> tuple[ErrorCategory, ...]:
        """The categories that the judge may give."""
        return tuple(item for item in self.categories if item.decided_by == "judge")

    @property
    def technical(self) -> ErrorCategory | None:
        """The category that code gives to an empty or broken response, if there is one."""
        return next((item for item in self.categories if item.decided_by == "code"), None)


class Category(BaseModel):
    """One category of a list."""

    model_config = FROZEN

    name: Text
    description: str = ""


class Categories(BaseModel):
    """The categories that a text may be assigned to."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    categories: tuple[Category, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([category.name for category in self.categories], "category")
        return self


class AnswerKind(BaseModel):
    """The rules that score open answers to one kind of question.

    `synonyms`: groups of words that mean the same; the first word represents the group.
    `families`: groups of such first words with similar meanings.
    """

    model_config = FROZEN

    name: Text
    aliases: tuple[Text, ...] = ()
    levels: Levels
    families: tuple[tuple[Text, ...], ...] = ()
    synonyms: tuple[tuple[Text, ...], ...] = ()

    @model_validator(mode="after")
    def _scores(self) -> Self:
        if [level.value for level in self.levels] != [0, 0.5, 1]:
            raise ValueError("levels: the scores are 0, 0.5 and 1")
        return self


class AnswerRules(BaseModel):
    """The kinds of open questions and their rules."""

    model_config = FROZEN

    name: Text
    version: int
    source: Text
    kinds: tuple[AnswerKind, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        refuse_twins([name for kind in self.kinds for name in (kind.name, *kind.aliases)], "kind")
        return self

    def kind(self, name: str) -> AnswerKind:
        """Return the kind with this name or alias. Raises UsageError, which lists the kinds."""
        for kind in self.kinds:
            if name.strip().lower() in (kind.name, *kind.aliases):
                return kind
        known = ", ".join(kind.name for kind in self.kinds)
        raise UsageError(f"no kind {name!r} in {self.name}; the kinds are {known}")


def refuse_twins(names: list[str], what: str) -> None:
    """Raise ValueError for a name that occurs twice, in upper or lower case."""
    folded = [name.casefold() for name in names]
    twice = sorted({name for name in names if folded.count(name.casefold()) > 1})
    if twice:
        raise ValueError(f"the {what} {', '.join(twice)} occurs twice")
