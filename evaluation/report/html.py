"""Writes the report: one page that needs no other file, its data, and its figures as files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import OutputError
from ...files.bytes import writing
from ...files.charts import to_pdf, to_png
from ...files.counted import counted
from ..judges.stress_table import read_rates
from ..pages.judges import JudgesPage, judges_page
from ..pages.overview import Overview, overview_of
from ..pages.plain import as_json
from ..records import JUDGES_PAGE, OVERVIEW
from ..result import Evaluation
from .case_pages import ROWS, CaseLine, PackedCase, ReportCases
from .figure import Figure
from .figures import all_figures
from .judge_figures import judge_figures
from .page import report_page
from .paper_tables import paper_views
from .paper_text import paper_figures

LARGEST = 9_500_000
"""The largest size of the page in bytes. Cases and images are left out to keep it, no numbers."""

STRESS = "stress.csv"
"""The trials of `dxjudge stress` in the folder of an evaluation."""


def write_report(
    evaluation: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Write report.html, its data for `dxjudge view`, and every figure in all its forms.

    The folder has the tables of the evaluation already: the cases of the page are read from
    there, as `dxjudge view` reads them. The page has at most `shown` cases, drawn at random with
    the seed of the settings, and fewer where the page would be larger than `LARGEST`. `stress`:
    trials of `dxjudge stress`; by default stress.csv in the folder, where it exists.

    Raises OutputError, and InputError for a folder without the tables.
    """
    figures = [*all_figures(evaluation), *paper_figures(paper_views(evaluation), evaluation)]
    if stress is None and (folder / STRESS).exists():
        stress = folder / STRESS
    rates = read_rates(stress, evaluation.settings.plan) if stress is not None else []
    about_judges = judge_figures(evaluation, rates)
    overview = overview_of(evaluation, figures)
    judges = judges_page(evaluation, about_judges)
    write_figures([*figures, *about_judges], folder / "figures")
    _write(folder / "report.html", render(overview, judges, ReportCases(folder), shown))
    _write(folder / JUDGES_PAGE, as_json(judges))
    _write(folder / OVERVIEW, as_json(overview))  # last: `dxjudge view` calls the run finished


def _write(path: Path, text: str) -> None:
    with writing(path) as file:
        file.write(text.encode())


def write_figures(figures: Sequence[Figure], folder: Path) -> None:
    """Write each figure as SVG, PNG, PDF and as its Vega-Lite specification (.vl.json).

    Raises OutputError.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder}: {fault.strerror}") from fault
    for figure in figures:
        spec = json.dumps(figure.chart.spec, ensure_ascii=False, indent=1)
        forms = {
            "svg": figure.svg.encode(),
            "png": to_png(figure.svg),
            "pdf": to_pdf(figure.svg),
            "vl.json": f"{spec}\n".encode(),
        }
        for form, content in forms.items():
            with writing(folder / f"{figure.name}.{form}") as file:
                file.write(content)


def render(
    overview: Overview,
    judges: JudgesPage | None,
    cases: ReportCases,
    shown: int,
    most: int = LARGEST,
) -> str:
    """Return the page as text, with as many cases and images as fit into `most` bytes."""
    models, every = counted(overview.models, "model"), counted(overview.cases, "case")
    title = f"{overview.title}: {models} on {every}"
    data: dict[str, Any] = {
        "runs": [{"place": 0, "name": overview.id, "state": "finished"}],
        "overview?run=0": overview,
    }
    if judges is not None:
        data["judges?run=0"] = judges

    def page(inside: _Inside) -> str:
        told = {**data, "samples?run=0": inside.samples, **inside.images}
        return report_page(title, overview, as_json(told), as_json(inside.blocks))

    room = most - len(page(_Inside()).encode())
    return page(_chosen(cases, shown, overview.seed, room))


@dataclass(frozen=True)
class _Inside:
    """The cases that the page has: their lines, packed blocks and images by their paths."""

    lines: Sequence[CaseLine] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0

    @property
    def samples(self) -> dict[str, Any]:
        return {"cases": self.lines, "images_left_out": self.left_out}


def _chosen(cases: ReportCases, shown: int, seed: int, room: int) -> _Inside:
    """Choose cases while there is room beside the rows of all that were drawn, then images.

    Fewer are drawn where their rows would take more than half of the room.
    """
    drawn = cases.drawn(shown, seed)
    rows = cases.rows(sorted(drawn))
    while len(rows) > room // 2 and len(drawn) > 1:
        drawn = drawn[: len(drawn) // 2]
        rows = cases.rows(sorted(drawn))
    room -= len(rows)
    chosen: list[PackedCase] = []
    for one in map(cases.packed, drawn):
        room -= len(as_json(one).encode())
        if room < 0:
            break
        chosen.append(one)
    chosen.sort(key=lambda one: one.line.place)
    images: dict[str, str] = {}
    left_out = 0
    places = [one.line.place for one in chosen]
    for path, url in cases.images(places):
        if not url or len(url) + len(path) + 10 > room:
            left_out += 1
            continue
        room -= len(url) + len(path) + 10
        images[path] = url
    if len(chosen) < len(drawn):
        rows = cases.rows(places)
    blocks = {ROWS: rows} | {path: block for one in chosen for path, block in one.blocks.items()}
    return _Inside([one.line for one in chosen], blocks, images, left_out)
