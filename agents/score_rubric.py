"""Score the reasoning of a response on the dimensions of a rubric."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts.data import Dimension, Rubric
from ..prompts.load import Value
from ..prompts.load_data import RubricField
from .people.declared import ForPeople
from .rules.grading import describe, level_type, meanings
from .rules.quotes import Quote, cite, find_quote
from .rules.technical import abstain_on
from .step import Dimensions, Step
from .verdict import Parts, Verdict, Worded


class RubricInput(BaseModel):
    """A case, its reference answer, a response, and the rubric (a name, path or data)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    response: str
    rubric: RubricField = Field(default="dermcase", validate_default=True)


class DimensionAnswer(BaseModel):
    """The judgement on one dimension."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quotes: list[str] = Field(
        description="Short passages copied word for word from the response that the level rests "
        "on; empty only if the response has nothing on this dimension."
    )
    invented: list[str] = Field(
        description="Passages copied word for word from the response that state findings or data "
        "which neither case nor reference gives; empty if there are none."
    )
    justification: str = Field(
        description="Why this level and not the next ones, measured against the reference."
    )
    level: float


class RubricAnswer(BaseModel):
    """The judgement on every dimension, each on its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DimensionScore(BaseModel):
    """One dimension's result.

    `given` is the judge's level, `raw` the level that counts after the cap for invented content,
    `points` the raw level times the dimension's factor. A jury's level may lie between two.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    given: int | float
    raw: int | float
    points: float
    justification: str
    quotes: tuple[Quote, ...]
    invented: tuple[Quote, ...]


class RubricScore(BaseModel):
    """The result of each dimension by name, the sum of their points, and the best possible sum."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rubric: str
    dimensions: dict[str, DimensionScore]
    total: float
    best: float


def _render(inputs: RubricInput) -> Mapping[str, Value]:
    return {
        "case": inputs.case,
        "reference": inputs.reference,
        "response": inputs.response,
        "rubric": "\n\n".join(map(_describe, inputs.rubric.dimensions)),
    }


def _describe(dimension: Dimension) -> str:
    return (
        f"## {dimension.name}: {dimension.title}\n{dimension.question}\n"
        f"{describe(dimension.levels)}"
    )


@lru_cache(maxsize=64)
def _answer_model(rubric: Rubric) -> type[RubricAnswer]:
    fields: dict[str, Any] = {
        dimension.name: (_dimension_model(dimension.values), Field(description=dimension.title))
        for dimension in rubric.dimensions
    }
    return create_model("RubricAnswer", __base__=RubricAnswer, **fields)


@lru_cache(maxsize=64)
def _dimension_model(values: tuple[int, ...]) -> type[DimensionAnswer]:
    field = Field(description="The level that fits.")
    return create_model(
        "DimensionAnswer", __base__=DimensionAnswer, level=(level_type(values), field)
    )


def _answers(inputs: RubricInput, answer: RubricAnswer) -> dict[Dimension, DimensionAnswer]:
    return {dimension: getattr(answer, dimension.name) for dimension in inputs.rubric.dimensions}


def _quoted(inputs: RubricInput, answer: RubricAnswer) -> list[str]:
    problems: list[str] = []
    for dimension, judged in _answers(inputs, answer).items():
        for field, quotes in (("quotes", judged.quotes), ("invented", judged.invented)):
            problems += [
                f"{dimension.name}.{field}: {quote[:200]!r} does not occur in the response; copy "
                "a passage word for word"
                for quote in quotes
                if find_quote(quote, inputs.response) is None
            ]
        if judged.level > dimension.values[0] and not judged.quotes:
            problems.append(
                f"{dimension.name}.quotes: a level above {dimension.values[0]} needs at least one "
                "quote from the response"
            )
        if not judged.justification.strip():
            problems.append(f"{dimension.name}.justification: is empty")
    return problems


def _weigh(inputs: RubricInput, answer: RubricAnswer) -> RubricScore:
    scores = {
        dimension.name: _score(inputs, dimension, judged)
        for dimension, judged in _answers(inputs, answer).items()
    }
    return RubricScore(
        rubric=inputs.rubric.name,
        dimensions=scores,
        total=sum(score.points for score in scores.values()),
        best=inputs.rubric.best,
    )


def _score(inputs: RubricInput, dimension: Dimension, answer: DimensionAnswer) -> DimensionScore:
    level = int(answer.level)
    raw = min(level, inputs.rubric.invented_cap) if answer.invented else level
    return DimensionScore(
        given=level,
        raw=raw,
        points=raw * dimension.factor,
        justification=answer.justification.strip(),
        quotes=_cited(answer.quotes, inputs.response),
        invented=_cited(answer.invented, inputs.response),
    )


def _cited(quotes: list[str], response: str) -> tuple[Quote, ...]:
    citations = (cite(quote, "response", response) for quote in quotes)
    return tuple(quote for quote in citations if quote is not None)


def _names(inputs: RubricInput) -> tuple[str, ...]:
    return tuple(dimension.name for dimension in inputs.rubric.dimensions)


def _values_of(inputs: RubricInput, name: str) -> tuple[int, ...]:
    return next(one.values for one in inputs.rubric.dimensions if one.name == name)


def _levels(inputs: RubricInput, value: RubricScore) -> dict[str, Worded]:
    return {name: Worded(one.raw, one.justification) for name, one in value.dimensions.items()}


def _join(
    inputs: RubricInput, verdicts: Mapping[str, Worded], values: Sequence[RubricScore]
) -> dict[str, Any]:
    """Return the fields of the result for a jury's levels; code computes points and total."""
    factors = {dimension.name: dimension.factor for dimension in inputs.rubric.dimensions}
    dimensions = {
        name: {
            "given": level,
            "raw": level,
            "points": float(level) * factors[name],
            "justification": words,
            "quotes": (),
            "invented": (),
        }
        for name, (level, words) in verdicts.items()
    }
    return {
        "rubric": inputs.rubric.name,
        "dimensions": dimensions,
        "total": sum(float(level) * factors[name] for name, (level, _) in verdicts.items()),
        "best": inputs.rubric.best,
    }


def _asked(inputs: RubricInput) -> dict[str, str]:
    texts: dict[str, str] = {}
    for one in inputs.rubric.dimensions:
        texts |= {one.name: f"{one.title}: {one.question}"} | meanings(
            f"{one.name}.level", one.levels
        )
    return texts


def _one_by_one(inputs: RubricInput) -> dict[str, RubricInput]:
    return {
        dimension.name: inputs.model_copy(
            update={"rubric": inputs.rubric.model_copy(update={"dimensions": (dimension,)})}
        )
        for dimension in inputs.rubric.dimensions
    }


def _added(inputs: RubricInput, scores: Mapping[str, RubricScore]) -> RubricScore:
    return RubricScore(
        rubric=inputs.rubric.name,
        dimensions={name: score.dimensions[name] for name, score in scores.items()},
        total=sum(score.total for score in scores.values()),
        best=inputs.rubric.best,
    )


SCORE_RUBRIC: Step[RubricInput, RubricAnswer, RubricScore] = Step(
    name="score_rubric",
    version=1,
    input=RubricInput,
    judged="response",
    output=lambda inputs: _answer_model(inputs.rubric),
    render=_render,
    checks=(_quoted,),
    finish=_weigh,
    result=RubricScore,
    verdict=Verdict(
        parts=Parts(
            names=_names,
            split=_levels,
            join=_join,
            kind="number",
            scale="ordinal",
            levels=_values_of,
            total="total",
        )
    ),
    dimensions=Dimensions(_one_by_one, _added),
    stand_ins={"code": abstain_on("response")},
    people=ForPeople(quotes={"quotes": ("response",), "invented": ("response",)}, explain=_asked),
    returns="a level and a justification with quotes for each dimension; points and total by code",
    scale="0-4 in five dimensions; 0-100 points",
)
