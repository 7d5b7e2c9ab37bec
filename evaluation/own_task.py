"""Your own tasks: any step with a verdict, asked about the columns of cases and responses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..agents.step import Step
from ..agents.steps import find_step
from ..agents.verdict import Verdict
from ..errors import InputError, UsageError
from ..graphs.row_inputs import read_field
from ..scoring.votes import Scalar
from .cases import Case
from .judged import Judged, Responses
from .measures.measure import Measure
from .measures.verdicts import VerdictMeasures
from .settings import Column, OwnTask, Settings
from .task import Ask, Inputs, Task

_OF_CASE: dict[str, Callable[[Case], Any]] = {
    "id": lambda case: case.id,
    "case": lambda case: case.case,
    "reference": lambda case: case.reference,
    "diagnosis": lambda case: case.diagnosis.text if case.diagnosis else "",
    "ddx": lambda case: [diagnosis.text for diagnosis in case.ddx],
    "question": lambda case: case.question,
    "options": lambda case: dict(case.options),
    "answer": lambda case: case.answer,
    "kind": lambda case: case.kind,
    "criteria": lambda case: [one.model_dump() for one in case.criteria],
}
_OF_RESPONSE: dict[str, Callable[[Ask], Any]] = {
    "response": lambda ask: ask.response.text,
    "answered": lambda ask: ask.response.answer,
    "predicted_diagnosis": lambda ask: ask.final,
    "predicted_ddx": lambda ask: list(ask.ddx),
}
_FINDS = {"predicted_diagnosis": "extract_final_diagnosis", "predicted_ddx": "extract_ddx"}


def own_task(spec: OwnTask) -> Task:
    """Build the task that a settings file describes.

    Raises UsageError for a step that does not exist or has no verdict, or for a field that the
    step lacks.
    """
    step = find_step(spec.step)
    name = spec.name or step.name
    verdict = step.demand_verdict()
    if verdict.parts is not None and not verdict.field and spec.truth:
        raise UsageError(f"task {name}: the verdict of {step.name} has parts; leave out truth")
    for field in (*spec.set, *spec.give):
        if field not in step.input.model_fields:
            known = ", ".join(step.input.model_fields)
            raise UsageError(f"task {name}: {step.name} has no field {field!r}; there are {known}")
    bare = [column.rpartition(".")[2] for column in _columns(spec, step).values()]
    finds = tuple(dict.fromkeys(_FINDS[column] for column in bare if column in _FINDS))
    return Task(
        name=name,
        step=lambda _: step,
        items=partial(_inputs, spec, step),
        after=lambda _: finds,
        measures=partial(_measures, name, spec, step),
        columns=lambda _: _own_columns(name, spec.title or name, spec, verdict),
        right="metric" if spec.truth else "",
    )


def own_columns(settings: Settings) -> frozenset[str]:
    """The columns of cases and responses that only your own tasks read."""
    specs = [task for task in settings.tasks if isinstance(task, OwnTask)]
    columns = {name for spec in specs for name in _columns(spec, find_step(spec.step)).values()}
    columns |= {spec.truth for spec in specs if spec.truth}
    return frozenset(name.removeprefix("case.").removeprefix("response.") for name in columns)


def check_columns(
    settings: Settings, cases: Sequence[Case], responses: Mapping[str, Responses]
) -> None:
    """Look for every column that your own tasks need, before a judge is asked.

    Raises UsageError for a column that neither file has, or that both have; and InputError for a
    right verdict that the step cannot give.
    """
    of_cases = {name for case in cases for name in case.columns}
    of_responses = {
        name
        for by_case in responses.values()
        for of_case in by_case.values()
        for response in of_case
        for name in response.columns
    }
    for spec in (task for task in settings.tasks if isinstance(task, OwnTask)):
        step = find_step(spec.step)
        for field, column in _columns(spec, step).items():
            known = step.input.model_fields[field]
            if column not in spec.set.values() and not known.is_required():
                continue
            _check_column(spec, step, field, column, of_cases, of_responses)
        for case in cases if spec.truth else ():
            _right_verdict(spec, step, case)


def _check_column(
    spec: OwnTask,
    step: Step[Any, Any],
    field: str,
    column: str,
    of_cases: set[str],
    of_responses: set[str],
) -> None:
    name = spec.name or step.name
    where, _, bare = column.rpartition(".")
    in_cases = where != "response" and (bare in _OF_CASE or bare in of_cases)
    in_responses = where != "case" and (bare in _OF_RESPONSE or bare in of_responses)
    if in_cases and in_responses:
        raise UsageError(
            f"task {name}: cases and responses both have the column {bare!r}; write "
            f"{field}: case.{bare} or {field}: response.{bare}"
        )
    if not in_cases and not in_responses:
        raise UsageError(
            f"task {name}: no case and no response has the column {column!r} for the field "
            f"{field!r} of {step.name}; name another with set: {{{field}: COLUMN}}"
        )


def _columns(spec: OwnTask, step: Step[Any, Any]) -> dict[str, str]:
    """Map each field of the step's input to its column."""
    return {
        field: spec.set.get(field, field)
        for field in step.input.model_fields
        if field not in spec.give
    }


def _value(column: str, ask: Ask) -> Any:
    """A cell, from the file that has it; None where neither file has it."""
    where, _, bare = column.rpartition(".")
    if where != "case":
        if bare in _OF_RESPONSE:
            return _OF_RESPONSE[bare](ask)
        if bare in ask.response.columns:
            return ask.response.columns[bare]
    return _of_case(bare, ask.case) if where != "response" else None


def _of_case(column: str, case: Case) -> Any:
    return _OF_CASE[column](case) if column in _OF_CASE else case.columns.get(column)


def _inputs(spec: OwnTask, step: Step[Any, Any], ask: Ask) -> Inputs:
    """The input of the step; empty where a required field has no value."""
    inputs = dict(spec.give)
    for field, column in _columns(spec, step).items():
        value = _value(column, ask)
        known = step.input.model_fields[field]
        is_missing = value is None or (not _is_response(column) and value in ("", [], {}))
        if is_missing:
            if known.is_required():
                return []
            continue
        inputs[field] = _as_field(step, field, value)
    return [inputs]


def _is_response(column: str) -> bool:
    """Whether an empty cell is judged too, because the model answered with nothing."""
    return column.rpartition(".")[2] in ("response", "answered")


def _as_field(step: Step[Any, Any], field: str, value: Any) -> Any:
    is_text = step.input.model_fields[field].annotation is str
    joined = "; ".join(map(str, value)) if is_text and isinstance(value, list) else value
    return read_field(step, field, joined)


def _right_verdict(spec: OwnTask, step: Step[Any, Any], case: Case) -> Scalar | None:
    """The right verdict of a case; None where its cell is empty. Raises InputError."""
    cell = _of_case(spec.truth.removeprefix("case."), case)
    if cell is None or str(cell).strip() == "":
        return None
    verdict = step.demand_verdict()
    try:
        return verdict.read_person(verdict.read_cell(str(cell)), step.known_result)
    except ValueError as fault:
        raise InputError(f"case {case.id!r}, column {spec.truth!r}: {fault}") from fault


def _own_columns(name: str, title: str, spec: OwnTask, verdict: Verdict) -> tuple[Column, ...]:
    if spec.truth or (verdict.parts is None and verdict.kind != "text"):
        return (Column(name, title),)
    if verdict.parts is None and verdict.levels is not None:
        return tuple(Column(f"{name}: {level}", f"{title}: {level}") for level in verdict.levels)
    return (Column(f"{name}: *", title),)


def _measures(
    name: str, spec: OwnTask, step: Step[Any, Any], judged: Judged, _settings: Settings
) -> Iterator[Measure]:
    right = None
    if spec.truth:
        right = {case.id: _right_verdict(spec, step, case) for case in judged.cases}
    return VerdictMeasures(name, step, judged, right, spec.higher_is_better).all()
