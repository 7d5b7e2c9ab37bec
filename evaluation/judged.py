"""Everything that was judged: what the models said, what the judges made of it, and why not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..agents.outcome import Outcome
from ..ontology.tree import Tree
from .cases import Case, Response
from .coding import Codes
from .judging import JURY, Verdict

Responses = Mapping[str, tuple[Response, ...]]
Status = Literal["done", "abstained", "failed"]


@dataclass(frozen=True)
class Found:
    """The diagnoses found in a response: none of them is an abstention, not a failure.

    `decided_by` is "given" where the file names them.
    """

    status: Status
    names: tuple[str, ...] = ()
    decided_by: str = "given"
    reason: str = ""


MISSING = Found("failed", decided_by="none", reason="the model has no response to this case")


@dataclass(frozen=True)
class LeftOut:
    """A task that was asked for and not done, and what would let it be done."""

    task: str
    reason: str


@dataclass(frozen=True)
class Judged:
    """The step outputs from which every number follows.

    `verdicts` holds them by task, judge, model and case, in the order of responses and places.
    `finals` and `ddx` are what the first judge extracted, by model and case.
    """

    cases: tuple[Case, ...]
    models: tuple[str, ...]
    responses: Mapping[str, Responses]
    judges: tuple[str, ...]
    verdicts: Mapping[tuple[str, str, str, str], tuple[Verdict, ...]]
    finals: Mapping[tuple[str, str], Found]
    ddx: Mapping[tuple[str, str], Found]
    codes: Codes | None = None
    tree: Tree | None = None
    left_out: tuple[LeftOut, ...] = ()

    @property
    def single_judges(self) -> tuple[str, ...]:
        """The judges without the jury, whose verdicts only follow from theirs."""
        return tuple(name for name in self.judges if not name.startswith(JURY))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that have a verdict, in the order in which they were done."""
        return tuple(dict.fromkeys(task for task, *_ in self.verdicts))

    def of(self, task: str, judge: str, model: str, case: str) -> tuple[Verdict, ...]:
        """The verdicts of one judge on one task for one response."""
        return self.verdicts.get((task, judge, model, case), ())

    def outcome(self, task: str, judge: str, model: str, case: str) -> Outcome | None:
        """The only outcome of a task that asks once a case; None where nothing was asked."""
        held = self.of(task, judge, model, case)
        return held[0].outcome if held else None

    def first_response(self, model: str, case: str) -> Response | None:
        """The response with all evidence; None where the model has none."""
        return first_response(self.responses[model].get(case, ()))


def first_response(responses: Sequence[Response]) -> Response | None:
    """The first response that saw all evidence."""
    return next((response for response in responses if not response.withheld), None)


def samples_of(responses: Sequence[Response], variant: str) -> tuple[int, ...]:
    """The places of the answers to one wording of the prompt, with all evidence."""
    return tuple(
        place
        for place, response in enumerate(responses)
        if response.wording == variant and not response.withheld
    )


def collect(verdicts: Sequence[Verdict]) -> dict[tuple[str, str, str, str], tuple[Verdict, ...]]:
    """Verdicts by task, judge, model and case."""
    held: dict[tuple[str, str, str, str], list[Verdict]] = {}
    for verdict in verdicts:
        key = (verdict.task, verdict.judge, verdict.model, verdict.case)
        held.setdefault(key, []).append(verdict)
    return {key: tuple(found) for key, found in held.items()}
