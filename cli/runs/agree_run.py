"""What `dxjudge agree` does: read votes, compare, print and write."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ...agents.step import Step
from ...agents.steps import find_step
from ...errors import UsageError
from ...evaluation.judges.agreement_table import Agreement, AgreementRow, Terms, agree
from ...evaluation.judges.agreement_text import Block, blocks_of, contested_lines, plain
from ...evaluation.judges.agreement_units import known_scales
from ...files.bytes import check_writable
from ...files.forms import Form, table_format
from ...files.rows_out import write_columns
from ...graphs.jury.votes_file import read_verdict, read_votes, write_votes
from ...scoring.bootstrap import Plan
from ...scoring.votes import Vote

_SCALES = ("nominal", "ordinal", "interval")


@dataclass(frozen=True)
class Request:
    """What the user asked for; `terms` are the fields of `Terms` that were given."""

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


def run_agree(request: Request, *, level: float, resamples: int, seed: int) -> None:
    """Do the whole job. Nothing is computed before all is known to fit."""
    scale = request.terms.get("scale")
    if scale is not None and scale not in _SCALES:
        raise UsageError(f"--scale {scale!r} is none of {', '.join(_SCALES)}")
    for path in filter(None, (request.output, request.contested)):
        table_format(str(path), "numbers")
        check_writable(path)
    steps = tuple(map(_own_step, request.steps))
    votes = _read_all(request.votes, request.form, steps)
    listed = request.categories.split(",") if request.categories else None
    made = agree(
        votes,
        Terms(
            **request.terms,
            categories=tuple(map(read_verdict, listed)) if listed else None,
            positive=None if request.positive is None else read_verdict(request.positive),
            known=known_scales(votes, steps),
            by=request.by,
            item=request.item,
            plan=Plan(level=level, resamples=resamples, seed=seed),
        ),
    )
    if request.output is not None:
        write_rows(request.output, AgreementRow, made.rows)
    if request.contested is not None:
        write_votes(request.contested, [v for one in made.contested for v in one.votes],
                    by_groups=True)  # fmt: skip
    if request.as_json:
        print(json.dumps(plain(made), indent=2, ensure_ascii=False, default=str))
    else:
        _print(made, request.top)


def _own_step(text: str) -> Step[Any, Any]:
    """A step from `FILE.py:NAME`; `VOTES=FILE.py:NAME` for votes on a task of another name."""
    name, equals, rest = text.partition("=")
    if equals and name.isidentifier():
        return replace(find_step(rest), name=name)
    return find_step(text)


def _read_all(paths: Sequence[Path], form: Form, steps: Sequence[Step[Any, Any]]) -> list[Vote]:
    """The votes of all tables. Raises UsageError where two tables hold the same vote."""
    votes: list[Vote] = []
    homes: dict[Any, Path] = {}
    for path in paths:
        table = _table(path)
        mine = read_votes(table, form.fitting(str(table)), by_groups=True, steps=steps)
        for vote in mine:
            told = (vote.case, vote.step, vote.judge, vote.repeat, vote.variant)
            key = (*told, *sorted(vote.groups.items()))
            if homes.setdefault(key, path) != path:
                raise UsageError(
                    f"{homes[key]} and {path} both hold the vote of {vote.judge} on case "
                    f"{vote.case}, step {vote.step}"
                )
        votes += mine
    return votes


def _table(path: Path) -> Path:
    """The table itself, or that of an evaluation's folder."""
    if path.is_dir() and not (path / "votes.csv").exists():
        raise UsageError(f"{path} holds no votes.csv: it is not the folder of an evaluation")
    return path / "votes.csv" if path.is_dir() else path


def write_rows(path: Path, kind: type, rows: Sequence[Any]) -> None:
    """Write frozen rows of one kind as a table; the suffix of the path says in which form."""
    names = [each.name for each in fields(kind)]
    added = {name: [getattr(row, name) for row in rows] for name in names}
    write_columns(str(path), table_format(str(path), "numbers"), added)


def _print(made: Agreement, top: int) -> None:
    for line in made.notes:
        print(f"dxjudge: {line}", file=sys.stderr)
    print_blocks(blocks_of(made))
    if top and made.contested:
        shown = made.contested[:top]
        print(f"\nMost contested ({len(shown)} of {len(made.contested)}; --contested FILE: all)")
        for one in shown:
            print("\n".join(contested_lines(one)))


def print_blocks(blocks: Sequence[Block]) -> None:
    """Print small tables on standard output."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 200)
    for block in blocks:
        table = Table(title=Text(block.title), title_justify="left")
        for place, name in enumerate(block.header):
            table.add_column(Text(name), justify="left" if place == 0 else "right")
        for row in block.rows:
            table.add_row(*map(Text, row))
        console.print(table)
        for line in block.notes:
            console.print(Text(f"  {line}"))
