"""The main table of an evaluation: its columns, its judges and its cells."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..measures.numbers import Number
from ..result import Evaluation
from ..settings import Column
from .table import Table

_WHOLE: Mapping[str, str] = MappingProxyType({})


def judges_of(evaluation: Evaluation) -> tuple[str, ...]:
    """The judges with numbers of their own; one empty name where no number depends on a judge."""
    named = {one.judge for one in evaluation.numbers if one.judge}
    return tuple(judge for judge in evaluation.judged.judges if judge in named) or ("",)


def expanded(evaluation: Evaluation) -> list[tuple[Column, str]]:
    """The columns of the main table, each with its group.

    A column without a number is left out, unless the settings name it: then it stays, empty.
    """
    pairs = []
    for column in evaluation.columns:
        groups = [""]
        if column.by:
            groups = groups_of(evaluation, column.by)
        for single in _single(evaluation, column):
            for group in groups:
                named = evaluation.settings.columns is not None and not column.by
                if named or any(_is(one, single, group) for one in evaluation.numbers):
                    pairs.append((single, group))
    return pairs


def groups_of(evaluation: Evaluation, by: str, order: Sequence[str] = ()) -> list[str]:
    """The groups of a column: those of an order (by default that of the settings), then others.

    The order holds whatever the case of the letters; the groups keep the spelling of the cases.
    """
    units = evaluation.units
    values = units.values(by) if by in units.groups else []
    spelled = {name.casefold(): name for name in values}
    first = order or evaluation.settings.group_order.get(by, ())
    named = (name if name in values else spelled.get(name.casefold(), name) for name in first)
    return list(dict.fromkeys((*named, *values)))


def _single(evaluation: Evaluation, column: Column) -> list[Column]:
    """The column itself, or a column for each of its metrics where it stands for several."""
    metrics = dict.fromkeys(one.metric for one in evaluation.numbers if column.covers(one.metric))
    if not metrics or column.metric in metrics:
        return [column]
    return [Column(metric, column.title_of(metric), column.by) for metric in metrics]


def _is(one: Number, column: Column, group: str) -> bool:
    place = (one.metric, one.slice, one.group_by, one.group)
    return place == (column.metric, "", column.by, group)


def columns_by_interval(evaluation: Evaluation) -> dict[tuple[str, ...], list[str]]:
    """Return the titles of the main table's columns by the methods of their intervals."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for column, group in expanded(evaluation):
        cells = [
            cell_of(evaluation, column, group, model, judge)
            for judge in judges_of(evaluation)
            for model in evaluation.judged.models
        ]
        methods = tuple(sorted({cell.interval for cell in cells if cell and cell.interval}))
        if methods:
            columns.setdefault(methods, []).append(column.title or group)
    return columns


def cell_of(
    evaluation: Evaluation, column: Column, group: str, model: str, judge: str
) -> Number | None:
    """The number in a cell of the main table."""
    return evaluation.number(column.metric, model, judge, group_by=column.by, group=group)


_PARTS = ("value", "low", "high", "sd", "worst", "best", "failed", "undecided")


def main_table(evaluation: Evaluation) -> Table:
    """The main table: a row for each judge and model, with intervals, standard deviations over
    the units, bounds and counts.

    The last counts are the largest of the columns; each column has its own failed and undecided
    ones beside it. "no interval" says for which columns there is none, and why.
    """
    columns = expanded(evaluation)
    titles = [column.title or group for column, group in columns]
    names = ["judge", "model"]
    for title in titles:
        names += [title, *(f"{title} {part}" for part in _PARTS[1:])]
    names += [
        "n",
        "failed",
        "undecided",
        "abstained",
        "unmapped",
        "invalid",
        "no interval",
        "signature",
    ]
    rows = []
    for judge in judges_of(evaluation):
        for model in evaluation.judged.models:
            cells = [cell_of(evaluation, column, group, model, judge) for column, group in columns]
            row: list[Any] = [judge, model]
            for one in cells:
                row += [getattr(one, part) if one else None for part in _PARTS]
            reasons = [
                f"{title}: {one.warning}"
                for title, one in zip(titles, cells, strict=True)
                if one and one.warning and one.value == one.value and one.low != one.low
            ]
            row += [*unresolved(cells), "; ".join(reasons), evaluation.signature["id"]]
            rows.append(row)
    return Table("main_table", tuple(names), rows)


def failed_note(evaluation: Evaluation, short: Mapping[str, str] = _WHOLE) -> str:
    """Return a sentence that names the columns of the failed items; "" if none failed.

    short: other names of judges. The counts of a row are the largest of its columns, so that they
    do not say where items failed.
    """
    columns = expanded(evaluation)
    judges = judges_of(evaluation)
    rows = []
    for judge in judges:
        for model in evaluation.judged.models:
            failed = {
                column.title or group: cell.failed
                for column, group in columns
                if (cell := cell_of(evaluation, column, group, model, judge)) and cell.failed
            }
            if failed:
                who = f"{model} under {short.get(judge, judge)}" if len(judges) > 1 else model
                listed = ", ".join(f"{title} {count:,}" for title, count in failed.items())
                rows.append(f"{who}: {listed}")
    return f"Failed, by column: {'; '.join(rows)}." if rows else ""


def unresolved(cells: Sequence[Number | None]) -> list[int]:
    """The largest counts of a model's headline numbers, in the order of the columns."""
    numbers = [cell for cell in cells if cell is not None]
    names = ("n", "failed", "undecided", "abstained", "unmapped", "invalid")
    return [max((getattr(number, name) for number in numbers), default=0) for name in names]
