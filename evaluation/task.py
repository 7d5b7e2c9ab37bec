"""The task of an evaluation: what it asks about every response, and what it measures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ..agents.step import Step
from ..files.counted import counted
from .cases import Case, Response
from .failures import Failures, failures_of
from .judged import Diagnoses, Judged, LeftOut, Responses
from .judging import Item, JudgedItem
from .measures.measure import Measure
from .settings import Column, Settings

Inputs = list[dict[str, Any]]
"""The inputs of a step for one response; empty where the step is not asked."""
Measures = Callable[[Judged, Settings], Iterable[Measure]]


@dataclass(frozen=True)
class Material:
    """Cases, responses, their diagnoses, and the items judged so far."""

    cases: tuple[Case, ...]
    responses: Mapping[str, Responses]
    settings: Settings
    finals: Mapping[tuple[str, str], Diagnoses]
    ddx: Mapping[tuple[str, str], Diagnoses]
    judged: Sequence[JudgedItem] = ()

    @cached_property
    def failures(self) -> Mapping[str, Failures]:
        """The wrong responses of every model, and those whose errors are labelled."""
        return failures_of(self.cases, self.responses, self.finals, self.judged, self.settings)


@dataclass(frozen=True)
class Ask:
    """One response, with everything that a task may need. `place` counts from 0."""

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
        diagnoses = self.material.finals.get((self.model, self.case.id))
        return diagnoses.names[0] if diagnoses and diagnoses.names else None

    @property
    def ddx(self) -> tuple[str, ...]:
        """The differential of the response."""
        diagnoses = self.material.ddx.get((self.model, self.case.id))
        return diagnoses.names if diagnoses else ()

    @property
    def truth(self) -> str:
        """The true diagnosis; "" where the case has none."""
        return self.case.diagnosis.text if self.case.diagnosis else ""


@dataclass(frozen=True)
class Need:
    """A thing that at least one case must have: its words, and a function that looks for it.

    or_other: a file may have cases with another such thing in its place, as questions with options
    and open questions.
    """

    words: str
    holds: Callable[[Case], Any]
    or_other: bool = False


def _no_columns(_settings: Settings) -> tuple[Column, ...]:
    return ()


def _no_tasks(_settings: Settings) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task of an evaluation: what it asks, what it measures, which columns it fills.

    name: its name in settings, records and tables.
    step: settings -> the step that judges; None where code alone computes.
    items: one response -> the inputs of the step.
    every_response: ask about every response; otherwise only about the first response of a model
        that saw all evidence.
    needs: things that at least one case must have; otherwise the task is left out, with the reason.
    after: the tasks whose results it uses; they are done first, also where the settings do not
        name them.
    measures: everything judged -> measures; tasks that share a function share its measures.
    columns: the columns of the main table that it can fill, in their order. A metric that ends
        with ": *" stands for all metrics that begin with the text before the star.
    further: columns that it can fill too, but that stand only in a table that names them.
    extracts: which diagnoses of a response it extracts for other tasks.
    by_ontology: where there is no judge, the codes decide.
    of_pairs: the cases are the items of pairs; both items of a pair are resampled together.
    right: what says that a response is right: its verdict as a number (1 is right, 0 is wrong), a
        verdict of which an abstention is wrong too, the chosen option, or the metric with the
        name of the task; "" where nothing does, as for a grade.
    """

    name: str
    step: Callable[[Settings], Step[Any, Any]] | None = None
    items: Callable[[Ask], Inputs] | None = None
    every_response: bool = False
    needs: tuple[Need, ...] = ()
    after: Callable[[Settings], tuple[str, ...]] = _no_tasks
    measures: Measures | None = None
    columns: Callable[[Settings], tuple[Column, ...]] = _no_columns
    further: Callable[[Settings], tuple[Column, ...]] = _no_columns
    extracts: Literal["", "final", "ddx"] = ""
    by_ontology: bool = False
    of_pairs: bool = False
    right: Literal["", "verdict", "answer", "option", "metric"] = ""

    def lack(self, cases: Sequence[Case]) -> str:
        """The reason why no case can be judged; "" where one can."""
        for need in self.needs:
            if not any(need.holds(case) for case in cases):
                return f"no case has {need.words}"
        return ""


def unsuited(tasks: Sequence[Task], cases: Sequence[Case]) -> list[LeftOut]:
    """Return, for each task that some cases suit, how many other cases lack what it needs."""
    others = [need for task in tasks for need in task.needs if need.or_other]
    skipped = []
    for task in tasks:
        for need in task.needs:
            either = [need, *others] if need.or_other else [need]
            lacking = sum(not any(one.holds(case) for one in either) for case in cases)
            if 0 < lacking < len(cases):
                words = f"{lacking:,} of {counted(len(cases), 'case')} without {need.words}"
                skipped.append(LeftOut(task.name, words))
    return skipped


def items_of(task: Task, material: Material) -> list[Item]:
    """Return every item of a task, by model, case, response and place."""
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
                for place, fields in enumerate(inputs):
                    yield Item(task.name, model, case.id, index, place, fields)
