"""Levels of a scale, and the answer, the check and the result that the two grading steps share."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from ...prompts.data import Level, Scale

# A sentence ends with a mark, a space and a capital. A mark after an initial ("S. Aureus") or
# a common abbreviation does not end a sentence.
_SENTENCE_END = re.compile(r"(?<!\b[A-Za-z])(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)[.!?。]\s+(?=[A-ZÀ-Þ])")


def number(value: float) -> int | float:
    """Return a whole number as an int and any other number unchanged.

    >>> number(3.0), number(0.5)
    (3, 0.5)
    """
    return int(value) if value == int(value) else value


@lru_cache(maxsize=256)
def level_type(values: tuple[float, ...]) -> Any:
    """Return a type for a field that accepts exactly these values."""
    numbers = tuple(map(number, values))
    if all(isinstance(value, int) for value in numbers):
        return Literal[numbers]

    def listed(value: float) -> float:
        if value not in numbers:
            raise ValueError(f"is none of {', '.join(map(str, numbers))}")
        return value

    return Annotated[
        float, Field(json_schema_extra={"enum": list(numbers)}), AfterValidator(listed)
    ]


def describe(levels: Sequence[Level]) -> str:
    """Return the text of the levels for a prompt: one line for each level, the highest first."""
    return "\n".join(f"{number(level.value)}: {level.text}" for level in reversed(levels))


def meanings(field: str, levels: Sequence[Level]) -> dict[str, str]:
    """Return what each level of a field means, for people (see `ForPeople`)."""
    return {f"{field}={number(level.value)}": level.text for level in levels}


class GradeAnswer(BaseModel):
    """The grade."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rationale: str = Field(
        description="One sentence: how near the true diagnosis is met, and by what."
    )
    score: float


class Grade(BaseModel):
    """A level of the scale, and one sentence that explains it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: int | float
    rationale: str


@lru_cache(maxsize=64)
def grade_answer(scale: Scale) -> type[GradeAnswer]:
    """Return the answer model for this scale."""
    values = tuple(level.value for level in scale.levels)
    field = Field(description="The level of the scale that fits.")
    return create_model("GradeAnswer", __base__=GradeAnswer, score=(level_type(values), field))


def in_words(inputs: BaseModel, answer: GradeAnswer) -> list[str]:
    """Check that the rationale contains words."""
    if any(char.isalpha() for char in answer.rationale):
        return []
    return ["rationale: write one sentence in words"]


def as_grade(inputs: BaseModel, answer: GradeAnswer) -> Grade:
    """Return the grade with the first sentence of the rationale.

    A longer rationale is cut, not refused, so that a long explanation does not cost the verdict.
    """
    rationale = " ".join(answer.rationale.split())
    end = _SENTENCE_END.search(rationale)
    return Grade(score=answer.score, rationale=rationale[: end.start() + 1] if end else rationale)
