"""Run `dxjudge power`: read the pilot, compute the numbers of cases, print and write them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from pathlib import Path

from ...errors import InputError, UsageError
from ...evaluation.finished.power_rows import ASSUMES, PowerRow, Wish, power_rows, rows_of_run
from ...evaluation.finished.read_run import read_run
from ...evaluation.judges.agreement_text import Block
from ...evaluation.presets import main_columns
from ...evaluation.read import read_rows
from ...files.bytes import check_writable
from ...files.cells import is_empty, plain_text
from ...files.counted import counted
from ...files.forms import Form, table_format
from ...files.nearest import no_column
from ...files.rows_out import write_columns
from ..terminal.printing import print_blocks, print_json

_TRUTHS = {"true": 1.0, "yes": 1.0, "right": 1.0, "false": 0.0, "no": 0.0, "wrong": 0.0}


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    pilot: Path
    metric: str | None
    models: str | None
    judge: str | None
    first: str | None
    second: str | None
    cluster: str | None
    difference: str
    power: float
    alpha: float
    tests: int
    output: Path | None
    as_json: bool
    form: Form


def run_power(request: Request) -> None:
    """Run the command. All options are checked before anything is computed."""
    if request.output is not None:
        table_format(str(request.output), "numbers")
        check_writable(request.output)
    wish = Wish(_differences(request.difference), request.power, request.alpha, request.tests)
    _check_kind(request)
    rows = list((_of_folder if request.pilot.is_dir() else _of_table)(request, wish))
    if request.output is not None:
        names = [column.name for column in fields(PowerRow)]
        columns = {name: [getattr(row, name) for row in rows] for name in names}
        path = str(request.output)
        write_columns(path, table_format(path, "numbers"), columns)
    if request.as_json:
        print_json({"rows": [asdict(row) for row in rows], "assumes": ASSUMES})
    else:
        print_blocks(_blocks(rows))


def _differences(text: str) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError as fault:
        raise UsageError(f"--difference {text!r}: write numbers, such as 0.02,0.05") from fault
    if not all(value > 0 and math.isfinite(value) for value in values):
        raise UsageError(f"--difference {text!r}: write numbers above 0")
    return values


def _check_kind(request: Request) -> None:
    of_folder = {"--metric": request.metric, "--models": request.models, "--judge": request.judge}
    of_table = {"--first": request.first, "--second": request.second, "--cluster": request.cluster}
    folder = request.pilot.is_dir()
    wrong = [name for name, value in (of_table if folder else of_folder).items() if value]
    if wrong:
        kind = "a folder" if folder else "a table"
        raise UsageError(f"{request.pilot} is {kind}, and {wrong[0]} is not for {kind}")
    if not folder and not (request.first and request.second):
        raise UsageError(f"{request.pilot} is a table: name two columns with --first and --second")


def _of_folder(request: Request, wish: Wish) -> Iterator[PowerRow]:
    run = read_run(request.pilot)
    columns = main_columns(run.recorded.settings)
    metrics = dict.fromkeys(key[0] for key in run.scores)
    first = next((m for column in columns for m in metrics if column.covers(m)), None)
    metric = request.metric or first
    if metric is None:
        raise InputError(f"{run.name} has no scores")
    pairs = list(combinations(run.models, 2))
    if request.models is not None:
        names = request.models.split(",")
        unknown = next((name for name in names if name not in run.models), None)
        if len(names) != 2 or unknown is not None:
            there = ", ".join(run.models)
            raise UsageError(f"--models {request.models!r}: name two of {there}, with a comma")
        pairs = [(names[0], names[1])]
    if not pairs:
        raise UsageError(f"{run.name} has one model; a difference needs two")
    yield from rows_of_run(run, metric, pairs, request.judge, wish)


def _of_table(request: Request, wish: Wish) -> Iterator[PowerRow]:
    rows = read_rows(request.pilot, request.form)
    first, second = str(request.first), str(request.second)
    columns = dict.fromkeys(name for row in rows for name in row)
    for column in filter(None, (first, second, request.cluster)):
        if rows and column not in columns:
            raise UsageError(no_column(str(request.pilot), column, [*columns]))
    own, other = (
        [_score(row.get(column), request.pilot, at, column) for at, row in enumerate(rows, 1)]
        for column in (first, second)
    )
    clusters = (
        None
        if request.cluster is None
        else [
            _cluster(row.get(request.cluster), request.pilot, at, request.cluster)
            if not math.isnan(own[at - 1] + other[at - 1])
            else ""  # an unresolved row is in no cluster
            for at, row in enumerate(rows, 1)
        ]
    )
    yield from power_rows(("score", "", first, second), own, other, clusters, wish)


def _score(cell: object, path: Path, row: int, column: str) -> float:
    text = "" if is_empty(cell) else str(cell).strip().lower()
    if text in _TRUTHS:
        return _TRUTHS[text]
    try:
        score = float(text) if text else math.nan
    except ValueError:
        score = math.inf
    if math.isinf(score):
        raise InputError(f"{path}, row {row}: {column} is {cell!r}, not a number, true or false")
    return score


def _cluster(cell: object, path: Path, row: int, column: str) -> str:
    """Return the name of a row's cluster: rows without a name are no cluster of their own."""
    name = "" if is_empty(cell) else plain_text(cell).strip()
    if not name:
        raise InputError(f"{path}, row {row}: {column} is empty")
    return name


def _blocks(rows: Sequence[PowerRow]) -> Iterator[Block]:
    by_pair: dict[tuple[str, ...], list[PowerRow]] = {}
    for row in rows:
        by_pair.setdefault((row.metric, row.judge, row.first, row.second), []).append(row)
    for number, ((metric, judge, first, second), alike) in enumerate(by_pair.items(), 1):
        pilot = alike[0]
        under = f", {judge}" if judge else ""
        lines = [
            (f"{row.difference:g}", f"{row.cases:,}", _range(row),
             f"{row.collect:,}", f"{row.power_now:.2f}")
            for row in alike
        ]  # fmt: skip
        notes = [
            f"the pilot with {counted(pilot.pilot_cases, 'case')} shows a difference of "
            f"{pilot.detectable:.3f} with power {pilot.power:g}; it measured "
            f"{pilot.pilot_difference:+.3f}",
            f"standard deviation {pilot.pilot_deviation:.3f} a cluster, "
            f"{counted(pilot.pilot_clusters, 'cluster')}, design effect "
            f"{pilot.design_effect:.2f}, {pilot.pilot_unresolved} unresolved",
        ]
        if pilot.warning:
            notes.append(pilot.warning)
        if metric == "hdf1":
            notes.append("hdf1 is planned with the F1 of each case, whose mean is not HDF1 itself")
        yield Block(
            f"{metric}{under}: {first} - {second}",
            ("difference", "cases", "low to high", "to collect", "power of the pilot"),
            tuple(lines),
            (*notes, *(_assumed(pilot) if number == len(by_pair) else ())),
        )


def _range(row: PowerRow) -> str:
    if row.cases_low is None or row.cases_high is None:
        return "-"
    return f"{row.cases_low:,} to {row.cases_high:,}"


def _assumed(row: PowerRow) -> tuple[str, ...]:
    shared = f" / {row.tests} tests" if row.tests > 1 else ""
    return (f"power {row.power:g}, alpha {row.alpha:g}{shared}", *ASSUMES)
