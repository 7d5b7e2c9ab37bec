"""The tables of the paper, filled with the numbers of an evaluation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...errors import UsageError
from ..measures.model_groups import GroupMean
from ..measures.numbers import Number
from ..paper import Paper, PaperColumn, PaperTable, filling, load_paper
from ..result import Evaluation
from ..tasks import tasks_of
from .main_table import groups_of, judges_of
from .small_tables import small_table
from .table import Table

_NAN = float("nan")


@dataclass(frozen=True)
class PaperCell:
    """A number in a table of the paper.

    reason: why there is no number; "" where there is one. warning: why it has no interval.
    """

    value: float = _NAN
    low: float = _NAN
    high: float = _NAN
    sd: float = _NAN
    worst: float = _NAN
    best: float = _NAN
    n: int | None = None
    failed: int = 0
    undecided: int = 0
    reason: str = ""
    warning: str = ""


@dataclass(frozen=True)
class PaperView:
    """A table of the paper under one judge.

    rows: the names of the models, or of the groups of models.
    cells: a list for each row, with a cell for each column.
    """

    table: PaperTable
    judge: str
    rows: tuple[str, ...]
    columns: tuple[PaperColumn, ...]
    cells: tuple[tuple[PaperCell, ...], ...]


def paper_views(evaluation: Evaluation) -> list[PaperView]:
    """Fill the tables of the preset's paper, one for each judge on whom its numbers depend."""
    paper = load_paper(evaluation.preset.name)
    return fill_paper(paper, evaluation) if paper is not None else []


def fill_paper(paper: Paper, evaluation: Evaluation) -> list[PaperView]:
    """Fill the tables of a paper. Raises UsageError for a column that a table of ours lacks."""
    source = _Source(evaluation)
    return [view for table in paper.tables for view in source.views(table)]


@dataclass(frozen=True)
class _Source:
    """Where the numbers of the tables come from."""

    evaluation: Evaluation
    tables: dict[str, Table] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> Mapping[tuple[str, ...], PaperCell]:
        """Every number by metric, slice, group column, group, model (or group of models), judge."""
        cells: dict[tuple[str, ...], PaperCell] = {}
        for one in self.evaluation.numbers:
            place = (one.metric, one.slice, one.group_by, one.group, one.model, one.judge)
            cells[place] = _as_cell(one)
        for mean in self.evaluation.model_groups:
            row = _row_key(mean.attribute, mean.group)
            cells[(mean.metric, "", "", "", row, mean.judge)] = _as_cell(mean)
        return cells

    @cached_property
    def metrics(self) -> frozenset[str]:
        """The metrics with a number."""
        return frozenset(metric for metric, *_ in self.numbers)

    def views(self, table: PaperTable) -> Iterator[PaperView]:
        """The table under each judge; once where no number of it depends on a judge."""
        columns = tuple(one for column in table.columns for one in self._expanded(column))
        rows = self._rows(table)
        judged = {judge for metric, *_, judge in self.numbers if self._has(columns, metric)}
        judged |= {judge for column in columns if column.table for judge in self._judges(column)}
        judges = [judge for judge in judges_of(self.evaluation) if judge in judged] or [""]
        for judge in judges:
            cells = [
                tuple(self._cell(table, column, row, judge) for column in columns) for row in rows
            ]
            explained = tuple(self._with_reasons(table, columns, cells))
            titles = tuple(table.rows.get(row, row) for row in rows)
            yield PaperView(table, judge, titles, columns, explained)

    def _rows(self, table: PaperTable) -> tuple[str, ...]:
        """The models, or the groups of models; "-" where no model has the attribute."""
        models = self.evaluation.judged.models
        if table.rows_by:
            return tuple(table.rows)
        if not table.models_by:
            return models
        of = self.evaluation.settings.models
        groups = (of.get(model, {}).get(table.models_by, "") for model in models)
        return tuple(dict.fromkeys(filter(None, groups))) or ("-",)

    @staticmethod
    def _has(columns: Iterable[PaperColumn], metric: str) -> bool:
        return any(column.metric == metric for column in columns)

    def _expanded(self, column: PaperColumn) -> Iterator[PaperColumn]:
        """The column, or one for each of its metrics and groups, with its title."""
        for metric, rest in self._metrics(column):
            for group in self._groups(column):
                title = (column.title or "{}").replace("{}", group or rest)
                yield column.model_copy(update={"metric": metric, "group": group, "title": title})

    def _metrics(self, column: PaperColumn) -> Iterator[tuple[str, str]]:
        """Each metric of a column, and the title of its own."""
        settings = self.evaluation.settings
        if not column.metric.endswith(": *"):
            title = next((one.title for _, one in filling(column.metric, settings)), column.value)
            yield column.metric, title
            return
        named = [one.metric for _, one in filling(column.metric, settings)]
        metrics = [name for name in named if not name.endswith("*")]
        own = [name for name in self.metrics if name.startswith(column.metric[:-1])]
        metrics += sorted(own, key=lambda name: _by_number(name.removeprefix(column.metric[:-1])))
        for metric in dict.fromkeys(metrics) or (column.metric,):
            yield metric, metric.removeprefix(column.metric[:-1])

    def _groups(self, column: PaperColumn) -> list[str]:
        if not column.by or column.group:
            return [column.group]
        own = self.evaluation.settings.group_order.get(column.by, ())
        return groups_of(self.evaluation, column.by, own or column.order) or [""]

    def _cell(
        self, table: PaperTable, column: PaperColumn, row: str, judge: str
    ) -> PaperCell | None:
        if column.table:
            return self._from_table(column, {table.rows_by or "model": row}, judge)
        row_key = _row_key(table.models_by, row)
        place = (column.metric, column.slice, column.by, column.group, row_key)
        return self.numbers.get((*place, judge)) or self.numbers.get((*place, ""))

    def _judges(self, column: PaperColumn) -> set[str]:
        """The judges that a table of ours names in its rows."""
        table = self._table(column.table)
        if "judge" not in table.columns:
            return set()
        return {row[table.columns.index("judge")] for row in table.rows}

    def _table(self, name: str) -> Table:
        if name not in self.tables:
            self.tables[name] = small_table(self.evaluation, name)
        return self.tables[name]

    def _from_table(
        self, column: PaperColumn, of_row: Mapping[str, str], judge: str
    ) -> PaperCell | None:
        table = self._table(column.table)
        where = {**column.where, **of_row}
        named = {*filter(None, (column.value, column.low, column.high, column.sd)), *where}
        if missing := sorted(named - {*table.columns}):
            listed = ", ".join(table.columns)
            raise UsageError(
                f"the table {column.table} has no column {', '.join(missing)}; it has {listed}"
            )
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            if cells.get("judge", "") in ("", judge) and all(
                str(cells[name]) == value for name, value in where.items()
            ):
                value, low, high, sd = (
                    _float(cells.get(name))
                    for name in (column.value, column.low, column.high, column.sd)
                )
                warning = str(cells.get("warning") or "")
                return PaperCell(value, low, high, sd, n=cells.get("n"), warning=warning)
        return None

    def _with_reasons(
        self,
        table: PaperTable,
        columns: Sequence[PaperColumn],
        rows: Sequence[Sequence[PaperCell | None]],
    ) -> Iterator[tuple[PaperCell, ...]]:
        """The rows, where a cell without a number says why."""
        reasons = [
            "" if any(row[at] is not None and row[at].value == row[at].value for row in rows)  # type: ignore[union-attr]
            else self._reason(table, column)
            for at, column in enumerate(columns)
        ]  # fmt: skip
        for row in rows:
            yield tuple(_explained(cell, reason) for cell, reason in zip(row, reasons, strict=True))

    def _reason(self, table: PaperTable, column: PaperColumn) -> str:
        """Why no model has a number in a column."""
        evaluation, settings = self.evaluation, self.evaluation.settings
        if self._rows(table) == ("-",):
            return f"no model has the attribute {table.models_by}; give --models FILE"
        if column.table == "alignment" and not evaluation.alignment:
            return "no ratings of experts are given; add --ratings FILE"
        if column.table:
            return f"{column.table}.csv has no such row"
        left_out = {entry.task: entry.reason for entry in evaluation.left_out}
        tasks = [task.name for task, _ in filling(column.metric, settings)]
        for name in (column.metric, *tasks):
            if name in left_out:
                return left_out[name]
        done = {task.name for task in tasks_of(settings)}
        if not tasks:
            return f"these settings do not compute {column.metric}"
        if not done & {*tasks}:
            return f"the task {' or '.join(tasks)} is not among the tasks of the settings"
        if column.by and column.by not in evaluation.units.groups:
            return f"the cases have no column {column.by}"
        if column.group and column.group not in evaluation.units.values(column.by):
            return f"no case has this {column.by}"
        return "no response has a value for it"


def _row_key(attribute: str, row: str) -> str:
    return f"{attribute}: {row}" if attribute else row


def _as_cell(one: Number | GroupMean) -> PaperCell:
    return PaperCell(
        one.value, one.low, one.high, one.sd, one.worst, one.best, one.n, one.failed,
        one.undecided, warning=one.warning,
    )  # fmt: skip


def _explained(cell: PaperCell | None, reason: str) -> PaperCell:
    if cell is None:
        return PaperCell(reason=reason or "there is no value for it")
    if cell.value != cell.value:
        return replace(cell, reason=reason or "every item of this model failed")
    return cell


def _by_number(name: str) -> tuple[float, str]:
    """Sorts numbers by their value, before words."""
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name


def _float(value: Any) -> float:
    return _NAN if value is None or value == "" else float(value)


def paper_table(views: Sequence[PaperView], signature: str) -> Table:
    """A row for each number in a table of the paper: our names, and the paper's titles."""
    columns = ("table", "judge", "model", "title", "metric", "slice", "group_by", "group", "shown",
               "estimate", "low", "high", "sd", "worst", "best", "n", "failed", "undecided",
               "reason", "no interval", "signature")  # fmt: skip
    rows = [
        [view.table.name, view.judge, model, column.title, column.metric or column.table,
         column.slice, column.by, column.group, column.show, cell.value, cell.low, cell.high,
         cell.sd, cell.worst, cell.best, cell.n, cell.failed, cell.undecided, cell.reason,
         cell.warning, signature]
        for view in views
        for model, cells in zip(view.rows, view.cells, strict=True)
        for column, cell in zip(view.columns, cells, strict=True)
    ]  # fmt: skip
    return Table("paper", columns, rows)
