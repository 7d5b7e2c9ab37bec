"""Run `dxjudge agree`: read votes, measure agreement, print and write it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ...agents.step import Step
from ...agents.steps import find_step
from ...errors import UsageError
from ...evaluation.judges.agreement_rows import Agreement, AgreementRow, Terms
from ...evaluation.judges.agreement_table import agree
from ...evaluation.judges.agreement_text import blocks_of, contested_lines, plain
from ...evaluation.judges.agreement_units import known_scales
from ...files.bytes import check_writable
from ...files.counted import counted
from ...files.forms import Form, table_format
from ...files.nearest import unread_column
from ...files.rows_out import write_columns
from ...graphs.jury.votes_file import COLUMNS, NEEDED, read_verdict, read_votes, write_votes
from ...scoring.bootstrap import Plan
from ...scoring.votes import Vote
from ..exit_codes import SOME_FAILED
from ..terminal.printing import print_blocks, print_json, print_lines
from .step_rows import say

_SCALES = ("nominal", "ordinal", "interval")


@dataclass(frozen=True)
class Request:
    """The options of the command.

    terms: the fields of `Terms` that options set.
    """

    votes: tuple[Path, ...]
    output: Path | None
    contested: Path | None
    terms: Mapping[str, Any]
    categories: str | None
    positive: str | None
    by: tuple[str, ...]
    item: tuple[str, ...] | None
    top: int
    as_json: bool
    steps: tuple[str, ...] = ()
    form: Form = Form()


def run_agree(request: Request, *, level: float, resamples: int, seed: int) -> int:
    """Run the command and return its exit code; all is checked before anything is computed."""
    scale = request.terms.get("scale")
    if scale is not None and scale not in _SCALES:
        raise UsageError(f"--scale {scale!r}: write one of {', '.join(_SCALES)}")
    for path in filter(None, (request.output, request.contested)):
        table_format(str(path), "numbers")
        check_writable(path)
    steps = tuple(map(_own_step, request.steps))
    votes = _read_all(request.votes, request.form, steps)
    judges = sorted({vote.judge for vote in votes})
    if len(judges) == 1:
        say(
            f"dxjudge: warning: all votes are of {judges[0]}: there is no other judge to agree with"
        )
    categories = request.categories.split(",") if request.categories else None
    agreement = agree(
        votes,
        Terms(
            **request.terms,
            categories=tuple(map(read_verdict, categories)) if categories else None,
            positive=None if request.positive is None else read_verdict(request.positive),
            known=known_scales(votes, steps),
            by=request.by,
            item=request.item,
            plan=Plan(level=level, resamples=resamples, seed=seed),
        ),
    )
    if request.output is not None:
        write_rows(request.output, AgreementRow, agreement.rows)
    if request.contested is not None:
        votes_of_contested = [vote for case in agreement.contested for vote in case.votes]
        write_votes(request.contested, votes_of_contested, by_groups=True)
    if request.as_json:
        print_json(plain(agreement))
    else:
        _print(agreement, request.top)
    failed = sum(row.failed for row in agreement.counts)
    if failed:
        say(f"dxjudge: {counted(failed, 'vote')} failed and left out of every measure")
    return SOME_FAILED if failed else 0


def _own_step(text: str) -> Step[Any, Any]:
    """Find the step `FILE.py:NAME`; with `TASK=FILE.py:NAME` it takes the name of the task."""
    name, equals, rest = text.partition("=")
    if equals and name.isidentifier():
        return replace(find_step(rest), name=name)
    return find_step(text)


def _read_all(paths: Sequence[Path], form: Form, steps: Sequence[Step[Any, Any]]) -> list[Vote]:
    """Read the votes of all tables. Raises UsageError where two tables hold the same vote."""
    votes: list[Vote] = []
    path_of_key: dict[Any, Path] = {}
    for path in paths:
        table = _table(path)
        own_votes = read_votes(table, form.fitting(str(table)), by_groups=True, steps=steps)
        for vote in own_votes:
            names = (vote.case, vote.step, vote.judge, vote.repeat, vote.variant)
            key = (*names, *sorted(vote.groups.items()))
            first = path_of_key.setdefault(key, path)
            if first != path:
                raise UsageError(
                    f"{first} and {path} both hold the vote of {vote.judge} on case "
                    f"{vote.case}, step {vote.step}: leave one of them out"
                )
        votes += own_votes
        _warn_misspelt(table, own_votes)
    return votes


def _warn_misspelt(table: Path, votes: Sequence[Vote]) -> None:
    """Print a warning for each group that is likely a misspelt column of votes."""
    optional = [name for name in COLUMNS if name not in NEEDED]
    for name in votes[0].groups if votes else ():
        if unread_column(name, optional) != name:
            say(f"dxjudge: warning: {table}: read as a group: {unread_column(name, optional)}")


def _table(path: Path) -> Path:
    """Return the path of a table; for the folder of an evaluation, of its table of votes."""
    if path.is_dir() and not (path / "votes.csv").exists():
        raise UsageError(f"{path} has no votes.csv: name the output folder of an evaluation")
    return path / "votes.csv" if path.is_dir() else path


def write_rows(path: Path, kind: type, rows: Sequence[Any]) -> None:
    """Write dataclass rows of one kind as a table, in the form that the suffix of the path says."""
    names = [column.name for column in fields(kind)]
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    write_columns(str(path), table_format(str(path), "numbers"), columns)


def _print(agreement: Agreement, top: int) -> None:
    for line in agreement.notes:
        print(f"dxjudge: {line}", file=sys.stderr)
    print_blocks(blocks_of(agreement))
    if top and agreement.contested:
        shown = agreement.contested[:top]
        total = len(agreement.contested)
        print(f"Most contested ({len(shown)} of {total}; --contested FILE writes all)")
        for case in shown:
            print_lines(contested_lines(case), indent=4)
