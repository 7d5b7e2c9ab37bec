"""What the runs of all procedures share: the journal, the progress, and the summary."""

import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
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
from ..runs.estimates import Estimates, estimate_facts, keep_estimates
from ..runs.finishing import journal_path, journalled
from ..terminal.facts import Fact, Facts, tell
from ..terminal.progress import counting, work_done
from .options import Printing

COUNTED_ONCE = (
    "Each step is counted once for each item, those after the first by the length of the source.\n"
    "A text that a check rejects is written again, and an item that ends early costs less."
)


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


@dataclass(frozen=True)
class Planned:
    """What a procedure would ask: about how many sources, which `thing` names in the singular."""

    sources: int
    thing: str
    calls: Callable[[Run], Estimates]


def run_with_journal(
    folder: Path,
    options: RunOptions,
    work: Callable[[Run, Journal[Outcome]], bool],
    planned: Planned,
    *,
    estimate: bool,
    as_json: bool,
) -> int:
    """Call `work` with a run and the journal of the folder; return the exit code.

    estimate: print what is planned instead. work: writes the folder and returns whether an item
    failed. The journal has the outcome of each step, so that the same command continues a killed
    run. It is removed if no item failed.
    """
    if estimate:
        with options.open() as run:
            facts = estimate_facts(
                planned.calls(run), run, rows=planned.sources, noun=planned.thing
            )
            tell((*facts, COUNTED_ONCE), as_json=as_json, file=sys.stdout)
        return 0

    def account_first(run: Run) -> bool:
        if options.account is not None:
            keep_estimates(planned.calls(run), run)
        return work(run, journal)

    make_folder(folder)
    check_writable(folder / ITEMS)
    journal = open_journal(journal_path(str(folder / ITEMS), None))
    return journalled(journal, options, account_first, what="steps")


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts = " · ".join(f"{name} {summary[name]:,}" for name in ("accepted", "rejected", "failed"))
    yield f"{summary['items']:,} items: {counts}"
    if summary["pass_rate"] is not None:
        low, high = summary["pass_rate_interval"]
        yield f"pass rate {summary['pass_rate']:.1%} [{low:.1%}, {high:.1%}]"
    for check, count in sorted(summary["stopped_at"].items()):
        yield f"{check}: {count:,}"
