"""Write a question with two options that separates two images, from their captions."""

import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...prompts.load import Value
from ...prompts.pairs import PairRulesField
from ..rules.quotes import find_quote
from ..rules.wording import fold
from ..step import Step
from .facts import missing_numbers, named_in

_WORD = re.compile(r"[\w-]+")


class CaptionPairInput(BaseModel):
    """The captions of two images, and the rules (a name, path or data).

    objections: the faults of an earlier question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: str
    second: str
    rules: PairRulesField = Field(default="mediconfusion", validate_default=True)
    objections: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _long(self) -> "CaptionPairInput":
        for name, caption in (("first", self.first), ("second", self.second)):
            length = len(caption.strip())
            if length < self.rules.caption:
                raise ValueError(
                    f"{name}: the caption has {length} characters; at least {self.rules.caption} "
                    "are needed"
                )
        return self


class PairQuestion(BaseModel):
    """A question, the option that is right for each image, and the words of the captions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    first_option: str = Field(description="The option that is right for the first image.")
    first_quote: str = Field(description="The words of the first caption that make it right.")
    second_option: str = Field(description="The option that is right for the second image.")
    second_quote: str = Field(description="The words of the second caption that make it right.")


def _render(inputs: CaptionPairInput) -> Mapping[str, Value]:
    return {
        "question_words": str(inputs.rules.question_words),
        "option_words": str(inputs.rules.option_words),
        "first": inputs.first,
        "second": inputs.second,
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _written(answer: PairQuestion) -> dict[str, str]:
    return {
        "question": answer.question,
        "first_option": answer.first_option,
        "second_option": answer.second_option,
    }


def _form(inputs: CaptionPairInput, answer: PairQuestion) -> list[str]:
    problems = []
    for name, text in _written(answer).items():
        words = re.findall(r"\w+", text)
        most = inputs.rules.question_words if name == "question" else inputs.rules.option_words
        if not 1 <= len(words) <= most:
            problems.append(f"{name}: has {len(words)} words; 1 to {most} fit")
    if answer.question.count("?") != 1:
        problems.append("question: must ask exactly one question")
    return problems


def _one_image(inputs: CaptionPairInput, answer: PairQuestion) -> list[str]:
    """Check that nothing speaks of another image or compares, because each image is shown alone."""
    problems = []
    for name, text in _written(answer).items():
        spaced = f" {' '.join(_WORD.findall(text.lower()))} "
        problems += [
            f"{name}: says {phrase!r}; each image is shown alone"
            for phrase in inputs.rules.phrases
            if f" {phrase} " in spaced
        ]
    return problems


def _apart(inputs: CaptionPairInput, answer: PairQuestion) -> list[str]:
    """Check that the options differ, are alike in length, and that the question favours neither."""
    first, second = fold(answer.first_option), fold(answer.second_option)
    if first == second or not first or not second:
        return ["second_option: must be another answer than first_option"]
    problems = []
    short, long = sorted((len(answer.first_option), len(answer.second_option)))
    if long > inputs.rules.option_ratio * short:
        problems.append(
            f"the options have {short} and {long} characters; the longer may have at most "
            f"{inputs.rules.option_ratio:g} times as many"
        )
    named = named_in(answer.question, (answer.first_option, answer.second_option))
    if len(named) == 1:
        problems.append(f"question: names {named[0]!r} and not the other option")
    return problems


def _sourced(inputs: CaptionPairInput, answer: PairQuestion) -> list[str]:
    """Check quotes and numbers against the captions."""
    problems = []
    quoted = {
        "first_quote": (answer.first_quote, inputs.first, inputs.second),
        "second_quote": (answer.second_quote, inputs.second, inputs.first),
    }
    for name, (quote, own, other) in quoted.items():
        if find_quote(quote, own) is None:
            problems.append(f"{name}: {quote[:200]!r} does not occur in the caption of its image")
        elif find_quote(quote, other) is not None:
            problems.append(
                f"{name}: {quote[:200]!r} occurs in both captions, so separates nothing"
            )
    own_source = {
        "question": f"{inputs.first} {inputs.second}",
        "first_option": inputs.first,
        "second_option": inputs.second,
    }
    return problems + [
        f"{name}: the number {number} is not in the caption"
        for name, text in _written(answer).items()
        for number in missing_numbers(text, own_source[name])
    ]


WRITE_PAIR_QUESTION: Step[CaptionPairInput, PairQuestion] = Step(
    name="write_pair_question",
    version=1,
    input=CaptionPairInput,
    output=PairQuestion,
    render=_render,
    checks=(_form, _one_image, _apart, _sourced),
    temperature=0.7,
    returns="a question with two options that separates two images",
)
