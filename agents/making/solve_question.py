"""Answer a question without its image, to check what the question gives away."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts.load import Value
from ..step import Step


class SolveInput(BaseModel):
    """A question and its options by letter; without options, it is an open question.

    source: what is said of the image, such as its caption; "" for nothing. multiple: whether
    several options may be right.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    options: dict[str, str] = {}
    source: str = ""
    multiple: bool = False


class Solved(BaseModel):
    """The letters of the chosen options, or the open answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    letters: tuple[str, ...] = ()
    answer: str = ""


class SolveAnswer(BaseModel):
    """The answer of the solver."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OpenSolveAnswer(SolveAnswer):
    """The answer to an open question."""

    answer: str = Field(description="The answer in a few words; empty if there is none.")


@lru_cache(maxsize=64)
def _lettered_model(letters: tuple[str, ...], multiple: bool) -> type[SolveAnswer]:
    field = Field(
        max_length=len(letters) if multiple else 1,
        description="The letters of the options that are right; empty if it cannot be said.",
    )
    return create_model(
        "LetteredSolveAnswer",
        __base__=SolveAnswer,
        letters=(list[Literal[letters]], field),  # type: ignore[valid-type]
    )


def _answer_model(inputs: SolveInput) -> type[SolveAnswer]:
    if not inputs.options:
        return OpenSolveAnswer
    return _lettered_model(tuple(inputs.options), inputs.multiple)


def _render(inputs: SolveInput) -> Mapping[str, Value]:
    count = "One option is right." if not inputs.multiple else "One option or several are right."
    return {
        "source": inputs.source or "(nothing)",
        "question": inputs.question,
        "options": "\n".join(f"{letter}. {text}" for letter, text in inputs.options.items())
        or "(none)",
        "count": count if inputs.options else "Answer in a few words.",
    }


def _silent(inputs: SolveInput, answer: SolveAnswer) -> str | None:
    solved = _collect(inputs, answer)
    return None if solved.letters or solved.answer else "the solver cannot say"


def _collect(inputs: SolveInput, answer: SolveAnswer) -> Solved:
    if isinstance(answer, OpenSolveAnswer):
        return Solved(answer=answer.answer.strip())
    chosen = set(answer.model_dump()["letters"])
    return Solved(letters=tuple(letter for letter in inputs.options if letter in chosen))


SOLVE_QUESTION: Step[SolveInput, SolveAnswer, Solved] = Step(
    name="solve_question",
    version=1,
    input=SolveInput,
    output=_answer_model,
    render=_render,
    abstain=_silent,
    finish=_collect,
    result=Solved,
    returns="the answer of a solver that does not see the image",
)
