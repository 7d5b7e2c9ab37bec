"""Run `dxjudge curate dermcase`: read reports, run the procedure, write, print a summary."""

import asyncio
import sys
import time
from contextlib import aclosing
from pathlib import Path

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.judge_equivalence import Mapper
from ...curation.item import Item
from ...curation.preference_pairs import PAIRS, write_items
from ...curation.read import read_reports
from ...curation.reports import Report, curate_reports
from ...curation.settings import Settings
from ...curation.write import ITEMS, make_folder
from ...files.bytes import check_writable
from ...files.forms import Form
from ...graphs.codes import code_of
from ...graphs.mapper import Mapper as Ontology
from ..option_groups import RunOptions
from ..progress import counting
from .finish import exit_code, print_summary


def run_dermcase(
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
    started = time.monotonic()
    settings = Settings(tries=tries, seed=seed)
    reports = read_reports(source, form)
    make_folder(folder)
    check_writable(folder / ITEMS)
    coded = code_of(Ontology()) if codes else None
    with options.open() as run:
        items = asyncio.run(_curate(reports, spec, settings, coded, run, quiet=quiet))
        summary = write_items(folder, items, spec, settings)
        print_summary(summary, run, len(reports), "report", started)
        print(f"items and pairs: {folder / ITEMS}, {folder / PAIRS}", file=sys.stderr)
    return exit_code(summary, run)


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
