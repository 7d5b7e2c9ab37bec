"""Run `dxjudge leaderboard`: read the runs, compare their signatures, rank, print and write."""

import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ...errors import UsageError
from ...evaluation.finished.board import Board, BoardRow, board_of
from ...evaluation.finished.board_page import MARK, blocks_of, page_of
from ...evaluation.finished.comparable import alike, differences_between
from ...evaluation.finished.read_run import FinishedRun, read_run
from ...evaluation.report.write import write_text
from ...files.bytes import check_writable
from ...files.counted import counted
from ...files.forms import table_format
from ...files.rows_out import write_columns
from ...scoring.bootstrap import Plan
from ..exit_codes import SOME_FAILED
from ..terminal.printing import print_blocks, print_json, print_lines


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    runs: tuple[Path, ...]
    output: Path | None
    metric: str | None
    separate: bool
    seed: int
    resamples: int
    quiet: bool
    as_json: bool = False


def run_leaderboard(request: Request) -> int:
    """Run the command and return its exit code."""
    if request.output is not None:
        if request.output.suffix != ".html":
            table_format(str(request.output), "numbers")
        check_writable(request.output)
    folders = [folder.resolve() for folder in request.runs]
    if len(set(folders)) < len(folders):
        raise UsageError("the same run is named twice; name it once")
    sets = alike([read_run(folder) for folder in request.runs])
    if len(sets) > 1 and not request.separate:
        raise UsageError(_why_not(sets))
    metrics = request.metric.split(",") if request.metric else []
    plan = Plan(seed=request.seed, resamples=request.resamples)
    boards = [board_of(runs, metrics, plan) for runs in sets]
    if request.output is not None:
        _write(boards, request.output)
    if request.as_json:
        print_json({"boards": [asdict(board) for board in boards]})
    for number, board in enumerate(boards, 1):
        title = f"board {number}: " if len(boards) > 1 else ""
        _print(board, title, request.quiet or request.as_json)
    lacking = any(board.left_out or any(row.failed for row in board.rows) for board in boards)
    return SOME_FAILED if lacking else 0


def _why_not(sets: list[list[FinishedRun]]) -> str:
    """Name the first run that does not fit, its first difference, and the number of the others."""
    first, other = sets[0][0], sets[1][0]
    reason, *more = differences_between(first, other)
    presets = [run.recorded.settings.preset for run in (first, other)]
    if presets[0] != presets[1]:
        reason = (
            f"{first.name} has the preset {presets[0]} and {other.name} the preset {presets[1]}; "
            f"{reason}"
        )
    rest = f" (and {counted(len(more), 'more difference')})" if more else ""
    return (
        f"the numbers of these runs cannot be compared: {reason}{rest}; --separate makes a "
        "leaderboard for each kind of run"
    )


def _write(boards: list[Board], output: Path) -> None:
    if output.suffix == ".html":
        write_text(output, page_of(boards))
        return
    names = [column.name for column in fields(BoardRow)]
    rows = [(at, row) for at, board in enumerate(boards, 1) for row in board.rows]
    columns = {"board": [at for at, _ in rows]}
    columns |= {name: [getattr(row, name) for _, row in rows] for name in names}
    write_columns(str(output), table_format(str(output), "numbers"), columns)


def _print(board: Board, title: str, quiet: bool) -> None:
    cases = counted(board.cases, "common case")
    print(f"dxjudge: {title}{', '.join(board.runs)}: {cases}", file=sys.stderr)
    for sentence in board.left_out:
        print(f"dxjudge: left out: {sentence}", file=sys.stderr)
    for sentence in board.notes:
        print(f"dxjudge: {sentence}", file=sys.stderr)
    if not quiet:
        print_blocks(blocks_of(board))
        print_lines([f"  {MARK}"], indent=2)
