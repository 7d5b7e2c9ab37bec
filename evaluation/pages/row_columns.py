"""What the pages filter and sort by: a value of each column for every row of verdicts."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...agents.verdict import Verdict
from ...scoring.choice import option_score
from ..cases import Case
from ..judging import JURY
from ..tasks import says_right
from .coded import Coded, Mask, Numbers, coded, many, numbers
from .scores import SCORES, Scores
from .verdict_rows import Parts, Row, Said, Tables, Unit
from .words import in_words

RIGHT = ("right", "partly right", "wrong", "no right or wrong")
JUDGES = ("disagree", "agree", "fewer than two")
REPAIRED = ("repaired", "not repaired")


@dataclass(frozen=True)
class Columns:
    """The rows of a run and their values in each column, without what people said.

    words: what was said in each row, or why nothing was. facets: the filters of values. groups:
    column of the cases -> value -> which cases have it. score: the verdict as one number. seconds:
    the time of all requests, unknown for a kept reply. metrics: those that give cases a score.
    pairs: case -> its pair, if any.
    """

    rows: tuple[Row, ...]
    words: Coded
    facets: Mapping[str, Coded]
    groups: Mapping[str, Mapping[str, Mask]]
    cost: Numbers
    seconds: Numbers
    score: Numbers
    metrics: tuple[str, ...]
    pairs: Mapping[str, str]


def make_columns(tables: Tables, seconds: Mapping[str, float]) -> Columns:
    """Shape the rows of a run. seconds: of all requests, by the key of the outcome.

    Raises InputError, naming the file, for a table that is damaged or not there.
    """
    inputs, rows = tables.inputs, tables.rows()
    said = tables.said(rows)
    cells = _by_name(rows)
    pairs = {case.id: case.pair for case in inputs.cases if case.pair}
    scores = Scores(tables.folder / SCORES, rows, pairs)
    right_by = says_right({*cells["task"]}, tables.settings)
    facets = {
        "case": coded(cells["case"], (case.id for case in inputs.cases)),
        "model": coded(cells["model"], inputs.responses),
        "judge": coded(cells["judge"]),
        "task": coded(cells["task"]),
        "status": coded(cells["status"], ("done", "abstained", "failed")),
        "right": coded(_rights(rows, inputs.cases, right_by, scores), RIGHT),
        "judges": coded(_disagreements([row.unit for row in rows], said), JUDGES),
        "repaired": coded([REPAIRED[cell in ("", "0")] for cell in cells["repairs"]], REPAIRED),
    }
    words = coded([*_words(rows, said, tables.verdicts)])
    known = [seconds.get(key, math.nan) for key in cells["key"]]
    return Columns(
        rows, words, facets, _groups(inputs.cases, facets["case"].values),
        numbers(cells["cost"]), np.array(known, dtype=np.float64), numbers(cells["score"]),
        tuple(scores.metrics), pairs,
    )  # fmt: skip


def _by_name(rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    cells: Iterable[Any] = zip(*rows, strict=True) if rows else ([] for _ in Row._fields)
    return dict(zip(Row._fields, cells, strict=True))


def _words(rows: Iterable[Row], said: Said, verdicts: Mapping[str, Verdict]) -> Iterable[str]:
    known: dict[object, str] = {}  # few verdicts are said of many rows
    for row in rows:
        parts = said.get((row.unit, row.judge), {})
        key = (row.task, *((part, verdict) for part, (verdict, _) in parts.items()))
        if key not in known:
            known[key] = in_words(parts, verdicts.get(row.task))
        yield known[key] or row.reason


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


def _groups(cases: Sequence[Case], ids: Sequence[str]) -> dict[str, dict[str, Mask]]:
    """Group column -> value -> which cases have it."""
    place = {case: at for at, case in enumerate(ids)}
    columns: dict[str, dict[str, list[int]]] = {}
    for case in cases:
        for name, values in case.groups.items():
            for value in values:
                columns.setdefault(name, {}).setdefault(value, []).append(place[case.id])
    return {name: many(by_value, len(ids)) for name, by_value in columns.items()}
