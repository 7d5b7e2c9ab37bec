"""Run `dxjudge curate`: read reports, run the procedure, write the folder, print a summary."""

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.judge_equivalence import Mapper
from ...curation.item import Item
from ...curation.read import read_reports
from ...curation.reports import Report, curate_reports
from ...curation.settings import Settings
from ...curation.write import ITEMS, PAIRS, make_folder, write_items
from ...errors import UsageError
from ...files.bytes import check_writable
from ...files.forms import Form
from ...graphs.codes import code_of
from ...graphs.mapper import Mapper as Ontology
from ..exit_codes import BUDGET, SOME_FAILED
from ..option_groups import RunOptions
from ..progress import counting, work_done

PROCEDURES = ("dermcase",)


def run_curate(
    name: str,
    source: str,
    folder: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    tries: int,
    seed: int,
    codes: bool,
    form: Form,
    quiet: bool,
) -> int:
    """Run the command and return its exit code."""
    if name not in PROCEDURES:
        raise UsageError(f"there is no procedure {name!r}: write {', '.join(PROCEDURES)}")
    started = time.monotonic()
    settings = Settings(tries=tries, seed=seed)
    reports = read_reports(source, form)
    make_folder(folder)
    check_writable(folder / ITEMS)
    coded = code_of(Ontology()) if codes else None
    with options.open() as run:
        items = asyncio.run(_curate(reports, spec, settings, coded, run, quiet=quiet))
        summary = write_items(folder, items, spec, settings)
        for line in (
            *_lines(summary),
            *work_done(len(reports), 0, run, _since(started), "report"),
        ):
            print(line, file=sys.stderr)
        print(f"items and pairs: {folder / ITEMS}, {folder / PAIRS}", file=sys.stderr)
    if run.budget_reached:
        return BUDGET
    return SOME_FAILED if summary["failed"] else 0


async def _curate(
    reports: list[Report],
    judge: JudgeSpec,
    settings: Settings,
    coded: Mapper | None,
    run: Run,
    *,
    quiet: bool,
) -> list[Item]:
    """Return the items in the order of their reports."""
    finished: dict[int, list[Item]] = {}
    stream = curate_reports(reports, judge, settings=settings, code_of=coded, run=run)
    with counting(run, len(reports), quiet=quiet) as counted:
        async with aclosing(stream):
            async for index, items in stream:
                finished[index] = items
                counted.add(failed=any(item.ending.status == "failed" for item in items))
    return [item for index in sorted(finished) for item in finished[index]]


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts = " · ".join(f"{name} {summary[name]:,}" for name in ("accepted", "rejected", "failed"))
    yield f"{summary['items']:,} items: {counts}"
    if summary["pass_rate"] is not None:
        low, high = summary["pass_rate_interval"]
        yield f"pass rate {summary['pass_rate']:.1%} [{low:.1%}, {high:.1%}]"
    for check, count in sorted(summary["stopped_at"].items()):
        yield f"{check}: {count:,}"


def _since(started: float) -> float:
    return max(time.monotonic() - started, 1e-9)
