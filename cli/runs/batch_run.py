"""Run `dxjudge batch`: ask providers about batches and print what they say."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any

import typer

from ...agents.batches.manage import KeptBatches, Known
from ...agents.batches.tickets import Record
from ...agents.judge import JudgeSpec
from ...errors import UsageError
from ...files.counted import counted
from ...graphs.loop import run_here
from ..exit_codes import SOME_FAILED
from ..kept.cache_commands import open_replies
from ..terminal.printing import print_json, print_table

Do = Callable[[Record], Coroutine[Any, Any, Known]]


def list_known(cache: str | None, *, every: bool, as_json: bool) -> None:
    """Print the batches whose answers are not fetched, or all."""
    batches = _open(cache)
    records = batches.tickets.records() if every else batches.named([])
    _print([run_here(batches.now(record)) for record in records], as_json=as_json)
    left_out = 0 if every else len(batches.tickets.records()) - len(records)
    if left_out and not as_json:
        typer.echo(f"{counted(left_out, 'fetched batch', 'fetched batches')}: --all lists them too")


def fetch_answers(cache: str | None, names: Sequence[str], *, as_json: bool) -> int:
    """Fetch the answers of batches that have ended; return the exit code."""
    batches = _open(cache)
    return _each(batches.fetch, batches.named(names), "fetched", as_json=as_json)


def cancel_batches(cache: str | None, names: Sequence[str], *, every: bool, as_json: bool) -> int:
    """Cancel batches; return the exit code."""
    if bool(names) == every:
        raise UsageError("name the batches to cancel, or give --all")
    batches = _open(cache)
    return _each(batches.cancel, batches.named(names), "", as_json=as_json)


def _each(do: Do, records: Sequence[Record], wanted: str, *, as_json: bool) -> int:
    known = [run_here(do(record)) for record in records]
    _print(known, as_json=as_json)
    lost = any(one.fault for one in known)
    return SOME_FAILED if lost else 0


def _open(cache: str | None) -> KeptBatches:
    return KeptBatches(open_replies(cache, there=True))


def _print(known: Sequence[Known], *, as_json: bool) -> None:
    rows = [_row(one) for one in known]
    if as_json:
        print_json({"batches": rows})
        return
    if not rows:
        typer.echo("no batches")
        return
    header = ("batch", "state", "answered", "requests", "made", "judge", "provider's name")
    names = ("batch", "state", "answered", "requests", "made", "judge", "id")
    print_table(header, [[str(row[name]) for name in names] for row in rows])
    for one in known:
        if one.fault:
            typer.echo(f"{one.record.name}: {one.fault}", err=True)


def _row(known: Known) -> dict[str, Any]:
    record = known.record
    spec = JudgeSpec(provider=record.provider, model=record.model, base_url=record.base_url)
    made = datetime.fromtimestamp(record.made, UTC).strftime("%Y-%m-%d %H:%M")
    return {
        "batch": record.name,
        "state": known.state,
        "answered": record.answered,
        "requests": record.requests,
        "made": made,
        "judge": spec.label,
        "id": record.id,
        "fault": known.fault,
    }
