"""Score how close a free answer is to each of two options; code chooses the option."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .match_option import named_letters
from .step import Step
from .technical import abstain_on
from .verdict import Verdict
from .wording import fold

GAP = 3
"""The least difference in closeness at which an option counts as chosen."""

Choice = Literal["A", "B"]


class FreeAnswerInput(BaseModel):
    """A question with two options, and a free answer to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    option_a: str = Field(min_length=1)
    option_b: str = Field(min_length=1)
    answer: str


class Closeness(BaseModel):
    """How close the answer is to each option."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    closeness_a: int = Field(
        ge=1, le=10, description="From 1 (has nothing to do with option A) to 10 (says the same)."
    )
    closeness_b: int = Field(
        ge=1, le=10, description="From 1 (has nothing to do with option B) to 10 (says the same)."
    )


class FreeAnswerChoice(BaseModel):
    """The option that code chose; None if the answer is invalid.

    Both values of closeness are None if a rule chose without a model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    choice: Choice | None
    closeness_a: int | None = None
    closeness_b: int | None = None


def choose(closeness_a: int, closeness_b: int) -> Choice | None:
    """Return the closer option if the gap is at least `GAP`, else None.

    >>> choose(8, 5), choose(4, 6), choose(1, 10)
    ('A', None, 'B')
    """
    if abs(closeness_a - closeness_b) < GAP:
        return None
    return "A" if closeness_a > closeness_b else "B"


def _finish(inputs: FreeAnswerInput, answer: Closeness) -> FreeAnswerChoice:
    return FreeAnswerChoice(
        choice=choose(answer.closeness_a, answer.closeness_b),
        closeness_a=answer.closeness_a,
        closeness_b=answer.closeness_b,
    )


def _invalid(inputs: FreeAnswerInput, answer: Closeness) -> str | None:
    if choose(answer.closeness_a, answer.closeness_b) is not None:
        return None
    return (
        f"invalid answer: closeness {answer.closeness_a} and {answer.closeness_b} "
        f"differ by less than {GAP}"
    )


def named_option(inputs: FreeAnswerInput) -> FreeAnswerChoice | None:
    """Choose the option if the answer is its letter or its text; None otherwise."""
    answer = fold(inputs.answer)
    by_text: list[Choice] = []
    if answer == fold(inputs.option_a):
        by_text.append("A")
    if answer == fold(inputs.option_b):
        by_text.append("B")
    if len(by_text) == 1:
        return FreeAnswerChoice(choice=by_text[0])
    letters = named_letters(inputs.answer, ("A", "B"))
    if letters == {"A"}:
        return FreeAnswerChoice(choice="A")
    return FreeAnswerChoice(choice="B") if letters == {"B"} else None


SCORE_FREE_ANSWER: Step[FreeAnswerInput, Closeness] = Step(
    name="score_free_answer",
    version=1,
    input=FreeAnswerInput,
    judged="answer",
    output=Closeness,
    abstain=_invalid,
    finish=_finish,
    result=FreeAnswerChoice,
    verdict=Verdict("choice"),
    stand_ins={"code": abstain_on("answer"), "rules": named_option},
    returns="closeness to each of two options; the option by code, or invalid",
    scale=f"1-10 each; option A or B when the gap is {GAP} or more",
)
