"""What the runs of all procedures share: the journal, the progress, and the summary."""

import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from ...agents.engine.run import Run
from ...agents.outcome import Outcome
from ...curation.asking import open_journal
from ...curation.item import Item
from ...curation.write import ITEMS, make_folder
from ...files.bytes import check_writable
from ...files.journal import Journal
from ..option_groups import RunOptions
from ..runs.finishing import journal_path, journalled
from ..terminal.facts import Fact, Facts, tell
from ..terminal.progress import counting, work_done
from .options import Printing


def print_summary(
    printing: Printing,
    summary: Mapping[str, Any],
    run: Run,
    sources: int,
    thing: str,
    started: float,
    more: Facts = (),
) -> None:
    """Print the counts, the pass rate, what stopped items, the cost, and further facts.

    sources: how many sources (`thing`: report, pair, record) were read. started: the time of
    `time.monotonic` at the start. As JSON, the whole summary of the folder is in it.
    """
    elapsed = max(time.monotonic() - started, 1e-9)
    facts = (Fact(line, {}) for line in _lines(summary))
    work = work_done(sources, 0, run, elapsed, thing)
    tell((Fact("", summary), *facts, *work, *more), as_json=printing.as_json)


async def gather_items(
    stream: AsyncGenerator[tuple[int, list[Item]], None], run: Run, sources: int, *, quiet: bool
) -> list[Item]:
    """Return the items of a stream of (index of the source, items), in the order of the sources."""
    finished: dict[int, list[Item]] = {}
    with counting(run, sources, quiet=quiet) as counted:
        async with aclosing(stream):
            async for index, items in stream:
                finished[index] = items
                counted.add(failed=any(item.ending.status == "failed" for item in items))
    return [item for index in sorted(finished) for item in finished[index]]


def run_with_journal(
    folder: Path, options: RunOptions, work: Callable[[Run, Journal[Outcome]], bool]
) -> int:
    """Call `work` with a run and the journal of the folder; return the exit code.

    work: writes the folder and returns whether an item failed. The journal has the outcome of
    each step, so that the same command continues a killed run. It is removed if no item failed.
    """
    make_folder(folder)
    check_writable(folder / ITEMS)
    journal = open_journal(journal_path(str(folder / ITEMS), None))
    return journalled(journal, options, lambda run: work(run, journal), what="steps")


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts = " · ".join(f"{name} {summary[name]:,}" for name in ("accepted", "rejected", "failed"))
    yield f"{summary['items']:,} items: {counts}"
    if summary["pass_rate"] is not None:
        low, high = summary["pass_rate_interval"]
        yield f"pass rate {summary['pass_rate']:.1%} [{low:.1%}, {high:.1%}]"
    for check, count in sorted(summary["stopped_at"].items()):
        yield f"{check}: {count:,}"
