"""The type of a table, and its cells as text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table: its file name without suffix, the column names, and rows of plain values."""

    name: str
    columns: tuple[str, ...]
    rows: list[list[Any]]


def table_of(name: str, kind: Any, records: Sequence[Any]) -> Table:
    """A table of dataclasses of one kind: a column for each field, a row for each record."""
    names = tuple(column.name for column in fields(kind))
    rows = [[getattr(record, column) for column in names] for record in records]
    return Table(name, names, rows)


def plain_cells(row: Sequence[Any]) -> list[str]:
    """Cells as text: numbers with all their digits, and empty text for None and NaN."""
    return [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if type(value) is str:
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
