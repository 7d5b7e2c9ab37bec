"""Score an open answer against a reference by the rules of its kind of question."""

import re
from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from ..prompts.data import AnswerKind
from ..prompts.load import Value
from ..prompts.load_data import AnswerRulesField
from .people.declared import ForPeople
from .rules.grading import describe, level_type, meanings
from .rules.technical import abstain_on
from .rules.wording import fold
from .step import Step
from .verdict import Verdict

_MEASURE = re.compile(
    r"^(?:about|approximately|approx\.?|around|roughly|ca\.?|~)?\s*(?P<value>\d+(?:[.,]\d+)?)\s*"
    r"(?P<unit>mm|cm|m)\b\.?(?: (?:in diameter|across|wide|large|long))?\s*\.?$",
    re.IGNORECASE,
)
_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0}


class OpenAnswerInput(BaseModel):
    """A question, its reference answer, an answer, and the kind of question.

    `kind` is one of the kinds of the rules (color, shape, size, lesion, disease, other);
    `rules` is a name, path or data.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    answer: str
    kind: str = "other"
    rules: AnswerRulesField = Field(default="open_answer", validate_default=True)

    @model_validator(mode="after")
    def _known_kind(self) -> "OpenAnswerInput":
        self.rules.kind(self.kind)
        return self

    @property
    def rule(self) -> AnswerKind:
        """The rules of this kind of question."""
        return self.rules.kind(self.kind)


class OpenScoreAnswer(BaseModel):
    """The score."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    explanation: str = Field(
        description="What the answer shares with the reference, in a sentence."
    )
    score: float


class OpenScore(BaseModel):
    """The score (0, 0.5 or 1) and the reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float
    explanation: str


def _render(inputs: OpenAnswerInput) -> Mapping[str, Value]:
    return {
        "question": inputs.question,
        "reference": inputs.reference,
        "answer": inputs.answer,
        "rules": _describe(inputs.rule),
    }


def _describe(kind: AnswerKind) -> str:
    parts = [f"The question asks for: {kind.name}", describe(kind.levels)]
    families = [group for group in kind.families if len(group) > 1]
    if families:
        parts.append("Same family or class: " + "; ".join(map(" with ".join, families)))
    synonyms = [group for group in kind.synonyms if len(group) > 1]
    if synonyms:
        parts.append("Same meaning: " + "; ".join(map(" = ".join, synonyms)))
    return "\n".join(parts)


@lru_cache(maxsize=64)
def _answer_model(kind: AnswerKind) -> type[OpenScoreAnswer]:
    values = tuple(level.value for level in kind.levels)
    field = Field(description="The score that the rules give.")
    return create_model(
        "OpenScoreAnswer", __base__=OpenScoreAnswer, score=(level_type(values), field)
    )


def _explained(inputs: OpenAnswerInput, answer: OpenScoreAnswer) -> list[str]:
    return [] if answer.explanation.strip() else ["explanation: is empty"]


def _finish(inputs: OpenAnswerInput, answer: OpenScoreAnswer) -> OpenScore:
    return OpenScore(score=answer.score, explanation=answer.explanation.strip())


def listed_words(inputs: OpenAnswerInput) -> OpenScore | None:
    """Score two texts that are equal, the same measure, or words of the rules; None otherwise."""
    if fold(inputs.reference) == fold(inputs.answer):
        return OpenScore(score=1, explanation="the same words")
    measures = _millimetres(inputs.reference), _millimetres(inputs.answer)
    if measures[0] is not None and measures[0] == measures[1]:
        return OpenScore(score=1, explanation="the same measure")
    meant, answered = (_head(inputs.rule, text) for text in (inputs.reference, inputs.answer))
    if meant is None or answered is None:
        return None
    if meant == answered:
        return OpenScore(score=1, explanation=f"both mean {meant}")
    if not inputs.rule.families:
        return None
    if any(meant in family and answered in family for family in inputs.rule.families):
        return OpenScore(score=0.5, explanation=f"{answered} and {meant} are near each other")
    return OpenScore(score=0, explanation=f"{answered} is not near {meant}")


def _head(kind: AnswerKind, text: str) -> str | None:
    wanted = fold(text)
    for group in kind.synonyms:
        if wanted in map(fold, group):
            return group[0]
    return next((word for family in kind.families for word in family if fold(word) == wanted), None)


def _millimetres(text: str) -> float | None:
    match = _MEASURE.match(text.strip())
    if not match:
        return None
    return float(match["value"].replace(",", ".")) * _MILLIMETRES[match["unit"].lower()]


SCORE_OPEN_ANSWER: Step[OpenAnswerInput, OpenScoreAnswer, OpenScore] = Step(
    name="score_open_answer",
    version=1,
    input=OpenAnswerInput,
    judged="answer",
    output=lambda inputs: _answer_model(inputs.rule),
    render=_render,
    checks=(_explained,),
    finish=_finish,
    result=OpenScore,
    verdict=Verdict("score", words="explanation", scale="interval", levels=(0, 0.5, 1)),
    stand_ins={"code": abstain_on("answer"), "rules": listed_words},
    people=ForPeople(explain=lambda inputs: meanings("score", inputs.rule.levels)),
    returns="a score by the rules of the kind of question, and why",
    scale="0, 0.5, 1",
)
