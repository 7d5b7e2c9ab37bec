"""Score how close a free answer is to each of two options; code chooses the option."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..prompts.load import Value
from .match_option import named_letters, stated_letter
from .rules.technical import abstain_on
from .rules.wording import fold
from .step import Nothing, Step
from .verdict import Verdict

GAP = 3
"""The least difference in closeness at which an option counts as chosen, as in MediConfusion."""

Choice = Literal["A", "B"]


class FreeAnswerInput(BaseModel):
    """A question with two options, and an answer to it.

    gap: the least difference in closeness at which an option counts as chosen.
    form: what the model was asked for. A letter is read by code alone (`marked_letter`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    option_a: str = Field(min_length=1)
    option_b: str = Field(min_length=1)
    answer: str
    gap: int = Field(default=GAP, ge=1, le=9)
    form: Literal["free", "letter"] = "free"


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


def _render(inputs: FreeAnswerInput) -> Mapping[str, Value]:
    return inputs.model_dump(include={"question", "option_a", "option_b", "answer"})


def choose(closeness_a: int, closeness_b: int, gap: int = GAP) -> Choice | None:
    """Return the closer option if the difference is at least the gap, else None.

    >>> choose(8, 5), choose(4, 6), choose(1, 10), choose(4, 6, gap=2)
    ('A', None, 'B', 'B')
    """
    if abs(closeness_a - closeness_b) < gap:
        return None
    return "A" if closeness_a > closeness_b else "B"


def marked_letter(answer: str) -> Choice | None:
    """Return the letter that the rule of MediConfusion's authors reads in an answer, else None.

    The answer is cut at spaces and line ends. A part counts as a letter if it is the letter alone,
    or with a colon, a full stop or a full stop before it, or in the quotation marks and brackets
    of the benchmark's prompt. So the article A counts as a letter, and "(A)" does not. With both
    letters or none the answer is invalid.

    >>> marked_letter('A")'), marked_letter("The answer is B."), marked_letter("(A)")
    ('A', 'B', None)
    """
    parts = set(answer.replace("\n", " ").split(" "))
    marked: list[Choice] = [letter for letter in _MARKS if parts & _MARKS[letter]]
    return marked[0] if len(marked) == 1 else None


_FORMS = ("{}", "{}:", ".{}", ".{}:", "{}.", '{}")', '("{}":', '("{}")', '("{}").')
_MARKS: dict[Choice, set[str]] = {
    "A": {form.format("A") for form in _FORMS},
    "B": {form.format("B") for form in _FORMS},
}


def _finish(inputs: FreeAnswerInput, answer: Closeness) -> FreeAnswerChoice:
    return FreeAnswerChoice(
        choice=choose(answer.closeness_a, answer.closeness_b, inputs.gap),
        closeness_a=answer.closeness_a,
        closeness_b=answer.closeness_b,
    )


def _invalid(inputs: FreeAnswerInput, answer: Closeness) -> str | None:
    if choose(answer.closeness_a, answer.closeness_b, inputs.gap) is not None:
        return None
    return (
        f"invalid answer: closeness {answer.closeness_a} and {answer.closeness_b} "
        f"differ by less than {inputs.gap}"
    )


def _by_code(inputs: FreeAnswerInput) -> FreeAnswerChoice | Nothing | None:
    """Read a letter where the model was asked for one; else only find technical errors."""
    if inputs.form == "free":
        return abstain_on("answer")(inputs)
    letter = marked_letter(inputs.answer)
    if letter is None:
        return Nothing("invalid answer: it does not give exactly one of the letters A and B")
    return FreeAnswerChoice(choice=letter)


def named_option(inputs: FreeAnswerInput) -> FreeAnswerChoice | None:
    """Choose the option that the answer states by its letter or its text; None otherwise."""
    answer = fold(inputs.answer)
    by_text: list[Choice] = []
    if answer == fold(inputs.option_a):
        by_text.append("A")
    if answer == fold(inputs.option_b):
        by_text.append("B")
    if len(by_text) == 1:
        return FreeAnswerChoice(choice=by_text[0])
    options = {"A": inputs.option_a, "B": inputs.option_b}
    letters = named_letters(inputs.answer, ("A", "B")) or stated_letter(inputs.answer, options)
    if letters == {"A"}:
        return FreeAnswerChoice(choice="A")
    return FreeAnswerChoice(choice="B") if letters == {"B"} else None


SCORE_FREE_ANSWER: Step[FreeAnswerInput, Closeness, FreeAnswerChoice] = Step(
    name="score_free_answer",
    version=1,
    input=FreeAnswerInput,
    judged="answer",
    output=Closeness,
    render=_render,
    abstain=_invalid,
    finish=_finish,
    result=FreeAnswerChoice,
    verdict=Verdict("choice"),
    stand_ins={"code": _by_code, "rules": named_option},
    returns="closeness to each of two options; the option by code, or invalid",
    scale=f"1-10 each; option A or B when the gap is {GAP} (by default) or more",
)
