"""Run `dxjudge curate dermcase`: read reports, run the procedure, write, print a summary."""

import asyncio
import time
from pathlib import Path

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome
from ...curation.preference_pairs import PAIRS, write_items
from ...curation.questionnaire import QUESTIONNAIRE, images_of_reports
from ...curation.read import read_reports
from ...curation.reports import curate_reports
from ...curation.settings import Settings
from ...curation.write import ITEMS
from ...files.forms import Form
from ...files.journal import Journal
from ...graphs.codes import code_of
from ...graphs.mapper import Mapper as Ontology
from ..option_groups import RunOptions
from ..terminal.facts import named
from .finish import gather_items, print_summary, run_with_journal
from .options import Printing


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
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    settings = Settings(tries=tries, seed=seed)
    reports = read_reports(source, form)
    images = images_of_reports(reports, folder)
    coded = code_of(Ontology()) if codes else None

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        stream = curate_reports(
            reports, spec, settings=settings, code_of=coded, run=run, journal=journal
        )
        items = asyncio.run(gather_items(stream, run, len(reports), quiet=printing.quiet))
        summary = write_items(folder, items, spec, settings, images)
        files = [("items", ITEMS), ("pairs", PAIRS), ("for experts, dxjudge rate", QUESTIONNAIRE)]
        written = named((what, folder / name) for what, name in files)
        print_summary(printing, summary, run, len(reports), "report", started, written)
        return bool(summary["failed"])

    return run_with_journal(folder, options, work)
