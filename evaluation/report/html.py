"""Writes the report: one HTML page that needs no other file, and its figures as files."""

import json
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ...errors import OutputError
from ...files.bytes import writing
from ...files.charts import to_pdf, to_png
from ...files.charts.chart import SERIES
from ..judges.stress_table import read_rates
from ..presets import title_of
from ..result import Evaluation
from .case_pages import case_view, read_attempts, sampled
from .figure import Figure
from .figures import all_figures
from .judge_figures import judge_figures
from .judge_pages import judges_view
from .latex import caption_of, main_rows, show
from .main_table import expanded, failed_note
from .pairwise_tables import pairwise_view
from .paper_tables import paper_views
from .paper_text import paper_figures, paper_text
from .rank_table import RANKS_SAY, rank_notes, rank_rows

LARGEST = 4_800_000
"""The largest size of the page in bytes. Cases are left out to keep it; numbers are not."""

STRESS = "stress.csv"
"""The trials of `dxjudge stress` in the folder of an evaluation."""
_MISSES = 300


def write_report(
    evaluation: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Write report.html, and every figure as SVG, PNG, PDF and Vega-Lite.

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
    page = render(
        evaluation, figures, folder / "attempts.jsonl", shown=shown, about_judges=about_judges
    )
    with writing(folder / "report.html") as file:
        file.write(page.encode())
    write_figures([*figures, *about_judges], folder / "figures")


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
    evaluation: Evaluation,
    figures: list[Figure],
    attempts: Path,
    *,
    shown: int,
    about_judges: Sequence[Figure] = (),
) -> str:
    """Render the page as text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True, loader=FunctionLoader(_source))  # fmt: skip
    template = environment.get_template("report.html.j2")
    header, rows = main_rows(evaluation)
    context: dict[str, Any] = {
        "evaluation": evaluation,
        "light": SERIES,
        "dark": SERIES,
        "figures": figures,
        "header": header,
        "rows": rows,
        "title": title_of(evaluation.settings),
        "caption": f"{caption_of(evaluation)} {failed_note(evaluation)}".strip(),
        "ranks": rank_rows(evaluation),
        "rank_notes": rank_notes(evaluation),
        "ranks_say": RANKS_SAY,
        "groups": _groups(evaluation),
        "papers": [paper_text(view, evaluation) for view in paper_views(evaluation)],
        "gaps": [gap for gap in evaluation.gaps if not gap.slice and not gap.group_by],
        "group_gaps": [gap for gap in evaluation.group_gaps if gap.worst or gap.too_few],
        "misses": evaluation.misses[:_MISSES],
        "pairwise": pairwise_view(evaluation),
        "judges": judges_view(evaluation, about_judges),
        "settings": evaluation.settings.model_dump(mode="json"),
    }
    # The page without cases has the macro that renders a case, so that the template escapes all.
    bare = template.make_module({**context, "blocks": [], "left": 0})
    room = LARGEST - len(str(bare).encode())
    blocks = _blocks(evaluation, bare.case_block, attempts, shown, room)  # type: ignore[attr-defined]
    left = len(evaluation.judged.cases) - len(blocks)
    return template.render(**context, blocks=blocks, left=left)


def _source(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _blocks(
    evaluation: Evaluation, block: Callable[[Any], str], attempts: Path, shown: int, room: int
) -> list[str]:
    """The cases as HTML, up to `room` bytes."""
    attempts_by_key = read_attempts(attempts)
    blocks = []
    for case in sampled(evaluation.judged.cases, shown, evaluation.settings.seed):
        html = block(case_view(evaluation, case, attempts_by_key))
        room -= len(html.encode()) + 1
        if room < 0:
            break
        blocks.append(html)
    return blocks


def _groups(evaluation: Evaluation) -> list[tuple[str, list[str], list[list[str]]]]:
    """A table for each metric of the main table and each group column: a row for each group."""
    tables = []
    for column, _ in dict.fromkeys((column, "") for column, _ in expanded(evaluation)):
        judge = evaluation.judged.judges[0]
        for by in evaluation.units.groups:
            if column.by:
                continue
            rows = []
            for group in evaluation.units.values(by):
                numbers = [
                    evaluation.number(column.metric, model, judge, group_by=by, group=group)
                    for model in evaluation.judged.models
                ]
                n = max((one.n for one in numbers if one), default=0)
                rows.append([group, str(n), *map(show, numbers)])
            tables.append((f"{column.title} by {by}", [by, "n", *evaluation.judged.models], rows))
    return tables
