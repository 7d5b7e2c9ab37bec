"""Run many case reports through the DermCase procedure."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.judge_equivalence import Mapper
from ..agents.outcome import Outcome
from ..errors import UsageError
from ..files.journal import Journal
from ..graphs.gather import as_finished
from .dermcase import report_graph
from .item import Ending, Item
from .report_text import report_text
from .settings import Settings


@dataclass(frozen=True)
class Report:
    """A case report, HTML or plain text, and its name.

    about: more about the report, such as the other cells of its row: language, specialty, figures.
    folder: where the paths of its figures begin.
    """

    id: str
    content: str
    about: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()


def refuse_equal_names(reports: Sequence[Report]) -> None:
    """Raise UsageError if two reports have one name."""
    counts = Counter(report.id for report in reports)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise UsageError(f"two reports have one name: {', '.join(twice[:5])}")


async def curate_reports(
    reports: Sequence[Report],
    judge: AnyJudge,
    *,
    settings: Settings | None = None,
    code_of: Mapper | None = None,
    run: Run | None = None,
    journal: Journal[Outcome] | None = None,
) -> AsyncGenerator[tuple[int, list[Item]], None]:
    """Yield (index, items) of every report as they are finished; items are in report order.

    Replies are kept in the run's cache, so that the same call after a crash asks only for missing
    replies. Raises UsageError for two reports with one name before a model is asked, and
    AuthenticationFault, ModelFault or ReplayMiss if no report can succeed.
    """
    refuse_equal_names(reports)
    own = run or Run()
    graph = report_graph(judge, settings=settings, code_of=code_of, run=own, journal=journal)

    async def one(numbered: tuple[int, Report]) -> tuple[int, list[Item]]:
        index, report = numbered
        text = report_text(report.content)
        if not text:
            ending = Ending(status="failed", stage="read", reasons=("the report holds no text",))
            return index, [Item(id=report.id, ending=ending, data={}, trail=())]
        state = await graph.ainvoke({"id": report.id, "report": text})
        items = [Item.model_validate(item) for item in state["items"]]
        return index, [item.model_copy(update={"data": _shown(item, text)}) for item in items]

    try:
        async for finished in as_finished(enumerate(reports), one, width=own.width):
            yield finished
    finally:
        if run is None:
            own.close()


def _shown(item: Item, text: str) -> dict[str, object]:
    """Return the item's data with the text of its case; offsets count characters of plain text."""
    if "start" not in item.data:
        return item.data
    return {"case": text[item.data["start"] : item.data["end"]], **item.data}
