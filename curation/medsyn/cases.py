"""Run many case reports through the MEDSYN procedure, and write its data set."""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...agents.engine.judges import AnyJudge
from ...agents.engine.run import Run
from ...agents.judge_equivalence import Mapper
from ...agents.making.evidence import CaseEvidence
from ...agents.outcome import Outcome
from ...files.journal import Journal
from ...graphs.gather import as_finished
from ..asking import asking_of
from ..balance import write_card
from ..item import Ending, Item
from ..paths import seen_from
from ..report_text import report_text
from ..reports import Report, refuse_equal_names
from ..sample import write_sample
from ..write import count_items, sign, version_of, write_folder
from .figures import figure_files
from .give_away import check_options, solver_numbers
from .graph import as_item, medsyn_graph
from .stages import BACKGROUND, IMPRESSIONS, MedsynSettings, MedsynWork

CASES = "cases.jsonl"
CARRIED = ("language", "specialty")
"""Columns of the input that a case keeps."""


async def curate_medsyn(
    reports: Sequence[Report],
    judge: AnyJudge,
    *,
    settings: MedsynSettings | None = None,
    code_of: Mapper | None = None,
    chapter_of: Callable[[str], str] | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
) -> AsyncGenerator[tuple[int, list[Item]], None]:
    """Yield (index, [item]) of every report as it is finished; then see `settle_medsyn`.

    Raises UsageError for two reports with one name and InputError for a figure without a file,
    before a model is asked, and AuthenticationFault, ModelFault or ReplayMiss if no report can
    succeed. The options are those of `medsyn_graph`.
    """
    refuse_equal_names(reports)
    figures = [figure_files(report) for report in reports]
    own = run or Run()
    graph = medsyn_graph(
        judge, settings=settings, code_of=code_of, chapter_of=chapter_of, run=own, journal=journal
    )

    async def one(numbered: tuple[int, Report]) -> tuple[int, list[Item]]:
        index, report = numbered
        text = report_text(report.content)
        if not text:
            ending = Ending(status="failed", stage="read", reasons=("the report holds no text",))
            return index, [Item(id=report.id, ending=ending, data={}, trail=())]
        item = as_item(await graph.ainvoke({"id": report.id, "report": text}), figures[index])
        about = {name: report.about[name] for name in CARRIED if report.about.get(name)}
        return index, [item.model_copy(update={"data": {**about, **item.data}})]

    try:
        async for finished in as_finished(enumerate(reports), one, width=own.width):
            yield finished
    finally:
        if run is None:
            own.close()


async def settle_medsyn(
    items: Sequence[Item],
    judge: AnyJudge,
    *,
    settings: MedsynSettings | None = None,
    code_of: Mapper | None = None,
    chapter_of: Callable[[str], str] | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
    solver: AnyJudge | None = None,
) -> list[Item]:
    """Return all items after the check of the whole set: options alone must not give answers away.

    solver: the model that guesses; by default the judge. The other options are those of
    `medsyn_graph`.
    """
    own = run or Run()
    work = MedsynWork(settings or MedsynSettings(), code_of, chapter_of)
    asking = asking_of(judge, own, journal, solver)
    try:
        return await check_options(items, work, asking)
    finally:
        if run is None:
            own.close()


def write_medsyn(
    folder: Path,
    items: Sequence[Item],
    judge: AnyJudge,
    settings: MedsynSettings,
    solver: AnyJudge | None = None,
    chapter: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Write items, cases, summary, data card and the sample for people; return the summary.

    Each line of cases.jsonl is an accepted case as `dxjudge answer` and `dxjudge evaluate` read it.
    chapter: returns the chapter of a diagnosis, which the cases then have.
    """
    summary = {
        **count_items(items),
        "options_alone": solver_numbers(items),
        "signature": sign(
            judge,
            solver,
            tries=settings.tries,
            seed=settings.seed,
            evidence=version_of(settings.form),
            options=version_of(settings.rules),
        ),
    }
    rows = [row for item in items for row in case_rows(item, folder)]
    if chapter is not None:
        rows = [{**row, "chapter": chapter(row["diagnosis"])} for row in rows]
    write_folder(folder, items, summary, {CASES: rows})
    write_card(folder, "MEDSYN", rows)
    write_sample(folder, items, judge, settings.seed)
    return summary


def case_rows(item: Item, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of an accepted item; the paths of images begin at the folder of the table."""
    if item.ending.status != "accepted":
        return
    data = item.data
    evidence = CaseEvidence.model_validate(data["evidence"])
    figures = {modal.modality: modal.figures for modal in evidence.evidence}
    shown = []
    for kind in evidence.kinds(BACKGROUND, IMPRESSIONS):
        entry: dict[str, Any] = {"type": kind, "text": data["paragraphs"][kind]}
        files = [data["figures"].get(tag) for tag in figures.get(kind, ())]
        images = [seen_from(file, folder) for file in files if file]
        shown.append({**entry, "images": images} if images else entry)
    yield {
        "id": item.id,
        **{name: data[name] for name in CARRIED if name in data},
        "case": data["paragraphs"][BACKGROUND],
        "evidence": shown,
        "evidence_types": [entry["type"] for entry in shown],
        "diagnosis": data["diagnosis"],
        "options": data["options"],
        "answer": data["answer"],
    }
