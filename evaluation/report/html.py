"""Writes the report: one page that needs no other file, its data, and its figures as files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import OutputError
from ...files.bytes import writing
from ...files.charts import to_pdf, to_png
from ...files.counted import counted
from ..judges.stress_table import read_rates
from ..pages.judges import JUDGES, JudgesPage, judges_page
from ..pages.overview import OVERVIEW, Overview, overview_of
from ..pages.plain import as_json
from ..result import Evaluation
from .case_pages import CaseView, case_view, read_attempts, sampled
from .figure import Figure
from .figures import all_figures
from .judge_figures import judge_figures
from .page import report_page
from .paper_tables import paper_views
from .paper_text import paper_figures

LARGEST = 9_500_000
"""The largest size of the page in bytes. Cases are left out to keep it; numbers are not."""

STRESS = "stress.csv"
"""The trials of `dxjudge stress` in the folder of an evaluation."""


def write_report(
    evaluation: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Write report.html, its data for `dxjudge view`, and every figure in all its forms.

    The page has at most `shown` cases, drawn at random with the seed of the settings, and fewer
    where the page would be larger than `LARGEST`. It has the attempts of attempts.jsonl, where
    the folder has this file. `stress`: trials of `dxjudge stress`; by default stress.csv in the
    folder, where it exists.

    Raises OutputError.
    """
    figures = [*all_figures(evaluation), *paper_figures(paper_views(evaluation), evaluation)]
    if stress is None and (folder / STRESS).exists():
        stress = folder / STRESS
    rates = read_rates(stress, evaluation.settings.plan) if stress is not None else []
    about_judges = judge_figures(evaluation, rates)
    overview = overview_of(evaluation, figures)
    judges = judges_page(evaluation, about_judges)
    _write(folder / OVERVIEW, as_json(overview))
    _write(folder / JUDGES, as_json(judges))
    write_figures([*figures, *about_judges], folder / "figures")
    views = case_views(evaluation, folder / "attempts.jsonl", shown)
    _write(folder / "report.html", render(overview, judges, views))


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


def case_views(evaluation: Evaluation, attempts: Path, shown: int) -> Iterator[CaseView]:
    """Yield at most `shown` cases, drawn with the seed of the settings."""
    attempts_by_key = read_attempts(attempts)
    for case in sampled(evaluation.judged.cases, shown, evaluation.settings.seed):
        yield case_view(evaluation, case, attempts_by_key)


def render(
    overview: Overview,
    judges: JudgesPage | None,
    views: Iterator[CaseView],
    most: int = LARGEST,
) -> str:
    """Return the page as text, with as many of the cases as fit into `most` bytes."""
    models, cases = counted(overview.models, "model"), counted(overview.cases, "case")
    title = f"{overview.title}: {models} on {cases}"
    data: dict[str, Any] = {
        "runs": [{"place": 0, "name": overview.id, "state": "finished"}],
        "overview?run=0": overview,
    }
    if judges is not None:
        data["judges?run=0"] = judges
    bare = report_page(title, overview, _joined(data, []))
    blocks = list(_fitting(views, most - len(bare.encode())))
    return report_page(title, overview, _joined(data, blocks))


def _fitting(views: Iterator[CaseView], room: int) -> Iterator[str]:
    """Yield the cases as JSON, up to `room` bytes."""
    for view in views:
        block = as_json(view)
        room -= len(block.encode()) + 1
        if room < 0:
            return
        yield block


def _joined(data: Mapping[str, Any], blocks: Sequence[str]) -> str:
    return f'{as_json(data)[:-1]},"samples?run=0":[{",".join(blocks)}]}}'
