"""Run `dxjudge curate mediconfusion`: find pairs, write questions, apply scores, write."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.making.write_pair_question import WRITE_PAIR_QUESTION
from ...agents.outcome import Outcome
from ...curation.asking import Asking, asking_of
from ...curation.balance import write_card
from ...curation.estimates import MEDICONFUSION, estimate_procedure
from ...curation.item import Item
from ...curation.mediconfusion.confusing import MOST
from ...curation.mediconfusion.expert_scores import apply_scores, read_scores
from ...curation.mediconfusion.found import FoundPairs, categories_of, pairs_of_images
from ...curation.mediconfusion.images import CaptionedImage, read_images
from ...curation.mediconfusion.pair_graph import fail_all, pair_graph, write_pairs
from ...curation.mediconfusion.pair_rows import (
    CATEGORIES,
    QUESTIONS,
    TO_RATE,
    question_rows,
    rating_columns,
    splits_of,
    summarise_pairs,
)
from ...curation.mediconfusion.pair_settings import PairSettings
from ...curation.mediconfusion.vectors import vectors_of
from ...curation.sample import write_sample
from ...curation.write import write_folder
from ...files.bytes import writing
from ...files.forms import Form
from ...files.journal import Journal
from ...files.rows_out import write_columns
from ...prompts.data import Categories
from ..option_groups import RunOptions
from ..runs.estimates import Estimates
from ..terminal.facts import named
from ..terminal.progress import stages
from .finish import Planned, gather_items, print_summary, run_with_journal
from .options import Printing


def run_mediconfusion(
    source: str,
    folder: Path,
    spec: JudgeSpec,
    options: RunOptions,
    *,
    vectors: tuple[str, str],
    settings: PairSettings,
    scores: Path | None,
    form: Form,
    solver: JudgeSpec | None,
    estimate: bool,
    printing: Printing,
) -> int:
    """Run the command and return its exit code."""
    started = time.monotonic()
    images = read_images(source, form)
    found = _find(images, vectors, settings, quiet=printing.quiet)

    def work(run: Run, journal: Journal[Outcome]) -> bool:
        asking = asking_of(spec, run, journal, solver)
        categories, items = asyncio.run(_write(found, asking, settings, quiet=printing.quiet))
        if scores is not None:
            items = apply_scores(items, read_scores(str(scores), items))
        splits = splits_of(items, settings)
        summary = summarise_pairs(items, found, splits, categories, spec, settings, solver)
        rows = list(question_rows(items, splits, folder))
        write_folder(folder, items, summary, {QUESTIONS: rows})
        write_card(folder, "MediConfusion", rows)
        write_sample(folder, items, spec, settings.seed)
        write_columns(str(folder / TO_RATE), "csv", rating_columns(rows))
        if categories is not None:
            with writing(folder / CATEGORIES) as file:
                file.write((json.dumps(categories.model_dump(), indent=2) + "\n").encode())
        written = named([("questions", folder / QUESTIONS)])
        print_summary(printing, summary, run, len(found.pairs), "pair", started, written)
        return bool(summary["failed"])

    def calls(run: Run) -> Estimates:
        inputs = [
            {"first": first, "second": second, "rules": settings.rules}
            for first, second in (pair["captions"] for pair in found.pairs)
        ]
        lengths = [len("".join(pair["captions"])) for pair in found.pairs]
        asking = asking_of(spec, run, solver=solver)
        return estimate_procedure(WRITE_PAIR_QUESTION, inputs, lengths, MEDICONFUSION, asking)

    planned = Planned(len(found.pairs), "pair", calls)
    return run_with_journal(
        folder, options, work, planned, estimate=estimate, as_json=printing.as_json
    )


def _find(
    images: Sequence[CaptionedImage],
    vectors: tuple[str, str],
    settings: PairSettings,
    *,
    quiet: bool,
) -> FoundPairs:
    ids, paths = [image.id for image in images], [image.image for image in images]
    medical, general = (vectors_of(source, ids, paths) for source in vectors)
    with stages(quiet=quiet) as show:

        def progress(done: int, total: int) -> None:
            show("comparing", done, total)

        found = pairs_of_images(images, medical, general, settings, progress)
    widest = f" (the {MOST:,} with the widest gap are used)" if found.all > MOST else ""
    print(
        f"{len(images):,} images: {found.all:,} confusing pairs{widest}, {found.spread:,} after "
        f"each image stands in at most {settings.per_image}; "
        f"{len(found.pairs):,} are written about",
        file=sys.stderr,
    )
    return found


async def _write(
    found: FoundPairs, asking: Asking, settings: PairSettings, *, quiet: bool
) -> tuple[Categories | None, list[Item]]:
    """Return the categories, None if there are none, and the items in the order of the pairs."""
    if not found.pairs:
        return settings.categories, []
    categories = await categories_of(found.pairs, asking, settings)
    if isinstance(categories, str):
        return None, fail_all(found.pairs, categories)
    graph = pair_graph(
        asking.judge,
        categories,
        settings=settings,
        run=asking.run,
        journal=asking.journal,
        solver=asking.solver,
    )
    stream = write_pairs(found.pairs, graph, asking.run.width)
    items = await gather_items(stream, asking.run, len(found.pairs), quiet=quiet)
    return categories, items
