"""Write the rejected half of a preference pair: known faults in a reasoning, but no new facts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from ...prompts.load import Value
from ...prompts.making import FlawKind, FlawKinds, FlawKindsField
from ..rules.wording import fold
from ..step import Step
from .facts import missing_numbers, named_in, numbers_in
from .reasoning import PARTS, Parts, Reasoning


class RejectedInput(BaseModel):
    """The chosen reasoning, the kind of rejected answer, and the possible wrong diagnoses.

    choices: diagnoses whose code differs from the code of the truth; required if the kind is a
    wrong diagnosis. source: the facts of the case as one text; numbers may come from it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    chosen: Reasoning
    source: str = Field(min_length=1)
    kind: str
    choices: tuple[str, ...] = ()
    flaws: FlawKindsField = Field(default="dermcase", validate_default=True)

    @model_validator(mode="after")
    def _known(self) -> "RejectedInput":
        names = [kind.name for kind in self.flaws.kinds]
        if self.kind not in names:
            raise ValueError(f"kind: must be one of {', '.join(names)}")
        if not self.rules.same_diagnosis and not self.choices:
            raise ValueError("choices: a wrong diagnosis needs at least one to choose from")
        return self

    @property
    def rules(self) -> FlawKind:
        """The rules of this kind."""
        return next(kind for kind in self.flaws.kinds if kind.name == self.kind)


class PlacedFlaw(BaseModel):
    """A fault, and the part that it stands in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    part: Literal[2, 3, 4, 5]
    explanation: str = Field(description="In a sentence, what is wrong there.")


class RejectedAnswer(Parts):
    """Parts 2 to 5 with their faults; part 1 is the chosen one's."""

    flaws: list[PlacedFlaw]
    final_diagnosis: str = Field(min_length=1)


class Rejected(BaseModel):
    """The rejected reasoning and its faults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    reasoning: Reasoning
    flaws: tuple[PlacedFlaw, ...]


@lru_cache(maxsize=64)
def _answer_model(kinds: FlawKinds, name: str) -> type[RejectedAnswer]:
    rules = next(kind for kind in kinds.kinds if kind.name == name)
    names = tuple(flaw.name for flaw in rules.flaws)
    fields: dict[str, Any] = {"name": (Literal[names], ...)}
    placed = create_model("PlacedFlaw", __base__=PlacedFlaw, **fields)
    flaws: Any = (list[placed], ...)  # type: ignore[valid-type]
    return create_model("RejectedAnswer", __base__=RejectedAnswer, flaws=flaws)


def _render(inputs: RejectedInput) -> Mapping[str, Value]:
    rules = inputs.rules
    diagnosis = (
        "keeps the final diagnosis" if rules.same_diagnosis else "ends with a wrong diagnosis"
    )
    choices = (inputs.chosen.final_diagnosis,) if rules.same_diagnosis else inputs.choices
    return {
        "chosen": inputs.chosen.text(),
        "diagnosis": diagnosis,
        "choices": "\n".join(f"- {choice}" for choice in choices),
        "fewest": str(rules.fewest),
        "most": str(rules.most),
        "flaws": "\n".join(f"- {flaw.name}: {flaw.description}" for flaw in rules.flaws),
    }


def assemble(inputs: RejectedInput, answer: RejectedAnswer) -> Reasoning:
    """Return the rejected reasoning: part 1 of the chosen one, and all else from the answer."""
    return Reasoning(
        presentation=inputs.chosen.presentation,
        examination=answer.examination,
        tests=answer.tests,
        differential=answer.differential,
        pathophysiology=answer.pathophysiology,
        final_diagnosis=answer.final_diagnosis,
    )


def _diagnosis(inputs: RejectedInput, answer: RejectedAnswer) -> list[str]:
    written, truth = fold(answer.final_diagnosis), fold(inputs.chosen.final_diagnosis)
    if inputs.rules.same_diagnosis:
        return [] if written == truth else ["final_diagnosis: must stay as it is"]
    if written in {fold(choice) for choice in inputs.choices} - {truth}:
        return []
    return [f"final_diagnosis: must be one of {', '.join(inputs.choices)}"]


def _counted(inputs: RejectedInput, answer: RejectedAnswer) -> list[str]:
    rules, names = inputs.rules, {flaw.name for flaw in answer.flaws}
    problems = []
    if not rules.fewest <= len(names) <= rules.most or len(names) < len(answer.flaws):
        problems.append(f"flaws: {rules.fewest} to {rules.most} different ones are wanted")
    rejected = assemble(inputs, answer)
    problems += [
        f"flaws: {flaw.name} is said to stand in part {flaw.part}, which is as before"
        for flaw in answer.flaws
        if rejected.part(flaw.part) == inputs.chosen.part(flaw.part)
    ]
    return problems


def _facts(inputs: RejectedInput, answer: RejectedAnswer) -> list[str]:
    """Check that findings and tests are unchanged: the faults must be in the reasoning."""
    rejected, chosen = assemble(inputs, answer), inputs.chosen
    problems = [
        f"the number {number} is not in the case"
        for number in missing_numbers(rejected.text(), f"{inputs.source} {chosen.text()}")
    ]
    if {fold(test.name) for test in answer.tests} != {fold(test.name) for test in chosen.tests}:
        problems.append("tests: must name the same tests")
    results = {fold(test.name): test.result for test in answer.tests}
    problems += [
        f"tests: the result of {test.name} must stay: {test.result!r}"
        for test in chosen.tests
        if fold(test.name) in results and not _keeps(results[fold(test.name)], test.result)
    ]
    for part in (2, 3):
        lost = set(numbers_in(chosen.part(part))) - set(numbers_in(rejected.part(part)))
        problems += [f"{PARTS[part - 1]}: the number {number} is lost" for number in sorted(lost)]
    return problems


def _keeps(text: str, result: str) -> bool:
    """Whether a text holds a result word for word; it may add what is made of it."""
    return " ".join(result.split()).rstrip(".") in " ".join(text.split())


def _hidden(inputs: RejectedInput, answer: RejectedAnswer) -> list[str]:
    names = [flaw.name for kind in inputs.flaws.kinds for flaw in kind.flaws]
    return [
        f"the text names its fault: {name!r}"
        for name in named_in(assemble(inputs, answer).text(), names)
    ]


def _length(inputs: RejectedInput, answer: RejectedAnswer) -> list[str]:
    before, after = len(inputs.chosen.text()), len(assemble(inputs, answer).text())
    if abs(after - before) <= inputs.flaws.length * before:
        return []
    share = f"{inputs.flaws.length:.0%}"
    return [f"the text has {after} characters; it may differ from {before} by {share}"]


def _collect(inputs: RejectedInput, answer: RejectedAnswer) -> Rejected:
    flaws = tuple(PlacedFlaw(**flaw.model_dump()) for flaw in answer.flaws)
    return Rejected(kind=inputs.kind, reasoning=assemble(inputs, answer), flaws=flaws)


WRITE_REJECTED: Step[RejectedInput, RejectedAnswer, Rejected] = Step(
    name="write_rejected",
    version=2,
    input=RejectedInput,
    output=lambda inputs: _answer_model(inputs.flaws, inputs.kind),
    render=_render,
    checks=(_diagnosis, _counted, _facts, _hidden, _length),
    finish=_collect,
    result=Rejected,
    temperature=0.7,
    returns="a reasoning with three to four known faults and unchanged facts",
)
