"""Every verdict of a finished run as columns in memory, for tables with filters."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...graphs.jury.votes_file import read_verdict, verdict_text
from ...scoring.votes import Vote
from ..cases import Response
from ..records import Inputs
from .coded import Coded, Mask, Numbers, coded
from .columns_file import keep_columns, read_columns, stamp_of
from .row_columns import Columns, make_columns
from .scores import SCORES, Scores
from .verdict_rows import Parts, Row, Said, Tables, Unit, parted
from .words import in_words

PEOPLE = ("differ", "agree", "no person")


@dataclass(frozen=True)
class Items:
    """All verdicts of a run; the columns have the order of `rows`.

    facets: the filters of values, with what people said. people: what people said of each unit.
    tables: what the table of verdicts does not need, read when it is first asked for.
    """

    columns: Columns
    facets: Mapping[str, Coded]
    people: Mapping[Unit, Mapping[str, Parts]]
    scores: Scores
    tables: Tables

    @property
    def inputs(self) -> Inputs:
        """Cases and responses."""
        return self.tables.inputs

    @property
    def said(self) -> Said:
        """The parts of every verdict."""
        return self.tables.said(self.rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the table."""
        return self.columns.rows

    @property
    def groups(self) -> Mapping[str, Mapping[str, Mask]]:
        """Column of the cases -> value -> which cases have it."""
        return self.columns.groups

    @property
    def cost(self) -> Numbers:
        """The cost of each row in US dollars."""
        return self.columns.cost

    @property
    def seconds(self) -> Numbers:
        """The time of all requests of each row."""
        return self.columns.seconds

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
        return self.columns.words.at(place)

    def in_words(self, task: str, parts: Parts) -> str:
        """Return what was said of an item, for a reader."""
        return in_words(parts, self.tables.verdicts.get(task))

    def score_of(self, metric: str) -> Numbers:
        """Return each row's score in a metric; "" is the verdict as a number. NaN without one."""
        return self.columns.score if not metric else self.scores.of_rows(metric)


def read_items(
    folder: Path, people: Sequence[Vote] = (), seconds: Callable[[], Mapping[str, float]] = dict
) -> Items:
    """Read the verdicts of a finished run: from the kept columns, or else from the tables.

    people: what people said of the same items. seconds: returns those of all requests, by the key
    of the outcome.

    Raises InputError, naming the file, for a folder that lacks a table or has a damaged one.
    """
    tables = Tables(folder)
    columns = read_columns(folder)
    if columns is None:
        stamp = stamp_of(folder)
        columns = make_columns(tables, seconds())
        keep_columns(folder, columns, stamp)
    rows = columns.rows
    by_people = _by_people(people, {*columns.facets["task"].values})
    marks = _people(rows, tables.said(rows), by_people) if by_people else [PEOPLE[2]] * len(rows)
    facets = {**columns.facets, "people": coded(marks, PEOPLE)}
    scores = Scores(folder / SCORES, rows, columns.pairs, columns.metrics)
    return Items(columns, facets, by_people, scores, tables)


def _by_people(votes: Iterable[Vote], tasks: Collection[str]) -> dict[Unit, dict[str, Parts]]:
    by_unit: dict[Unit, dict[str, Parts]] = {}
    for vote in votes:
        task, part = parted(vote.step, tasks)
        unit = (task, vote.groups.get("model", ""), vote.case,
                vote.groups.get("response") or "0", vote.groups.get("place") or "0")  # fmt: skip
        if vote.verdict is not None:
            by_person = by_unit.setdefault(unit, {}).setdefault(vote.judge, {})
            by_person[part] = (verdict_text(vote.verdict) or "", vote.explanation)
    return by_unit


def _people(
    rows: Iterable[Row], said: Said, people: Mapping[Unit, Mapping[str, Parts]]
) -> list[str]:
    """Whether a person's verdict on each row's item differs from the judge's."""
    return [
        _person(said.get((row.unit, row.judge), {}), people[row.unit])
        if row.unit in people
        else PEOPLE[2]
        for row in rows
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


def responses_of(inputs: Inputs, model: str, case: str) -> tuple[Response, ...]:
    """Return the responses of a model to a case; none where it has none."""
    return inputs.responses.get(model, {}).get(case, ())
