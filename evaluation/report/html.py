"""The report: one HTML page that needs nothing else, and its figures as files."""

import importlib.util
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ...errors import OutputError
from ...files.bytes import writing
from ..judges.stress_table import read_rates
from ..result import Evaluation
from .case_pages import case_view, read_attempts, sampled
from .figure import Figure
from .figures import all_figures
from .judge_figures import judge_figures
from .judge_pages import judges_view
from .latex import caption_of, main_rows, show
from .main_table import expanded
from .svg import DARK, LIGHT, standalone

LARGEST = 4_800_000
"""Bytes of a page at most; cases are left out beyond, numbers never."""

STRESS = "stress.csv"
"""The trials of `dxjudge stress` in the folder of an evaluation."""
_MISSES = 300
_FACTOR = 2  # pixels of a PNG for each unit of the drawing


def write_report(
    evaluation: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Write report.html, and every figure as SVG (and PNG with the extra "report").

    At most `shown` cases are in the page, drawn at random with the seed of the settings; fewer
    where it would grow beyond `LARGEST`. attempts.jsonl in the folder is read, where it exists.
    `stress`: trials of `dxjudge stress`; by default stress.csv in the folder, where it exists.

    Raises OutputError.
    """
    figures = all_figures(evaluation)
    if stress is None and (folder / STRESS).exists():
        stress = folder / STRESS
    rates = read_rates(stress, evaluation.settings.plan) if stress is not None else []
    about_judges = judge_figures(evaluation, rates)
    page = render(
        evaluation, figures, folder / "attempts.jsonl", shown=shown, about_judges=about_judges
    )
    with writing(folder / "report.html") as file:
        file.write(page.encode())
    place = folder / "figures"
    try:
        place.mkdir(exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {place}: {fault.strerror}") from fault
    for figure in (*figures, *about_judges):
        svg = standalone(figure.svg)
        with writing(place / f"{figure.name}.svg") as file:
            file.write(svg.encode())
        if importlib.util.find_spec("resvg_py"):
            with writing(place / f"{figure.name}.png") as file:
                file.write(to_png(svg))


def to_png(svg: str) -> bytes:
    """A drawing as PNG at twice its size."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_FACTOR))


def render(
    evaluation: Evaluation,
    figures: list[Figure],
    attempts: Path,
    *,
    shown: int,
    about_judges: Sequence[Figure] = (),
) -> str:
    """The page as text."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True, loader=FunctionLoader(_source))  # fmt: skip
    template = environment.get_template("report.html.j2")
    header, rows = main_rows(evaluation)
    context: dict[str, Any] = {
        "evaluation": evaluation,
        "light": LIGHT,
        "dark": DARK,
        "figures": figures,
        "header": header,
        "rows": rows,
        "caption": caption_of(evaluation),
        "groups": _groups(evaluation),
        "gaps": [gap for gap in evaluation.gaps if not gap.slice and not gap.group_by],
        "misses": evaluation.misses[:_MISSES],
        "judges": judges_view(evaluation, about_judges),
        "settings": evaluation.settings.model_dump(mode="json"),
    }
    # The page without cases, whose macro makes the blocks: escaping is the template's affair.
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
    """The cases as HTML, as many as there is room for."""
    held = read_attempts(attempts)
    blocks = []
    for case in sampled(evaluation.judged.cases, shown, evaluation.settings.seed):
        html = block(case_view(evaluation, case, held))
        room -= len(html.encode()) + 1
        if room < 0:
            break
        blocks.append(html)
    return blocks


def _groups(evaluation: Evaluation) -> list[tuple[str, list[str], list[list[str]]]]:
    """For each metric of the main table and each group column: models across, groups down."""
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
