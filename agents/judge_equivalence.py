"""Judge whether two diagnoses are the same disease."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from .rules.wording import fold
from .step import Nothing, Step
from .verdict import Verdict


class PairInput(BaseModel):
    """A predicted and a true diagnosis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    predicted: str
    truth: str = Field(min_length=1)


class YesNo(BaseModel):
    """The verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    same_disease: Literal["yes", "no"] = Field(
        description="yes if both names stand for the same disease, else no."
    )


class CorrectIncorrect(BaseModel):
    """The verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Literal["Correct", "Incorrect"] = Field(
        description="Correct if the predicted diagnosis is the true one, else Incorrect."
    )


class Equivalence(BaseModel):
    """Whether the predicted diagnosis is the true one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    equivalent: bool


class MappedCode(NamedTuple):
    """A code with its official name; a mapper returns it."""

    code: str
    name: str


Mapper = Callable[[str], MappedCode | None]


def _from_yes_no(inputs: PairInput, answer: YesNo) -> Equivalence:
    return Equivalence(equivalent=answer.same_disease == "yes")


def _from_verdict(inputs: PairInput, answer: CorrectIncorrect) -> Equivalence:
    return Equivalence(equivalent=answer.verdict == "Correct")


def _no_prediction(inputs: PairInput) -> Nothing | None:
    if fold(inputs.predicted):
        return None
    return Nothing("there is no predicted diagnosis to compare")


def same_wording(inputs: PairInput) -> Equivalence | None:
    """Decide "equivalent" if the texts differ only in abbreviations, case, accents or spelling.

    Return None otherwise: this rule never decides that two diagnoses differ.
    """
    return Equivalence(equivalent=True) if fold(inputs.predicted) == fold(inputs.truth) else None


JUDGE_EQUIVALENCE: Step[PairInput, YesNo, Equivalence] = Step(
    name="judge_equivalence",
    version=1,
    input=PairInput,
    judged="predicted",
    symmetric=("predicted", "truth"),
    output=YesNo,
    finish=_from_yes_no,
    result=Equivalence,
    verdict=Verdict("equivalent", shown={True: "the same disease", False: "another disease"}),
    stand_ins={"code": _no_prediction, "rules": same_wording},
    returns="whether two diagnoses are the same disease",
    scale="true, false",
)

# The same judgement, with the prompt of DermCase.
JUDGE_EQUIVALENCE_CORRECT: Step[PairInput, CorrectIncorrect, Equivalence] = Step(
    name="judge_equivalence",
    version=1,
    input=PairInput,
    judged="predicted",
    output=CorrectIncorrect,
    prompt="judge_equivalence.correct",
    finish=_from_verdict,
    result=Equivalence,
    verdict=JUDGE_EQUIVALENCE.verdict,
    stand_ins=JUDGE_EQUIVALENCE.stand_ins,
    returns=JUDGE_EQUIVALENCE.returns,
    scale=JUDGE_EQUIVALENCE.scale,
)


def with_ontology(
    step: Step[PairInput, YesNo, Equivalence], mapper: Mapper, *, decide_different: bool = False
) -> Step[PairInput, YesNo, Equivalence]:
    """Return the step with a stand-in "ontology": equal codes mean the same disease.

    Equal wording decides first. A code for "other specified" diseases stands for many diseases,
    so it decides nothing. A code and a code above it (I26.99 and I26) decide nothing: one text
    may only be less specific. Other different codes mean "different" only with
    `decide_different`, which is meant for a run without a model: a mapping is not exact enough
    to overrule a model.
    """

    def same_code(inputs: PairInput) -> Equivalence | None:
        if equal := same_wording(inputs):
            return equal
        predicted, truth = mapper(inputs.predicted), mapper(inputs.truth)
        if predicted is None or truth is None:
            return None
        if predicted.code == truth.code:
            return None if _is_residual(truth.name) else Equivalence(equivalent=True)
        codes = predicted.code, truth.code
        if not decide_different or codes[0].startswith(codes[1]) or codes[1].startswith(codes[0]):
            return None
        return Equivalence(equivalent=False)

    return replace(step, stand_ins={**step.stand_ins, "ontology": same_code})


def _is_residual(name: str) -> bool:
    words = name.lower().split()
    return bool(words) and (words[0] == "other" or "elsewhere" in words)
