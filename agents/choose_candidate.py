"""Choose the candidate name that means a diagnosis, or none; the mapping reranks with it."""

import random
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from .step import Step
from .verdict import Verdict

_CHOICE = "The chosen name, copied letter by letter from the list; null if none fits."


class CandidateInput(BaseModel):
    """A diagnosis and the names to choose from; codes are not shown.

    shuffle: a seed that changes the order in which the names are shown. The same seed and
    diagnosis give the same order. None shows the names in the given order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnosis: str = Field(min_length=1)
    candidates: tuple[str, ...] = Field(min_length=1)
    shuffle: int | None = None

    @property
    def order(self) -> list[int]:
        """The places of the candidates in the order in which they are shown."""
        places = list(range(len(self.candidates)))
        if self.shuffle is not None:
            random.Random(f"{self.shuffle} {self.diagnosis}").shuffle(places)
        return places


class CandidateAnswer(BaseModel):
    """What the model writes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    choice: str | None = Field(description=_CHOICE)


class CandidateChoice(BaseModel):
    """The chosen name and its place in the given list (from 0); both are None if none fits.

    shuffle: the seed of the order in which the names were shown; None for the given order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None
    index: int | None
    shuffle: int | None = None


def _show(inputs: CandidateInput) -> dict[str, str | list[str]]:
    names = [inputs.candidates[place] for place in inputs.order]
    return {"diagnosis": inputs.diagnosis, "candidates": names}


def _place(inputs: CandidateInput, choice: str) -> int | None:
    wanted = choice.strip()
    # The prompt shows each name on one line, with single spaces.
    shown = (" ".join(name.split()) for name in inputs.candidates)
    return next((place for place, name in enumerate(shown) if name == wanted), None)


def _not_listed(inputs: CandidateInput, answer: CandidateAnswer) -> list[str]:
    if answer.choice is None or _place(inputs, answer.choice) is not None:
        return []
    return [
        f"choice: {answer.choice[:200]!r} is not one of the candidate names; "
        "copy one of them exactly, or answer null"
    ]


def _find(inputs: CandidateInput, answer: CandidateAnswer) -> CandidateChoice:
    index = None if answer.choice is None else _place(inputs, answer.choice)
    name = None if index is None else inputs.candidates[index]
    return CandidateChoice(name=name, index=index, shuffle=inputs.shuffle)


def _none_fits(inputs: CandidateInput, answer: CandidateAnswer) -> str | None:
    return "no candidate stands for the diagnosis" if answer.choice is None else None


CHOOSE_CANDIDATE: Step[CandidateInput, CandidateAnswer, CandidateChoice] = Step(
    name="choose_candidate",
    version=1,
    input=CandidateInput,
    judged="diagnosis",
    output=CandidateAnswer,
    render=_show,
    checks=(_not_listed,),
    abstain=_none_fits,
    finish=_find,
    result=CandidateChoice,
    verdict=Verdict("name"),
    returns="one of the candidate names, or none",
    scale="the candidates shown",
)


@lru_cache(maxsize=4096)
def _listed(names: tuple[str, ...]) -> type[CandidateAnswer]:
    """Return an answer model that lists the names, for servers that constrain decoding."""
    choice = Annotated[Literal[names] | None, Field(description=_CHOICE)]  # type: ignore[valid-type]
    return create_model("CandidateAnswer", __base__=CandidateAnswer, choice=(choice, ...))


# This form is optional; the default is the open answer with a check. A server may compile a
# grammar for each new schema, here for each item. Greedy decoding under an enumeration also
# misleads small models: the first word decides, even where several names share it.
CHOOSE_CANDIDATE_CONSTRAINED: Step[CandidateInput, CandidateAnswer, CandidateChoice] = replace(
    CHOOSE_CANDIDATE, output=lambda inputs: _listed(inputs.candidates)
)
