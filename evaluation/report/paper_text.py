"""The tables of the paper as text: for the terminal, for LaTeX and for the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...files.charts import Bar, Chart, Point, bars, heat, radar
from ...files.charts.chart import FEW
from ..failures import about_errors
from ..paper import PaperColumn
from ..result import Evaluation
from .figure import Figure
from .latex import latex_table
from .paper_tables import PaperCell, PaperView
from .rank_order import places_of, ranked_models

_AXES = 3  # fewer axes make no area


@dataclass(frozen=True)
class PaperText:
    """A table of the paper as text. notes: how to read it, and what is missing and why."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    @property
    def has_number(self) -> bool:
        """Whether any cell has a number."""
        return any(cell != "-" for row in self.rows for cell in row[1:])


def paper_text(view: PaperView, evaluation: Evaluation) -> PaperText:
    """Write a table of the paper with its titles."""
    titles = [column.title for column in view.columns]
    down = list(zip(*view.cells, strict=True))
    lines = [
        [
            cell_text(cell, column) + _shared(cell, column, cells_below)
            for cell, column, cells_below in zip(cells, view.columns, down, strict=True)
        ]
        for cells in view.cells
    ]
    first, names = (
        (view.table.models_by or view.table.rows_by).capitalize() or "Model",
        list(view.rows),
    )
    if view.table.transposed:
        titles, names = names, titles
        lines = [list(line) for line in zip(*lines, strict=True)]
        first = ""
    return PaperText(
        _name(view, evaluation),
        f"{view.table.title}{f', judged by {view.judge}' if view.judge else ''}",
        (first, *titles),
        tuple((name, *line) for name, line in zip(names, lines, strict=True)),
        tuple(_notes(view, evaluation)),
    )


def _name(view: PaperView, evaluation: Evaluation) -> str:
    judges = evaluation.judged.judges
    number = f"_{judges.index(view.judge) + 1}" if view.judge and len(judges) > 1 else ""
    return f"paper_{view.table.name}{number}"


def _shared(cell: PaperCell, column: PaperColumn, cells: Sequence[PaperCell]) -> str:
    """The sign after a rank that several models have."""
    shared = sum(other.value == cell.value for other in cells) > 1
    return "=" if column.show == "rank" and shared else ""


def cell_text(cell: PaperCell, column: PaperColumn) -> str:
    """Write a number as its column shows it; "-" where there is none."""
    if column.show == "count":
        return "-" if cell.n is None else str(cell.n)
    main = cell.sd if column.show == "deviation" else cell.value
    if main != main:
        return "-"
    if column.show in ("rank", "change"):
        return f"{main:+.0f}" if column.show == "change" and main else f"{main:.0f}"
    factor = 100.0 if column.show == "percent" else 1.0

    def plain(value: float) -> str:
        return f"{value * factor:.{column.digits}f}"

    parts = [plain(main)]
    if column.show == "deviation":
        return parts[0]
    if column.show == "mean_deviation" and cell.sd == cell.sd:
        parts.append(f"± {plain(cell.sd)}")
    if cell.low == cell.low:
        parts.append(f"[{plain(cell.low)}, {plain(cell.high)}]")
    if cell.failed + cell.undecided and cell.worst != cell.worst:
        parts.append("{no bounds}")
    elif cell.failed + cell.undecided and cell.worst == cell.worst:
        parts.append(f"{{{plain(cell.worst)}, {plain(cell.best)}}}")
    return " ".join(parts)


def _notes(view: PaperView, evaluation: Evaluation) -> Iterator[str]:
    shows = {column.show for column in view.columns}
    level = f"{evaluation.settings.level:.0%}"
    numbers = [cell for cells in view.cells for cell in cells if cell.value == cell.value]
    if any(cell.low == cell.low for cell in numbers):
        yield f"In brackets: the {level} interval."
    if shows & {"deviation", "mean_deviation"}:
        over = "models" if view.table.models_by else "cases"
        yield f"After ±: the standard deviation over {over}."
    counts = sorted({cell.n for cell in numbers if cell.n is not None})
    if counts:
        span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        yield f"Units (cases, items or pairs) of a number: {span}."
    failed = {
        model: max((cell.failed + cell.undecided for cell in cells), default=0)
        for model, cells in zip(view.rows, view.cells, strict=True)
    }
    if any(failed.values()):
        listed = ", ".join(f"{model} {count}" for model, count in failed.items() if count)
        yield f"Unresolved: {listed}. In braces: the number if all of them were wrong, and right."
    members = {one.group: one.models for one in evaluation.model_groups
               if one.attribute == view.table.models_by}  # fmt: skip
    if members:
        listed = "; ".join(
            f"{group}: {names.replace('; ', ', ')}" for group, names in members.items()
        )
        yield f"Means over models. {listed}."
    if any(column.metric.startswith("error") for column in view.columns):
        for sentence in about_errors(evaluation.judged, evaluation.settings):
            yield f"{sentence[0].upper()}{sentence[1:]}."
    yield from _missing(view)
    yield from _without_interval(view)
    yield f"Signature {evaluation.signature['id']}."


def _missing(view: PaperView) -> Iterator[str]:
    """The columns without any number, then the single numbers that are missing, by the reason."""
    whole: dict[str, list[str]] = {}
    single: dict[tuple[str, str], list[str]] = {}
    for at, column in enumerate(view.columns):
        reasons = [cells[at].reason for cells in view.cells]
        if all(reasons):
            text = "; ".join(sorted({*reasons}))
            whole.setdefault(text, []).append(column.title)
            continue
        for row, reason in zip(view.rows, reasons, strict=True):
            if reason:
                single.setdefault((row, reason), []).append(column.title)
    for reason, titles in whole.items():
        yield f"Missing: {', '.join(titles)}: {reason}."
    for (row, reason), titles in single.items():
        yield f"Missing for {row}: {', '.join(titles)}: {reason}."


def _without_interval(view: PaperView) -> Iterator[str]:
    """The numbers without an interval, by the reason."""
    titles: dict[str, list[str]] = {}
    for at, column in enumerate(view.columns):
        for cell in (cells[at] for cells in view.cells):
            shows_interval = column.show not in ("deviation", "count")
            if (
                shows_interval
                and cell.warning
                and cell.value == cell.value
                and cell.low != cell.low
            ):
                titles.setdefault(cell.warning, []).append(column.title)
    for warning, named in titles.items():
        yield f"No interval for some numbers of {', '.join(dict.fromkeys(named))}: {warning}."


def paper_latex(views: Sequence[PaperView], evaluation: Evaluation) -> dict[str, str]:
    """The tables of the paper as LaTeX, by file name."""
    texts = [paper_text(view, evaluation) for view in views]
    return {
        text.name: latex_table(text.header, text.rows, f"{text.title}. {' '.join(text.notes)}")
        for text in texts
    }


def paper_figures(views: Sequence[PaperView], evaluation: Evaluation) -> Iterator[Figure]:
    """The figures of the paper: the tables of which the paper draws the numbers."""
    for view in views:
        if view.table.draw and any(cell.value == cell.value for row in view.cells for cell in row):
            text = paper_text(view, evaluation)
            chart = _drawn(view, text.title, evaluation)
            yield Figure(text.name, text.title, " ".join(text.notes), chart)


def _drawn(view: PaperView, title: str, evaluation: Evaluation) -> Chart:
    titles = [column.title for column in view.columns]
    by_row = dict(zip(view.rows, view.cells, strict=True))
    models = [row for row in ranked_models(evaluation, view.judge) if row in by_row]
    rows = models if len(models) == len(view.rows) else list(view.rows)
    places = places_of(evaluation, rows) if rows == models else None
    cells = [by_row[row] for row in rows]
    points = [[Point(cell.value, cell.low, cell.high) for cell in line] for line in cells]
    if view.table.draw == "heat" or len(rows) > FEW:
        top = max((cell.value for line in cells for cell in line if cell.value == cell.value),
                  default=1.0)  # fmt: skip
        notes = [[f"n {cell.n:,}" if cell.n else "" for cell in line] for line in cells]
        return heat(title, rows, titles, points, top=top, notes=notes)
    if view.table.draw == "radar" and len(titles) >= _AXES:
        values = [[point.value for point in line] for line in points]
        return radar(title, titles, rows, values, places=places)
    table = [[_bar(cell) for cell in line] for line in zip(*cells, strict=True)]
    return bars(title, titles, rows, table, places=places)


def _bar(cell: PaperCell) -> Bar:
    counts = [f"n {cell.n:,}"] if cell.n is not None else []
    counts += [f"{count:,} {name}" for name in ("failed", "undecided")
               if (count := getattr(cell, name))]  # fmt: skip
    return Bar(Point(cell.value, cell.low, cell.high), ", ".join(counts) or cell.reason)
