"""Run `dxjudge curate dermcase`: read reports, run the procedure, write, print a summary."""

import asyncio
import time
from pathlib import Path

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.making.split_report import SPLIT_REPORT
from ...agents.outcome import Outcome
from ...curation.asking import asking_of
from ...curation.estimates import DERMCASE, NAMES_BY_CODE, estimate_procedure
from ...curation.preference_pairs import PAIRS, write_items
from ...curation.questionnaire import QUESTIONNAIRE, images_of_reports
from ...curation.read import read_reports
from ...curation.report_text import report_text
from ...curation.reports import curate_reports
from ...curation.settings import Settings
from ...curation.write import ITEMS
from ...files.forms import Form
from ...files.journal import Journal
from ...graphs.codes import chapters_of, code_of
from ...graphs.mapper import Mapper as Ontology
from ..option_groups import RunOptions
from ..runs.estimates import Estimates
from ..terminal.facts import named
from .finish import Planned, gather_items, print_summary, run_with_journal
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
    estimate: bool,
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    settings = Settings(tries=tries, seed=seed)
    reports = read_reports(source, form)
    images = images_of_reports(reports, folder)
    ontology = Ontology() if codes and not estimate else None
    coded = code_of(ontology) if ontology else None
    chapter = chapters_of(ontology) if ontology else None

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        stream = curate_reports(
            reports, spec, settings=settings, code_of=coded, run=run, journal=journal
        )
        items = asyncio.run(gather_items(stream, run, len(reports), quiet=printing.quiet))
        summary = write_items(folder, items, spec, settings, images, chapter)
        files = [("items", ITEMS), ("pairs", PAIRS), ("for experts, dxjudge rate", QUESTIONNAIRE)]
        written = named((what, folder / name) for what, name in files)
        print_summary(printing, summary, run, len(reports), "report", started, written)
        return bool(summary["failed"])

    def calls(run: Run) -> Estimates:
        texts = [report_text(report.content) for report in reports]
        inputs = [{"report": text} for text in texts]
        later = (*DERMCASE, NAMES_BY_CODE) if codes else DERMCASE
        asking = asking_of(spec, run)
        return estimate_procedure(SPLIT_REPORT, inputs, list(map(len, texts)), later, asking)

    planned = Planned(len(reports), "report", calls)
    return run_with_journal(
        folder, options, work, planned, estimate=estimate, as_json=printing.as_json
    )
