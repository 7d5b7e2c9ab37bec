"""The three tasks of DermCase's questionnaire: image and label, two diagnoses, two pairs."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts.data import Scale
from ...prompts.load import Value
from ...prompts.load_data import ScaleField
from ..images import Image
from ..rules.grading import Grade, GradeAnswer, as_grade, describe, grade_answer, in_words, meanings
from ..step import Step
from ..verdict import Verdict
from .declared import ForPeople

SEVEN = (1, 2, 3, 4, 5, 6, 7)
Pair = Literal["A", "B"]


class ImageLabelInput(BaseModel):
    """Images of one finding, the label that is said to fit, and the scale."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    images: tuple[Image, ...] = Field(min_length=1)
    label: str = Field(min_length=1)
    scale: ScaleField = Field(default="image_label", validate_default=True)


class LikenessInput(BaseModel):
    """Two diagnoses and the scale. swapped: shows the second diagnosis first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: str = Field(min_length=1)
    second: str = Field(min_length=1)
    scale: ScaleField = Field(default="likeness", validate_default=True)
    swapped: bool = False


class CloserPairInput(BaseModel):
    """Two pairs of diagnoses. swapped: shows pair B first, under the label A.

    The verdict always names the pairs as they are given here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pair_a: tuple[str, str]
    pair_b: tuple[str, str]
    swapped: bool = False


class CloserPairAnswer(BaseModel):
    """What the model writes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="What decides between the two pairs, in a sentence.")
    closer: Pair = Field(description="The pair whose two diagnoses are closer to each other.")


class CloserPair(BaseModel):
    """The closer pair, A or B as given, and the reason in the words of the judge.

    swapped: whether pair B was shown first. The reason uses the labels that the judge saw.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    closer: Pair
    reason: str
    swapped: bool = False


Rated = TypeVar("Rated", ImageLabelInput, LikenessInput)


def _label(inputs: ImageLabelInput) -> Mapping[str, Value]:
    return {"label": inputs.label, "scale": describe(inputs.scale.levels)}


def _two(inputs: LikenessInput) -> Mapping[str, Value]:
    first, second = inputs.first, inputs.second
    if inputs.swapped:
        first, second = second, first
    return {"first": first, "second": second, "scale": describe(inputs.scale.levels)}


def _pairs(inputs: CloserPairInput) -> Mapping[str, Value]:
    first, second = inputs.pair_a, inputs.pair_b
    if inputs.swapped:
        first, second = second, first
    return {"pair_a": list(first), "pair_b": list(second)}


def _explained(inputs: CloserPairInput, answer: CloserPairAnswer) -> list[str]:
    return [] if answer.reason.strip() else ["reason: is empty"]


def _as_given(inputs: CloserPairInput, answer: CloserPairAnswer) -> CloserPair:
    other: dict[Pair, Pair] = {"A": "B", "B": "A"}
    closer = other[answer.closer] if inputs.swapped else answer.closer
    return CloserPair(closer=closer, reason=answer.reason.strip(), swapped=inputs.swapped)


@lru_cache(maxsize=64)
def _graded(scale: Scale, rationale: str) -> type[GradeAnswer]:
    """Return the answer model for a scale; its words explain something else than a true DDx."""
    field = Field(description=rationale)
    return create_model("GradeAnswer", __base__=grade_answer(scale), rationale=(str, field))


def _on_seven_levels(
    name: str,
    input: type[Rated],
    judged: str,
    render: Callable[[Rated], Mapping[str, Value]],
    rationale: str,
    returns: str,
    *,
    images: bool = False,
    symmetric: tuple[str, str] | None = None,
) -> Step[Rated, GradeAnswer, Grade]:
    return Step(
        name=name,
        version=2,
        input=input,
        judged=judged,
        images=images,
        symmetric=symmetric,
        output=lambda inputs: _graded(inputs.scale, rationale),
        render=render,
        checks=(in_words,),
        finish=as_grade,
        result=Grade,
        verdict=Verdict("score", words="rationale", scale="ordinal", levels=SEVEN),
        people=ForPeople(explain=lambda inputs: meanings("score", inputs.scale.levels)),
        returns=returns,
        scale="1 to 7",
    )


GRADE_IMAGE_LABEL = _on_seven_levels(
    "grade_image_label",
    ImageLabelInput,
    "label",
    _label,
    "One sentence: what in the images fits the label, and what does not.",
    "how well a label fits the images of a finding",
    images=True,
)

GRADE_LIKENESS = _on_seven_levels(
    "grade_likeness",
    LikenessInput,
    "second",
    _two,
    "One sentence: what the two diagnoses have in common, and what not.",
    "how alike two diagnoses are",
    symmetric=("first", "second"),
)

CHOOSE_CLOSER_PAIR: Step[CloserPairInput, CloserPairAnswer, CloserPair] = Step(
    name="choose_closer_pair",
    version=1,
    input=CloserPairInput,
    output=CloserPairAnswer,
    render=_pairs,
    checks=(_explained,),
    finish=_as_given,
    result=CloserPair,
    verdict=Verdict("closer", words="reason", levels=("A", "B"), scale="nominal"),
    returns="which of two pairs of diagnoses is closer, and why",
    scale="A, B",
)
