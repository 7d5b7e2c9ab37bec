"""Everything that was judged: cases, responses, the judges' outcomes, and what was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..agents.outcome import Outcome
from ..ontology.tree import Tree
from .cases import Case, Response
from .coding import Codes
from .judging import JURY, JudgedItem

Responses = Mapping[str, tuple[Response, ...]]
Status = Literal["done", "abstained", "failed"]


@dataclass(frozen=True)
class Diagnoses:
    """The diagnoses of a response, extracted or given; no diagnosis is an abstention.

    `decided_by` is "given" where the file of responses names them.
    """

    status: Status
    names: tuple[str, ...] = ()
    decided_by: str = "given"
    reason: str = ""


MISSING = Diagnoses("failed", decided_by="none", reason="the model has no response to this case")


@dataclass(frozen=True)
class LeftOut:
    """A task of the settings that was not done, and the reason, with what to add."""

    task: str
    reason: str


@dataclass(frozen=True)
class Judged:
    """The outcomes from which every number is computed.

    `outcomes` has the judged items by task, judge, model and case, in the order of responses and
    places. `finals` and `ddx` have what the first judge extracted, by model and case.
    """

    cases: tuple[Case, ...]
    models: tuple[str, ...]
    responses: Mapping[str, Responses]
    judges: tuple[str, ...]
    outcomes: Mapping[tuple[str, str, str, str], tuple[JudgedItem, ...]]
    finals: Mapping[tuple[str, str], Diagnoses]
    ddx: Mapping[tuple[str, str], Diagnoses]
    codes: Codes | None = None
    tree: Tree | None = None
    left_out: tuple[LeftOut, ...] = ()

    @property
    def single_judges(self) -> tuple[str, ...]:
        """The judges without the jury, whose verdicts are computed from theirs."""
        return tuple(name for name in self.judges if not name.startswith(JURY))

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that have a judged item, in the order in which they were done."""
        return tuple(dict.fromkeys(task for task, *_ in self.outcomes))

    def of(self, task: str, judge: str, model: str, case: str) -> tuple[JudgedItem, ...]:
        """The items of a task that one judge judged for one model and case."""
        return self.outcomes.get((task, judge, model, case), ())

    def outcome(self, task: str, judge: str, model: str, case: str) -> Outcome | None:
        """The outcome of a task that asks once a case; None where nothing was asked."""
        items = self.of(task, judge, model, case)
        return items[0].outcome if items else None

    def first_response(self, model: str, case: str) -> Response | None:
        """The response with all evidence; None where the model has none."""
        return first_response(self.responses[model].get(case, ()))


def first_response(responses: Sequence[Response]) -> Response | None:
    """The first response that saw all evidence."""
    return next((response for response in responses if not response.withheld), None)


def samples_of(responses: Sequence[Response], variant: str) -> tuple[int, ...]:
    """The places of the responses to one wording of the prompt that saw all evidence."""
    return tuple(
        place
        for place, response in enumerate(responses)
        if response.wording == variant and not response.withheld
    )


def collect(items: Sequence[JudgedItem]) -> dict[tuple[str, str, str, str], tuple[JudgedItem, ...]]:
    """Group judged items by task, judge, model and case."""
    by_key: dict[tuple[str, str, str, str], list[JudgedItem]] = {}
    for item in items:
        by_key.setdefault((item.task, item.judge, item.model, item.case), []).append(item)
    return {key: tuple(group) for key, group in by_key.items()}
