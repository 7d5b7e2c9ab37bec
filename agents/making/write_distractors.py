"""Write three wrong options from a differential that are like the true diagnosis in form."""

import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ...prompts.evidence import OptionRulesField
from ...prompts.load import Value
from ..rules.wording import faults, fold, shares_words
from ..step import Step


class Candidate(BaseModel):
    """A diagnosis of the differential, with its code and chapter if it was mapped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    code: str | None = None
    chapter: str | None = None


class DistractorInput(BaseModel):
    """The true diagnosis, and the differential from which the wrong options are chosen.

    candidates: diagnoses with another code than the truth. earlier: the options of earlier draws,
    which gave the truth away. objections: the faults of earlier options.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    truth: Candidate
    candidates: tuple[Candidate, ...] = Field(min_length=1)
    rules: OptionRulesField = Field(default="medsyn", validate_default=True)
    earlier: tuple[tuple[str, ...], ...] = ()
    objections: tuple[str, ...] = ()

    def candidate(self, name: str) -> Candidate | None:
        """Return the candidate of this name, None if there is none."""
        named = {fold(candidate.name): candidate for candidate in self.candidates}
        return named.get(fold(name))

    @property
    def near(self) -> int:
        """How many candidates are of the chapter of the truth."""
        chapter = self.truth.chapter
        return sum(one.chapter == chapter for one in self.candidates) if chapter else 0


class Distractor(BaseModel):
    """A wrong option."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    considered: str = Field(description="The diagnosis of the differential, as it is listed.")
    option: str = Field(description="The same diagnosis in the words of the option.")


class Distractors(BaseModel):
    """The wrong options."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    distractors: tuple[Distractor, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """The texts of the options."""
        return tuple(item.option.strip() for item in self.distractors)


def head_noun(name: str) -> str:
    """Return the noun that a diagnosis is a kind of: the last word before a preposition or comma.

    >>> head_noun("Squamous-cell carcinoma of the lung"), head_noun("Arthritis, septic")
    ('carcinoma', 'arthritis')
    """
    bare = re.split(r",|\(|\s(?:of|with|without|due to|in|from|after|by)\s", name.lower())[0]
    words = re.findall(r"\w+", bare)
    return words[-1] if words else ""


def _render(inputs: DistractorInput) -> Mapping[str, Value]:
    chapter = inputs.truth.chapter
    listed = sorted(inputs.candidates, key=lambda one: chapter is None or one.chapter != chapter)
    near = " (of the same chapter as the truth)"
    return {
        "truth": inputs.truth.name,
        "count": str(inputs.rules.distractors),
        "candidates": "\n".join(
            f"- {one.name}{near if chapter and one.chapter == chapter else ''}" for one in listed
        ),
        "earlier": "\n".join(f"- {'; '.join(options)}" for options in inputs.earlier) or "(none)",
        "objections": "\n".join(f"- {text}" for text in inputs.objections) or "(none)",
    }


def _chosen(inputs: DistractorInput, answer: Distractors) -> list[str]:
    """Check that the options are different diagnoses of the differential."""
    if len(answer.distractors) != inputs.rules.distractors:
        return [f"distractors: {inputs.rules.distractors} are wanted"]
    problems = []
    for place, item in enumerate(answer.distractors):
        if inputs.candidate(item.considered) is None:
            problems.append(
                f"distractors.{place}.considered: {item.considered!r} is not in the differential"
            )
        elif not shares_words(item.option, item.considered):
            problems.append(
                f"distractors.{place}.option: {item.option!r} is not {item.considered!r}"
            )
        problems += [f"distractors.{place}.option: {fault}" for fault in faults(item.option)]
    return problems


def _different(inputs: DistractorInput, answer: Distractors) -> list[str]:
    """Check that truth and options are four diagnoses with four codes."""
    problems = []
    names = [fold(inputs.truth.name)]
    codes = [inputs.truth.code]
    for place, item in enumerate(answer.distractors):
        name, candidate = fold(item.option), inputs.candidate(item.considered)
        if name == names[0]:
            problems.append(f"distractors.{place}.option: is the truth")
        elif name in names:
            problems.append(f"distractors.{place}.option: occurs twice")
        names.append(name)
        if candidate and candidate.code and candidate.code in codes:
            problems.append(f"distractors.{place}: shares the code {candidate.code} with another")
        codes.append(candidate.code if candidate else None)
    if {fold(option) for option in answer.options} in [
        {fold(option) for option in options} for options in inputs.earlier
    ]:
        problems.append("distractors: are those of an earlier draw; choose or word them otherwise")
    return problems


def _alike(inputs: DistractorInput, answer: Distractors) -> list[str]:
    """Check that neither length nor head noun shows which option is the truth."""
    truth, most = inputs.truth.name, inputs.rules.length
    problems = [
        f"distractors.{place}.option: has {len(item.option)} characters, the truth {len(truth)}; "
        f"neither may be more than {most:g} times as long as the other"
        for place, item in enumerate(answer.distractors)
        if not 1 / most <= len(item.option) / len(truth) <= most
    ]
    heads = {head_noun(option) for option in answer.options}
    if len(answer.distractors) > 1 and len(heads) == 1 and head_noun(truth) not in heads:
        problems.append(
            f"distractors: all are a {heads.pop()} and the truth is not, which gives it away"
        )
    shared = [one.name for one in inputs.candidates if head_noun(one.name) == head_noun(truth)]
    if shared and head_noun(truth) not in heads:
        problems.append(f"distractors: one must be a {head_noun(truth)} too, such as {shared[0]}")
    return problems


def _same_chapter(inputs: DistractorInput, answer: Distractors) -> list[str]:
    """Check that options of the truth's chapter are preferred."""
    candidates = [inputs.candidate(item.considered) for item in answer.distractors]
    chapter = inputs.truth.chapter
    near = sum(one is not None and one.chapter == chapter for one in candidates) if chapter else 0
    wanted = min(inputs.near, inputs.rules.distractors)
    if near >= wanted:
        return []
    return [f"distractors: {near} are of the truth's chapter; the differential has {wanted}"]


WRITE_DISTRACTORS: Step[DistractorInput, Distractors] = Step(
    name="write_distractors",
    version=1,
    input=DistractorInput,
    output=Distractors,
    render=_render,
    checks=(_chosen, _different, _alike, _same_chapter),
    temperature=0.3,
    returns="three wrong options from a differential, alike in form to the true diagnosis",
)
