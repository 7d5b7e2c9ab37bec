"""Find patterns in the image pairs that models confuse; each pattern names its pairs."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...prompts.load import Value
from ..step import Step

FEWEST_PAIRS = 2
"""A pattern rests on at least so many pairs."""


class FailedPair(BaseModel):
    """A pair that a model could not tell apart: question, options, and what the images show."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: tuple[str, ...] = Field(min_length=2)
    captions: tuple[str, ...] = ()


class FailuresInput(BaseModel):
    """The failed pairs, and how many patterns are wanted at most."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: tuple[FailedPair, ...] = Field(min_length=FEWEST_PAIRS)
    most: int = Field(default=10, ge=1)

    @model_validator(mode="after")
    def _names(self) -> "FailuresInput":
        names = [pair.id for pair in self.pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"pairs: {twice[0]} occurs twice")
        return self


class Pattern(BaseModel):
    """A pattern, and the pairs that show it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    pairs: tuple[str, ...] = Field(description="The names of the pairs that show it.")


class Patterns(BaseModel):
    """The patterns; empty if nothing repeats."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    patterns: tuple[Pattern, ...]


def _render(inputs: FailuresInput) -> Mapping[str, Value]:
    return {"most": str(inputs.most), "pairs": "\n\n".join(map(_entry, inputs.pairs))}


def _entry(pair: FailedPair) -> str:
    captions = [f"Caption {number}: {text}" for number, text in enumerate(pair.captions, 1)]
    lines = [
        f"Pair {pair.id}",
        f"Question: {pair.question}",
        f"Options: {' | '.join(pair.options)}",
    ]
    return "\n".join([*lines, *captions])


def _known(inputs: FailuresInput, answer: Patterns) -> list[str]:
    """Check that each pattern names two different pairs of the list or more."""
    known = {pair.id for pair in inputs.pairs}
    problems = []
    for place, pattern in enumerate(answer.patterns):
        unknown = [name for name in pattern.pairs if name not in known]
        if unknown:
            problems.append(f"patterns.{place}.pairs: there is no pair {unknown[0]!r}")
        if len(set(pattern.pairs)) < FEWEST_PAIRS:
            problems.append(f"patterns.{place}.pairs: at least {FEWEST_PAIRS} pairs are needed")
    return problems


def _distinct(inputs: FailuresInput, answer: Patterns) -> list[str]:
    names = [pattern.name.strip().casefold() for pattern in answer.patterns]
    problems = [
        f"patterns: {name!r} occurs twice" for name in sorted(set(names)) if names.count(name) > 1
    ]
    if len(names) > inputs.most:
        problems.append(f"patterns: has {len(names)}; at most {inputs.most} are wanted")
    return problems


def _collect(inputs: FailuresInput, answer: Patterns) -> Patterns:
    patterns = (
        pattern.model_copy(update={"pairs": tuple(dict.fromkeys(pattern.pairs))})
        for pattern in answer.patterns
    )
    return Patterns(patterns=tuple(patterns))


FIND_FAILURE_PATTERNS: Step[FailuresInput, Patterns] = Step(
    name="find_failure_patterns",
    version=1,
    input=FailuresInput,
    output=Patterns,
    render=_render,
    checks=(_known, _distinct),
    finish=_collect,
    returns="patterns of failed pairs, each with two pairs or more",
)
