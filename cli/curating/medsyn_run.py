"""Run `dxjudge curate medsyn`: read reports, run the procedure, write, print a summary."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.making.extract_evidence import EXTRACT_EVIDENCE
from ...agents.outcome import Outcome
from ...curation.asking import asking_of
from ...curation.estimates import MEDSYN, NAMES_BY_CODE, estimate_procedure
from ...curation.item import Item
from ...curation.medsyn.cases import CASES, curate_medsyn, settle_medsyn, write_medsyn
from ...curation.medsyn.stages import MedsynSettings
from ...curation.read import read_reports
from ...curation.report_text import report_text
from ...curation.write import ITEMS
from ...files.forms import Form
from ...files.journal import Journal
from ...graphs.codes import chapters_of, code_of
from ...graphs.mapper import Mapper as Ontology
from ..option_groups import RunOptions
from ..runs.estimates import Estimates
from ..terminal.facts import Fact, named
from .finish import Planned, gather_items, print_summary, run_with_journal
from .options import Printing


def run_medsyn(
    source: str,
    folder: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    tries: int,
    seed: int,
    codes: bool,
    form: Form,
    solver: JudgeSpec | None,
    estimate: bool,
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    settings = MedsynSettings(tries=tries, seed=seed)
    reports = read_reports(source, form)
    coded: dict[str, Any] = {}
    chapter: Callable[[str], str] | None = None
    if codes and not estimate:
        ontology = Ontology()
        coded["code_of"] = code_of(ontology)
        coded["chapter_of"] = lambda code: ontology.tree.chapter(code).code
        chapter = chapters_of(ontology)

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        shared = {"settings": settings, "run": run, "journal": journal, **coded}

        async def make() -> list[Item]:
            stream = curate_medsyn(reports, spec, **shared)
            items = await gather_items(stream, run, len(reports), quiet=printing.quiet)
            return await settle_medsyn(items, spec, solver=solver, **shared)

        summary = write_medsyn(folder, asyncio.run(make()), spec, settings, solver, chapter)
        written = named([("items", folder / ITEMS), ("cases", folder / CASES)])
        more = (Fact(_solver(summary["options_alone"]), {}), *written)
        print_summary(printing, summary, run, len(reports), "report", started, more)
        return bool(summary["failed"])

    def calls(run: Run) -> Estimates:
        texts = [report_text(report.content) for report in reports]
        inputs = [{"report": text} for text in texts]
        later = (*MEDSYN, NAMES_BY_CODE) if codes else MEDSYN
        asking = asking_of(spec, run, solver=solver)
        return estimate_procedure(EXTRACT_EVIDENCE, inputs, list(map(len, texts)), later, asking)

    planned = Planned(len(reports), "report", calls)
    return run_with_journal(
        folder, options, work, planned, estimate=estimate, as_json=printing.as_json
    )


def _solver(numbers: dict[str, Any]) -> str:
    if not numbers["n"]:
        return "options alone: no item to guess"
    low, high = numbers["interval"]
    return (
        f"options alone: {numbers['right']:,} of {numbers['n']:,} guessed right "
        f"[{low:.1%}, {high:.1%}], chance {numbers['chance']:.1%}"
    )
