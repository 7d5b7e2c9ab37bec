"""Choose the best of several answers to one question (best of N)."""

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts.load import Value
from .rules.technical import technical_fault
from .step import Nothing, Step
from .verdict import Verdict


class BestInput(BaseModel):
    """A question and the answers to choose from, two or more.

    shuffle: a seed that changes the order in which the answers are shown. The same seed and
    question give the same order. None shows the answers in the given order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=2)
    shuffle: int | None = None

    @property
    def order(self) -> list[int]:
        """The places of the answers in the order in which they are shown."""
        places = list(range(len(self.answers)))
        if self.shuffle is not None:
            random.Random(f"{self.shuffle} {self.question}").shuffle(places)
        return places


class BestAnswer(BaseModel):
    """What the model writes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="Why this answer is the best, in a sentence.")
    choice: int


class Best(BaseModel):
    """The place of the best answer in the given list (the first place is 0), and the reason.

    shuffle: the seed of the order in which the answers were shown; None for the given order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    reason: str
    shuffle: int | None = None


def _show(inputs: BestInput) -> Mapping[str, Value]:
    # The prompt shows each entry on one line, so an answer cannot imitate a further entry.
    answers = [
        f"Answer {number}: {inputs.answers[place].strip() or '(empty)'}"
        for number, place in enumerate(inputs.order, 1)
    ]
    return {"question": inputs.question, "answers": answers}


@lru_cache(maxsize=64)
def _answer_model(count: int) -> type[BestAnswer]:
    numbers = tuple(range(1, count + 1))
    field = Field(description="The number of the best answer, as it is shown.")
    fields: dict[str, Any] = {"choice": (Literal[numbers], field)}
    return create_model("BestAnswer", __base__=BestAnswer, **fields)


def _explained(inputs: BestInput, answer: BestAnswer) -> list[str]:
    return [] if answer.reason.strip() else ["reason: is empty"]


def _find(inputs: BestInput, answer: BestAnswer) -> Best:
    index = inputs.order[answer.choice - 1]
    return Best(index=index, reason=answer.reason.strip(), shuffle=inputs.shuffle)


def _broken(inputs: BestInput) -> Nothing | None:
    if all(technical_fault(answer) for answer in inputs.answers):
        return Nothing("technical error: every answer is empty or broken")
    return None


def all_alike(inputs: BestInput) -> Best | None:
    """Choose the first answer if all answers are the same text; None otherwise."""
    if len({" ".join(answer.split()).casefold() for answer in inputs.answers}) > 1:
        return None
    return Best(index=0, reason="all answers are the same", shuffle=inputs.shuffle)


CHOOSE_BEST: Step[BestInput, BestAnswer, Best] = Step(
    name="choose_best",
    version=1,
    input=BestInput,
    judged="answers",
    output=lambda inputs: _answer_model(len(inputs.answers)),
    render=_show,
    checks=(_explained,),
    finish=_find,
    result=Best,
    verdict=Verdict("index", words="reason", scale="nominal"),
    stand_ins={"code": _broken, "rules": all_alike},
    returns="the best of several answers to one question, and why",
    scale="the answers shown",
)
