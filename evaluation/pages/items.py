"""Every verdict of a finished run as columns in memory, for tables with filters."""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...agents.verdict import Verdict
from ...errors import InputError
from ...graphs.jury.votes_file import read_verdict, verdict_text
from ...scoring.choice import option_score
from ...scoring.votes import Scalar, Vote
from ..cases import Case, Response
from ..judging import JURY
from ..records import OUTCOMES, Inputs, read_inputs, read_run_settings
from ..settings import Settings
from ..tasks import says_right, verdicts_of
from .coded import Coded, Mask, Numbers, coded, many, numbers, rows_of
from .scores import Scores
from .words import in_words

VERDICTS, VOTES, SCORES = "verdicts.csv", "votes.csv", "scores.csv"
NO_RESPONSE, NOT_JUDGED = "no response", "not judged"
RIGHT = ("right", "partly right", "wrong", "no right or wrong")
JUDGES = ("disagree", "agree", "fewer than two")
PEOPLE = ("differ", "agree", "no person")
REPAIRED = ("repaired", "not repaired")
_COLUMNS = ("case", "model", "step", "judge", "response", "place", "status", "reason", "score",
            "value", "decided_by", "repairs", "cost", "key")  # fmt: skip
_NO_SECONDS: Mapping[str, float] = MappingProxyType({})
Unit = tuple[str, str, str, str, str]
"""Task, model, case, response, place: what several judges judge."""


class Row(NamedTuple):
    """The cells of a verdict that are shown as they are."""

    case: str
    model: str
    task: str
    judge: str
    response: str
    place: str
    status: str
    reason: str = ""
    score: str = ""
    value: str = ""
    decided_by: str = ""
    repairs: str = "0"
    cost: str = ""
    key: str = ""

    @property
    def unit(self) -> Unit:
        """What was judged."""
        return (self.task, self.model, self.case, self.response, self.place)


Parts = dict[str, tuple[str, str]]
"""Part -> verdict and words."""
Said = dict[tuple[Unit, str], Parts]
"""Unit and judge -> what it said."""


@dataclass(frozen=True)
class Items:
    """All verdicts of a run; the columns have the order of `rows`.

    Beside the verdicts there is a row for each case and model without any verdict, so that every
    response is in the table. score: the verdict as one number. seconds: the time of all requests
    of the item, unknown for a kept reply. said: the parts of every verdict. verdicts: what says
    what the verdict of a listed task is.
    """

    rows: tuple[Row, ...]
    said: Said
    people: Mapping[Unit, Mapping[str, Parts]]
    inputs: Inputs
    facets: Mapping[str, Coded]
    groups: Mapping[str, Mapping[str, Mask]]
    cost: Numbers
    seconds: Numbers
    score: Numbers
    scores: Scores
    verdicts: Mapping[str, Verdict]

    @property
    def case(self) -> Coded:
        """The case of each row."""
        return self.facets["case"]

    @cached_property
    def rows_of_case(self) -> Mapping[str, tuple[int, ...]]:
        """Case -> the places of its rows."""
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(row.case, []).append(place)
        return {case: tuple(rows) for case, rows in places.items()}

    def words_of(self, place: int) -> str:
        """Return what was said in a row, for a reader, or why nothing was."""
        row = self.rows[place]
        return self.in_words(row.task, self.said.get((row.unit, row.judge), {})) or row.reason

    def in_words(self, task: str, parts: Parts) -> str:
        """Return what was said of an item, for a reader."""
        return in_words(parts, self.verdicts.get(task))

    def score_of(self, metric: str) -> Numbers:
        """Return each row's score in a metric; "" is the verdict as a number. NaN without one."""
        return self.score if not metric else self.scores.of_rows(metric)


def read_items(
    folder: Path, people: Sequence[Vote] = (), seconds: Mapping[str, float] = _NO_SECONDS
) -> Items:
    """Read the verdicts of a finished run.

    people: what people said of the same items. seconds: of all requests, by the key of the outcome.

    Raises InputError, naming the file, for a folder that lacks a table or has a damaged one.
    """
    inputs = read_inputs(folder)
    rows = [Row._make(cells) for cells in _judged(folder)]
    rows = _in_order([*rows, *_unjudged(inputs, rows)], inputs)
    tasks = {row.task for row in rows}
    said = _said(folder / VOTES, tasks)
    settings = _settings(folder)
    verdicts = verdicts_of(settings)
    said.update(_said_by_juries(rows, verdicts))
    by_people = _by_people(people, tasks)
    pairs = {case.id: case.pair for case in inputs.cases if case.pair}
    cases = tuple(case.id for case in inputs.cases)
    columns = _columns(rows)
    units = _beside(columns, "task", "model", "case", "response", "place")
    keys = _beside(columns, "judge", "model", "case")
    scores = Scores(folder / SCORES, keys, pairs)
    facets = {
        "case": coded(columns["case"], cases),
        "model": coded(columns["model"], inputs.responses),
        "judge": coded(columns["judge"]),
        "task": coded(columns["task"]),
        "status": coded(columns["status"], ("done", "abstained", "failed")),
        "right": coded(_rights(rows, inputs.cases, says_right(tasks, settings), scores), RIGHT),
        "judges": coded(_disagreements(units, said), JUDGES),
        "people": coded(_people(units, rows, said, by_people), PEOPLE),
        "repaired": coded([REPAIRED[cell in ("", "0")] for cell in columns["repairs"]], REPAIRED),
    }
    return Items(
        tuple(rows), said, by_people, inputs, facets, _groups(inputs.cases, facets["case"].values),
        numbers(columns["cost"]), np.array([seconds.get(key, math.nan) for key in columns["key"]]),
        numbers(columns["score"]), scores, verdicts,
    )  # fmt: skip


def _columns(rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    by_name = zip(*rows, strict=True) if rows else ([] for _ in Row._fields)
    return dict(zip(Row._fields, by_name, strict=True))


def _beside(columns: Mapping[str, Sequence[str]], *names: str) -> list[Any]:
    """The cells of several columns of each row, as tuples."""
    return [*zip(*(columns[name] for name in names), strict=True)]


def _in_order(rows: Sequence[Row], inputs: Inputs) -> list[Row]:
    """Sort rows by case and model as the files have them, then by response and place."""
    cases = {case.id: at for at, case in enumerate(inputs.cases)}
    models = {model: at for at, model in enumerate(inputs.responses)}
    last = len(cases) + len(models)

    def place(row: Row) -> tuple[int, int, int]:
        # A task of pairs names two models; its rows stand behind those of single ones.
        return (cases.get(row.case, last), models.get(row.model, last), int(row.response))

    return sorted(rows, key=place)


def _unjudged(inputs: Inputs, rows: Iterable[Row]) -> list[Row]:
    """A row for each case and model that has no verdict."""
    judged = {(row.model, row.case) for row in rows}
    return [
        Row(case.id, model, "", "", "0", "0", NOT_JUDGED if case.id in by_case else NO_RESPONSE)
        for model, by_case in inputs.responses.items()
        for case in inputs.cases
        if (model, case.id) not in judged
    ]


def _parted(step: str, tasks: Collection[str]) -> tuple[str, str]:
    """Return the task and the part of a step such as score_rubric.knowledge."""
    task = max((t for t in tasks if t and step.startswith(f"{t}.")), key=len, default=step)
    return (step, "") if step in tasks else (task, step[len(task) + 1 :])


def _judged(folder: Path) -> Iterator[tuple[str, ...]]:
    path, outcomes = folder / VERDICTS, folder / OUTCOMES
    # An evaluation writes no table without rows: where nothing was judged, there is none.
    if not path.exists() and outcomes.exists() and not outcomes.stat().st_size:
        return iter(())
    return rows_of(path, _COLUMNS)


def _said(path: Path, tasks: Collection[str]) -> Said:
    """What every judge said; a run without a verdict of a judge has no such table."""
    said: Said = {}
    if not path.exists():
        return said
    parted: dict[str, tuple[str, str]] = {}
    columns = ("case", "step", "judge", "verdict", "explanation", "model", "response", "place")
    for case, step, judge, verdict, words, model, response, place in rows_of(path, columns):
        if step not in parted:
            parted[step] = _parted(step, tasks)
        task, part = parted[step]
        unit = (task, model, case, response, place)
        said.setdefault((unit, judge), {})[part] = (verdict, words)
    return said


def _said_by_juries(
    rows: Iterable[Row], verdicts: Mapping[str, Verdict]
) -> Iterator[tuple[tuple[Unit, str], Parts]]:
    """The verdicts of juries, which the table of votes does not have; from their values.

    The file of a step of your own is not opened, so that its juries show how they ended alone.
    """
    juries = (row for row in rows if row.judge.startswith(JURY))
    for row in juries:
        if row.value and row.status == "done" and row.task in verdicts:
            plain = json.loads(row.value)
            dimensions = plain.get("dimensions") or {}
            parts = {name: one.get("given") for name, one in dimensions.items()}
            parts = parts or {"": plain.get(verdicts[row.task].field)}
            known = {part: said for part, said in parts.items() if isinstance(said, Scalar)}
            texts = {part: (verdict_text(said) or "", "") for part, said in known.items()}
            yield (row.unit, row.judge), texts


def _by_people(votes: Iterable[Vote], tasks: Collection[str]) -> dict[Unit, dict[str, Parts]]:
    by_unit: dict[Unit, dict[str, Parts]] = {}
    for vote in votes:
        task, part = _parted(vote.step, tasks)
        unit = (task, vote.groups.get("model", ""), vote.case,
                vote.groups.get("response") or "0", vote.groups.get("place") or "0")  # fmt: skip
        if vote.verdict is not None:
            by_person = by_unit.setdefault(unit, {}).setdefault(vote.judge, {})
            by_person[part] = (verdict_text(vote.verdict) or "", vote.explanation)
    return by_unit


def _settings(folder: Path) -> Settings:
    """The settings of the run; those by default for one of an earlier version."""
    try:
        return read_run_settings(folder)
    except InputError:  # the overview says so
        return Settings()


def _rights(
    rows: Sequence[Row], cases: Iterable[Case], right_by: Mapping[str, str], scores: Scores
) -> list[str]:
    by_id = {case.id: case for case in cases}
    own = {name: scores.of_rows(name) for name, by in right_by.items() if by == "metric"}
    marks = []
    for place, row in enumerate(rows):
        by = right_by[row.task]
        score = own[row.task][place] if by == "metric" else _mark(row, by, by_id.get(row.case))
        marks.append(_right(score))
    return marks


def _mark(row: Row, by: str, case: Case | None) -> float:
    """1 for right, 0 for wrong; NaN for an item without a verdict, or one that is neither."""
    if by == "answer" and row.status == "abstained":
        return 0.0
    if by in ("verdict", "answer") and row.score:
        return float(row.score)
    if by == "option" and case is not None and row.status in ("done", "invalid"):
        return option_score(_letters(row.value), case.letters) if row.status == "done" else 0.0
    return math.nan


def _right(score: float) -> str:
    if math.isnan(score):
        return RIGHT[3]
    return RIGHT[0] if score == 1 else RIGHT[2] if score == 0 else RIGHT[1]


def _letters(value: str) -> tuple[str, ...]:
    plain = json.loads(value)
    return tuple(plain["letters"]) if "letters" in plain else (plain["choice"],)


def _verdicts(parts: Parts) -> object:
    """The verdicts on all parts, to be compared with those of another judge."""
    pairs = [(part, verdict) for part, (verdict, _) in parts.items()]
    return tuple(sorted(pairs)) if len(pairs) > 1 else pairs[0]


def _disagreements(units: Sequence[Unit], said: Said) -> list[str]:
    """Whether the single judges of each row's unit gave different verdicts."""
    verdicts: dict[Unit, list[object]] = {}
    juries = {judge for _, judge in said if judge.startswith(JURY)}
    for (unit, judge), parts in said.items():
        if judge not in juries and any(verdict for verdict, _ in parts.values()):
            verdicts.setdefault(unit, []).append(_verdicts(parts))
    words = {unit: _disagree(several) for unit, several in verdicts.items()}
    return [words.get(unit, JUDGES[2]) for unit in units]


def _disagree(verdicts: Sequence[object]) -> str:
    if len(verdicts) < 2:
        return JUDGES[2]
    return JUDGES[1] if len(set(verdicts)) == 1 else JUDGES[0]


def _people(
    units: Sequence[Unit],
    rows: Sequence[Row],
    said: Said,
    people: Mapping[Unit, Mapping[str, Parts]],
) -> list[str]:
    """Whether a person's verdict on each row's item differs from the judge's."""
    return [
        _person(said.get((unit, row.judge), {}), people[unit]) if unit in people else PEOPLE[2]
        for unit, row in zip(units, rows, strict=True)
    ]


def _person(parts: Parts, people: Mapping[str, Parts]) -> str:
    """Whether a person's verdict differs from the judge's, in any part of both."""
    seen = False
    for by_part in people.values():
        for part, (verdict, _) in by_part.items():
            if part in parts and parts[part][0]:
                seen = True
                if read_verdict(parts[part][0]) != read_verdict(verdict):  # 4 is 4.0
                    return PEOPLE[0]
    return PEOPLE[1] if seen else PEOPLE[2]


def _groups(cases: Sequence[Case], ids: Sequence[str]) -> dict[str, dict[str, Mask]]:
    """Group column -> value -> which cases have it."""
    place = {case: at for at, case in enumerate(ids)}
    columns: dict[str, dict[str, list[int]]] = {}
    for case in cases:
        for name, values in case.groups.items():
            for value in values:
                columns.setdefault(name, {}).setdefault(value, []).append(place[case.id])
    return {name: many(by_value, len(ids)) for name, by_value in columns.items()}


def responses_of(inputs: Inputs, model: str, case: str) -> tuple[Response, ...]:
    """Return the responses of a model to a case; none where it has none."""
    return inputs.responses.get(model, {}).get(case, ())
