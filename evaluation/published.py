"""Checks a published table against the identities that its numbers must keep."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..scoring.identities import Identity, Violation, violations
from .paper import Paper

_NUMBER = re.compile(r"\s*([-+]?\d+(?:\.(\d+))?)")


@dataclass(frozen=True)
class BrokenRow:
    """A row of a table that breaks an identity. row: its number from 1, and its first cell."""

    row: str
    violation: Violation


@dataclass(frozen=True)
class TableCheck:
    """What a check found.

    checked: how many rows each identity was checked on. columns: our name -> the column read as
    this metric. skipped: the rows that lack a number of an identity, and which.
    """

    broken: tuple[BrokenRow, ...]
    checked: Mapping[Identity, int]
    columns: Mapping[str, str]
    skipped: tuple[str, ...] = ()

    @property
    def unchecked(self) -> list[Identity]:
        """The identities that no row has the columns for."""
        return [identity for identity, count in self.checked.items() if not count]


def check_published(rows: Sequence[Mapping[str, Any]], paper: Paper, name: str) -> TableCheck:
    """Check every row of a table whose columns have the paper's titles or our names.

    The first number of a cell counts ("61.2 ± 10.4", "0.62 [0.50, 0.71]"). It stands for all
    numbers that are rounded to its digits. Where a column has a number above 1, its shares are
    percentages.

    Raises InputError where the table has the columns of no identity, or no row has their numbers.
    """
    columns = _columns(rows, paper)
    read = [_numbers(row, columns) for row in rows]
    checked = {
        identity: sum({*identity.of, identity.gives} <= {*values} for values, _ in read)
        for identity in paper.identities
    }
    here = [one for one in paper.identities if {*one.of, one.gives} <= {*columns}]
    needed_here = dict.fromkeys(metric for one in here for metric in (*one.of, one.gives))
    skipped = tuple(
        f"{_row_name(number, row)}: no number in {', '.join(columns[metric] for metric in lacking)}"
        for number, (row, (values, _)) in enumerate(zip(rows, read, strict=True), 1)
        if (lacking := [metric for metric in needed_here if metric not in values])
    )
    if here and not any(checked.values()):
        raise InputError(f"{name}: no row has the numbers of an identity; {'; '.join(skipped[:5])}")
    if not here:
        needed = sorted({metric for one in paper.identities for metric in (*one.of, one.gives)})
        raise InputError(
            f"{name} has the columns of no identity; they need {', '.join(needed) or 'nothing'}, "
            "under these names or under the titles of the paper"
        )
    broken = [
        BrokenRow(_row_name(number, row), violation)
        for identity in paper.identities
        for number, (row, (values, half)) in enumerate(zip(rows, read, strict=True), 1)
        for violation in violations(
            values, [identity], half_units=half, whole=_whole(identity, read)
        )
    ]
    return TableCheck(tuple(broken), checked, columns, skipped)


def _columns(rows: Sequence[Mapping[str, Any]], paper: Paper) -> dict[str, str]:
    """Our name -> the column of the table, by the paper's titles or by our names."""
    metrics: dict[str, str] = {}
    for table in paper.tables:
        for column in table.columns:
            if column.metric and not (column.by or column.slice):
                metrics.setdefault(_plain(column.title), column.metric)
                metrics.setdefault(_plain(column.metric), column.metric)
    names = dict.fromkeys(name for row in rows for name in row)
    return {metrics[_plain(name)]: name for name in names if _plain(name) in metrics}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


def _numbers(
    row: Mapping[str, Any], columns: Mapping[str, str]
) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers of a row, and half a unit of the last digit of each."""
    values, half = {}, {}
    for metric, column in columns.items():
        read = _NUMBER.match(str(row.get(column, "")))
        if read:
            values[metric] = float(read[1])
            half[metric] = 0.5 * 10.0 ** -len(read[2] or "")
    return values, half


def _whole(identity: Identity, read: Sequence[tuple[Mapping[str, float], Any]]) -> float:
    names = (*identity.of, identity.gives)
    largest = max((values.get(name, 0.0) for values, _ in read for name in names), default=0.0)
    return 100.0 if largest > 1 else 1.0


def _row_name(number: int, row: Mapping[str, Any]) -> str:
    first = str(next(iter(row.values()), "")).strip()
    return f"row {number} ({first})" if first else f"row {number}"
