"""The rows of the table of verdicts, and what every judge said of each: read from the tables."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ...agents.verdict import Verdict
from ...errors import InputError
from ...graphs.jury.votes_file import verdict_text
from ...scoring.votes import Scalar
from ..judging import JURY
from ..records import OUTCOMES, Inputs, read_inputs, read_run_settings
from ..settings import Settings
from ..tasks import verdicts_of
from .coded import rows_of

VERDICTS, VOTES = "verdicts.csv", "votes.csv"
NO_RESPONSE, NOT_JUDGED = "no response", "not judged"
_COLUMNS = ("case", "model", "step", "judge", "response", "place", "status", "reason", "score",
            "value", "decided_by", "repairs", "cost", "key")  # fmt: skip
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


class Tables:
    """The tables of a run, each read when it is first asked for.

    Raises InputError, naming the file, for one that is damaged or not there.
    """

    def __init__(self, folder: Path) -> None:
        """folder: of the finished run."""
        self.folder = folder
        self._said: Said | None = None

    @cached_property
    def settings(self) -> Settings:
        """The settings of the run; those by default where its signature is damaged."""
        try:
            return read_run_settings(self.folder)
        except InputError:  # the overview says so
            return Settings()

    @cached_property
    def verdicts(self) -> Mapping[str, Verdict]:
        """What says what the verdict of a listed task is."""
        return verdicts_of(self.settings)

    @cached_property
    def inputs(self) -> Inputs:
        """Cases and responses."""
        return read_inputs(self.folder)

    def rows(self) -> tuple[Row, ...]:
        """Read the rows of all verdicts, in the order of the cases and models.

        Beside them there is a row for each case and model without any verdict, so that every
        response is in the table.
        """
        rows = [Row._make(cells) for cells in _judged(self.folder)]
        return tuple(_in_order([*rows, *_unjudged(self.inputs, rows)], self.inputs))

    def said(self, rows: Sequence[Row]) -> Said:
        """Return what every judge and every jury said of these rows, which are all of them."""
        if self._said is None:
            said = _said(self.folder / VOTES, {row.task for row in rows})
            said.update(_said_by_juries(rows, self.verdicts))
            self._said = said
        return self._said


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


def parted(step: str, tasks: Collection[str]) -> tuple[str, str]:
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
    known: dict[str, tuple[str, str]] = {}
    columns = ("case", "step", "judge", "verdict", "explanation", "model", "response", "place")
    for case, step, judge, verdict, words, model, response, place in rows_of(path, columns):
        if step not in known:
            known[step] = parted(step, tasks)
        task, part = known[step]
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
