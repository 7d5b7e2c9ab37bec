"""Run `dxjudge strengths`: read comparisons, fit strengths for each judge, print and write them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...evaluation.judges.agreement_text import Block, number
from ...evaluation.measures.standings import too_coarse
from ...evaluation.read import read_rows
from ...evaluation.report.pairwise_tables import (
    DIFFERENCES,
    STRENGTHS,
    difference_rows,
    strength_rows,
)
from ...files.bytes import check_writable
from ...files.cells import is_empty
from ...files.forms import Form, table_format
from ...files.nearest import lacking, no_column
from ...files.rows_out import write_columns
from ...scoring.bootstrap import Plan
from ...scoring.pairwise import Contest, strengths
from ..exit_codes import SOME_FAILED
from ..terminal.printing import print_blocks, print_json
from .step_rows import say

_NAMES = (("a", "b"), ("first", "second"), ("model_a", "model_b"))
_TIES = ("tie", "tie (bothbad)")


def run_strengths(
    votes: Path,
    case: str,
    form: Form,
    plan: Plan,
    *,
    output: Path | None = None,
    differences: Path | None = None,
    as_json: bool = False,
) -> int:
    """Run the command and return its exit code.

    Raises InputError that names the row of a comparison that cannot be read.
    """
    for path in filter(None, (output, differences)):
        table_format(str(path), "numbers")
        check_writable(path)
    contests = read_contests(read_rows(votes, form), str(votes), case)
    ladders = {judge: strengths(of_judge, plan=plan) for judge, of_judge in contests.items()}
    rows = [row for judge, one in ladders.items() for row in strength_rows(judge, one)]
    apart = [row for judge, one in ladders.items() for row in difference_rows(judge, one)]
    _write(output, STRENGTHS, rows)
    _write(differences, DIFFERENCES, apart)
    unresolved = sum(one.points is None for found in contests.values() for one in found)
    if as_json:
        tables = (("strengths", STRENGTHS, rows), ("differences", DIFFERENCES, apart))
        named = {
            name: [dict(zip(columns, row, strict=True)) for row in lines]
            for name, columns, lines in tables
        }
        print_json({**named, "unresolved": unresolved})
    else:
        print_blocks(_blocks(rows))
    tests = max((row[DIFFERENCES.index("tests")] for row in apart), default=0)
    if differences is not None and (note := too_coarse(tests, plan)):
        say(f"dxjudge: {note}")
    if unresolved:
        say(
            f"comparisons without a verdict: {unresolved:,}; where a strength exists, the braces "
            "say what they could change"
        )
    return SOME_FAILED if unresolved else 0


def _write(path: Path | None, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    if path is not None:
        columns = {name: [_known(row[at]) for row in rows] for at, name in enumerate(names)}
        write_columns(str(path), table_format(str(path), "numbers"), columns)


def _known(value: Any) -> Any:
    """Return a value as tables hold it: a number that does not exist is an empty cell."""
    return None if isinstance(value, float) and math.isnan(value) else value


def read_contests(
    rows: Sequence[Mapping[str, Any]], name: str, case: str = "case"
) -> dict[str, list[Contest]]:
    """Return the comparisons of a table by judge; one judge "" without a column `judge`.

    Raises InputError, naming the row or column, for a table that cannot be read.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if not rows:
        raise InputError(f"{name} has no comparison")
    if case not in columns:
        raise InputError(no_column(name, case, columns))
    pair = next((names for names in _NAMES if {*names} <= {*columns}), None)
    if pair is None or "winner" not in columns:
        missing = [column for column in (*(pair or _NAMES[0]), "winner") if column not in columns]
        raise InputError(
            f"{lacking(name, missing, columns)}; it needs two models (a and b, first and second, "
            "or model_a and model_b) and winner"
        )
    contests: dict[str, list[Contest]] = {}
    for at, row in enumerate(rows, 1):
        judge = "" if is_empty(row.get("judge")) else str(row["judge"])
        contests.setdefault(judge, []).append(_contest(row, pair, case, f"{name}, row {at}"))
    return contests


def _contest(row: Mapping[str, Any], pair: tuple[str, str], case: str, place: str) -> Contest:
    for column in (case, *pair):
        if is_empty(row.get(column)) or not str(row[column]).strip():
            raise InputError(f"{place}: {column} is empty")
    first, second = (str(row[column]).strip() for column in pair)
    if first == second:
        raise InputError(f"{place}: {first!r} is compared with itself")
    return Contest(str(row[case]), first, second, _points(row, pair, first, second, place))


def _points(
    row: Mapping[str, Any], pair: tuple[str, str], first: str, second: str, place: str
) -> float | None:
    winner = "" if is_empty(row.get("winner")) else str(row["winner"]).strip()
    if not winner:
        return None
    for names in ((first, second), pair):  # a model may have the name of a column
        if winner in names:
            return float(winner == names[0])
    if winner.lower() in _TIES:
        return 0.5
    raise InputError(
        f"{place}: the winner is {winner!r}; write {first!r}, {second!r}, tie, or leave it empty"
    )


def _blocks(rows: Sequence[Sequence[Any]]) -> Iterator[Block]:
    """Yield a small table for each judge, with the warnings below it."""
    by_judge: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        named = dict(zip(STRENGTHS, row, strict=True))
        by_judge.setdefault(named["judge"], []).append(named)
    for judge, models in by_judge.items():
        header = ("model", "rank", "strength", "win rate", "points", "no verdict")
        why: dict[str, list[str]] = {}
        for one in models:
            why.setdefault(one["warning"], []).append(one["model"])
        notes = tuple(f"{', '.join(named)}: {text}" for text, named in why.items() if text)
        title = f"strengths, judge {judge}" if judge else "strengths"
        yield Block(title, header, tuple(map(_cells, models)), notes)


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    strength = number(row["strength"], row["low"], row["high"])
    if row["unresolved"] and row["worst"] == row["worst"]:
        strength += f"\n{{{row['worst']:.3f}, {row['best']:.3f}}}"
    points = f"{row['points']:g} of {row['comparisons']}"
    rank = "-" if row["rank"] is None else str(row["rank"])
    return row["model"], rank, strength, number(row["win_rate"]), points, str(row["unresolved"])
