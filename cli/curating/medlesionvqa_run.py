"""Run `dxjudge curate medlesionvqa`: plan the questions, write them, write the folder."""

import asyncio
import time
from pathlib import Path

from ...agents.engine.judges import as_judge
from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome
from ...curation.asking import Asking
from ...curation.item import Item
from ...curation.medlesionvqa.ability_rows import (
    QUESTIONS,
    missing_of,
    question_rows,
    splits_of,
    summarise_questions,
)
from ...curation.medlesionvqa.ability_settings import AbilitySettings
from ...curation.medlesionvqa.question_graph import question_graph, write_questions
from ...curation.medlesionvqa.question_plan import Pools, next_batch, pools_of, wanted_counts
from ...curation.medlesionvqa.read_annotations import read_annotations
from ...curation.sample import write_sample
from ...curation.write import write_folder
from ...files.forms import Form
from ...files.journal import Journal
from ..option_groups import RunOptions
from ..terminal.facts import Facts, named
from .finish import gather_items, print_summary, run_with_journal
from .options import Printing


def run_medlesionvqa(
    source: str,
    folder: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    settings: AbilitySettings,
    form: Form,
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    read = read_annotations(source, settings.lists, form)
    pools = pools_of(read.records, settings)
    wanted = wanted_counts(pools, settings)

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        asking = Asking(as_judge(spec), run, journal)
        written = asyncio.run(_write(pools, wanted, asking, settings, quiet=printing.quiet))
        items = [*read.failed, *written]
        splits = splits_of(items, settings)
        summary = summarise_questions(items, wanted, splits, spec, settings)
        rows = list(question_rows(items, splits, folder))
        write_folder(folder, items, summary, {QUESTIONS: rows})
        write_sample(folder, items, spec, settings.seed)
        more: Facts = (*missing_of(summary), *named([("questions", folder / QUESTIONS)]))
        print_summary(printing, summary, run, len(read.records), "record", started, more)
        return bool(summary["failed"])

    return run_with_journal(folder, options, work)


async def _write(
    pools: Pools,
    wanted: dict[str, int],
    asking: Asking,
    settings: AbilitySettings,
    *,
    quiet: bool,
) -> list[Item]:
    """Write questions in rounds, until each ability has its number or its pool is empty."""
    graph = question_graph(asking.judge, settings=settings, run=asking.run, journal=asking.journal)
    items: list[Item] = []
    while batch := next_batch(pools, wanted, items):
        stream = write_questions(batch, graph, asking.run.width)
        items += await gather_items(stream, asking.run, len(batch), quiet=quiet)
    return items
