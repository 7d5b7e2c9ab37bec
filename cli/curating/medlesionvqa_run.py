"""Run `dxjudge curate medlesionvqa`: plan the questions, write them, write the folder."""

import asyncio
import time
from pathlib import Path

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.making.write_ability_question import WRITE_ABILITY_QUESTION
from ...agents.outcome import Outcome
from ...curation.asking import Asking, asking_of
from ...curation.balance import write_card
from ...curation.estimates import MEDLESIONVQA, estimate_procedure
from ...curation.item import Item
from ...curation.medlesionvqa.ability_rows import (
    QUESTIONS,
    missing_of,
    question_rows,
    splits_of,
    summarise_questions,
)
from ...curation.medlesionvqa.ability_settings import AbilitySettings
from ...curation.medlesionvqa.question_graph import (
    question_graph,
    write_questions,
    writing_inputs,
)
from ...curation.medlesionvqa.question_plan import Pools, next_batch, pools_of, wanted_counts
from ...curation.medlesionvqa.read_annotations import read_annotations
from ...curation.sample import write_sample
from ...curation.write import write_folder
from ...files.forms import Form
from ...files.journal import Journal
from ..option_groups import RunOptions
from ..runs.estimates import Estimates
from ..terminal.facts import Facts, named
from .finish import Planned, gather_items, print_summary, run_with_journal
from .options import Printing


def run_medlesionvqa(
    source: str,
    folder: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    settings: AbilitySettings,
    form: Form,
    solver: JudgeSpec | None,
    estimate: bool,
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    read = read_annotations(source, settings.lists, form)
    pools = pools_of(read.records, settings)
    wanted = wanted_counts(pools, settings)

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        asking = asking_of(spec, run, journal, solver)
        written = asyncio.run(_write(pools, wanted, asking, settings, quiet=printing.quiet))
        items = [*read.failed, *written]
        splits = splits_of(items, settings)
        summary = summarise_questions(items, wanted, splits, spec, settings, solver)
        rows = list(question_rows(items, splits, folder))
        write_folder(folder, items, summary, {QUESTIONS: rows})
        write_card(folder, "MedLesionVQA", rows)
        write_sample(folder, items, spec, settings.seed)
        more: Facts = (*missing_of(summary), *named([("questions", folder / QUESTIONS)]))
        print_summary(printing, summary, run, len(read.records), "record", started, more)
        return bool(summary["failed"])

    def calls(run: Run) -> Estimates:
        states = [question.state() for question in next_batch(pools, wanted, [])]
        inputs = [writing_inputs(state, settings) for state in states]
        lengths = [len(state["case"]) for state in states]
        asking = asking_of(spec, run, solver=solver)
        return estimate_procedure(WRITE_ABILITY_QUESTION, inputs, lengths, MEDLESIONVQA, asking)

    planned = Planned(len(read.records), "record", calls)
    return run_with_journal(
        folder, options, work, planned, estimate=estimate, as_json=printing.as_json
    )


async def _write(
    pools: Pools,
    wanted: dict[str, int],
    asking: Asking,
    settings: AbilitySettings,
    *,
    quiet: bool,
) -> list[Item]:
    """Write questions in rounds, until each ability has its number or its pool is empty."""
    graph = question_graph(
        asking.judge,
        settings=settings,
        run=asking.run,
        journal=asking.journal,
        solver=asking.solver,
    )
    items: list[Item] = []
    while batch := next_batch(pools, wanted, items):
        stream = write_questions(batch, graph, asking.run.width)
        items += await gather_items(stream, asking.run, len(batch), quiet=quiet)
    return items
