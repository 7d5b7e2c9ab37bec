"""What a task of an evaluation is, and what it asks about every response."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ..agents.step import Step
from .cases import Case, Response
from .judged import Found, Judged, Responses
from .judging import Item, Verdict
from .measures.answered import answer_score
from .measures.measure import Measure
from .settings import Column, Settings

Inputs = list[dict[str, Any]]
"""What a step is asked about one response; nothing where there is nothing to ask."""
Measures = Callable[[Judged, Settings], Iterable[Measure]]
_ANSWERS = ("match_option", "score_open_answer")


@dataclass(frozen=True)
class Material:
    """Cases, responses, and what was found in them and judged so far."""

    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    settings: Settings
    finals: Mapping[tuple[str, str], Found]
    ddx: Mapping[tuple[str, str], Found]
    verdicts: Sequence[Verdict] = ()

    @cached_property
    def right(self) -> frozenset[tuple[str, str, int]]:
        """Model, case and place of the answers that some judge found fully right."""
        by_id = {case.id: case for case in self.cases}
        return frozenset(
            (one.model, one.case, one.response)
            for one in self.verdicts
            if one.task in _ANSWERS and answer_score(one, by_id[one.case]) == 1
        )


@dataclass(frozen=True)
class Ask:
    """One response, and all that a task may need to know of it. `place` counts from 0."""

    material: Material
    model: str
    case: Case
    response: Response
    place: int

    @property
    def settings(self) -> Settings:
        """The settings of the evaluation."""
        return self.material.settings

    @property
    def final(self) -> str | None:
        """The final diagnosis of the response; None where it has none."""
        found = self.material.finals.get((self.model, self.case.id))
        return found.names[0] if found and found.names else None

    @property
    def ddx(self) -> tuple[str, ...]:
        """The differential of the response."""
        found = self.material.ddx.get((self.model, self.case.id))
        return found.names if found else ()

    @property
    def truth(self) -> str:
        """The true diagnosis; "" where the case has none."""
        return self.case.diagnosis.text if self.case.diagnosis else ""


@dataclass(frozen=True)
class Need:
    """What at least one case must have: in words, and how to look for it."""

    words: str
    holds: Callable[[Case], Any]


def _no_columns(_settings: Settings) -> tuple[Column, ...]:
    return ()


def _no_tasks(_settings: Settings) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Task:
    """One thing that an evaluation does: what it asks, what it measures, what it fills.

    name: what settings, records and tables call it.
    step: the step that judges, by the settings; None where code alone computes.
    items: one response -> the inputs of the step.
    every_response: ask about every response; otherwise about a model's first with all evidence.
    needs: without one of these on any case the task is left out, with the reason.
    after: the tasks that it builds on; they are done too, before it.
    measures: everything judged -> measures; they are computed once where tasks share them.
    columns: the columns of the main table that it can fill, in their order. A metric that ends
        with ": *" stands for all that begin with what is before the star.
    extracts: which diagnoses of a response it finds, for other tasks.
    by_ontology: codes decide it where there is no judge.
    of_pairs: the cases are items of pairs, which are resampled together.
    """

    name: str
    step: Callable[[Settings], Step[Any, Any]] | None = None
    items: Callable[[Ask], Inputs] | None = None
    every_response: bool = False
    needs: tuple[Need, ...] = ()
    after: Callable[[Settings], tuple[str, ...]] = _no_tasks
    measures: Measures | None = None
    columns: Callable[[Settings], tuple[Column, ...]] = _no_columns
    extracts: Literal["", "final", "ddx"] = ""
    by_ontology: bool = False
    of_pairs: bool = False

    def lack(self, cases: Sequence[Case]) -> str:
        """Why no case can be judged, in words; "" where one can."""
        for need in self.needs:
            if not any(need.holds(case) for case in cases):
                return f"no case has {need.words}"
        return ""


def items_of(task: Task, material: Material) -> list[Item]:
    """Every item of a task: by model, case, response and place."""
    return list(_items(task, material))


def _items(task: Task, material: Material) -> Iterator[Item]:
    if task.items is None:
        return
    for model, by_case in material.responses.items():
        for case in material.cases:
            responses = by_case.get(case.id, ())
            first = next((at for at, one in enumerate(responses) if not one.withheld), None)
            for index, response in enumerate(responses):
                if not task.every_response and index != first:
                    continue
                inputs = task.items(Ask(material, model, case, response, index))
                for place, given in enumerate(inputs):
                    yield Item(task.name, model, case.id, index, place, given)
