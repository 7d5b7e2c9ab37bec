"""Formats tables for papers: numbers as text, and LaTeX with booktabs."""

import itertools
import re
from collections.abc import Iterable, Sequence

from ...files.counted import counted
from ..judges.agreement_rows import AgreementRow
from ..judges.agreement_text import number, who
from ..measures.numbers import Number
from ..presets import title_of
from ..result import Evaluation
from .main_table import (
    cell_of,
    columns_by_interval,
    expanded,
    failed_note,
    judges_of,
    unresolved,
)
from .rank_table import RANKS_SAY, rank_rows

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
COUNTS = ("n", "Failed", "Undecided", "Abstained", "Unmapped", "Invalid")
"""The titles of the counts at the end of a row."""


def escape(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> escape("50 % of top_1")
    '50 \\% of top\\_1'
    """
    return "".join(_SPECIAL.get(char, char) for char in text)


def show(one: Number | None, *, digits: int = 3) -> str:
    """Format a number, its interval in brackets, and its bounds in braces.

    Where there is no interval, the reason stands in its place. There are bounds only where items
    are unresolved: the number if all of them were wrong, and if all of them were right.
    """
    if one is None or (one.value != one.value and one.worst != one.worst):
        return "-"
    unresolved_units = one.failed + one.undecided
    parts = ["-" if one.value != one.value else f"{one.value:.{digits}f}"]
    if one.low == one.low:
        parts.append(f"[{one.low:.{digits}f}, {one.high:.{digits}f}]")
    elif one.value == one.value and one.warning:
        parts.append(f"({one.warning})")
    if unresolved_units and one.worst != one.worst:
        parts.append("{no bounds: the scale has no ends}")
    elif unresolved_units:
        parts.append(f"{{{one.worst:.{digits}f}, {one.best:.{digits}f}}}")
    return " ".join(parts)


def main_rows(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """The main table as text: a header, and a row for each judge and model."""
    columns = expanded(evaluation)
    judges = judges_of(evaluation)
    several = len(judges) > 1
    climbs = {
        (judge, shift.model): " > ".join(shift.shown)
        for judge, shifts in evaluation.shifts.items()
        for shift in shifts
    }
    header = [*(["Judge"] if several else []), "Model"]
    header += [column.title or group for column, group in columns]
    header += [*(["Rank"] if climbs else []), *COUNTS]
    rows = []
    for judge in judges:
        for model in evaluation.judged.models:
            cells = [cell_of(evaluation, column, group, model, judge) for column, group in columns]
            row = [*([judge] if several else []), model, *map(show, cells)]
            if climbs:
                row.append(climbs.get((judge, model), climbs.get(("", model), "-")))
            rows.append([*row, *map(str, unresolved(cells))])
    return header, rows


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Write a table environment with booktabs rules."""
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\toprule",
        " & ".join(map(escape, header)) + r" \\",
        r"\midrule",
        *(" & ".join(map(escape, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def caption_of(evaluation: Evaluation, *, by_row: bool = True) -> str:
    """The caption of the main table: how to read its numbers, and the signature's id.

    by_row: whether the counts stand at the end of a row rather than in every cell.
    """
    counts = " The counts are the largest of the row's columns." if by_row else ""
    before, after = evaluation.preset.before, evaluation.preset.after
    ranks = f" Rank a > b: a by {before}, b by {after}." if evaluation.shifts else ""
    return (
        f"{title_of(evaluation.settings)}: {counted(len(evaluation.units.ids), 'unit')}"
        f"{_intervals(evaluation)}; in braces the number if every unresolved item were wrong, or "
        f"right.{counts}{ranks} Signature "
        f"{evaluation.signature['id']}."
    )


def _intervals(evaluation: Evaluation) -> str:
    """Say which interval stands behind the numbers of each column; "" if there is none."""
    columns = columns_by_interval(evaluation)
    settings = evaluation.settings
    how = f", {counted(settings.resamples, 'resample')}, seed {settings.seed}"
    names = {"wilson": "Wilson", "bca": f"BCa bootstrap{how}", "percentile": f"percentiles{how}"}
    listed = [
        (f"{', '.join(titles)}: " if len(columns) > 1 else "")
        + " or ".join(names[method] for method in methods)
        for methods, titles in columns.items()
    ]
    return f", {settings.level:.0%} intervals in brackets ({'; '.join(listed)})" if listed else ""


def all_latex(evaluation: Evaluation) -> dict[str, str]:
    """Every LaTeX table by file name: main, levels, chapters, groups, ranks, agreement."""
    caption = f"{caption_of(evaluation)} {failed_note(evaluation)}".strip()
    tables = {"main_table": latex_table(*main_rows(evaluation), caption)}
    for name, kind in (("levels", "level: "), ("chapters", "chapter: ")):
        places = dict.fromkeys(
            one.slice for one in evaluation.numbers if one.slice.startswith(kind)
        )
        if places:
            columns = [(place.removeprefix(kind), {"slice": place}) for place in places]
            tables[name] = _pivot(evaluation, "hdf1", columns, f"HDF1 by {name.removesuffix('s')}")
    for by in evaluation.units.groups:
        wanted = [
            (group, {"group_by": by, "group": group}) for group in evaluation.units.values(by)
        ]
        for metric in evaluation.grouped:
            if any(one.metric == metric and one.group_by == by for one in evaluation.numbers):
                name = _file_name(f"by_{by}_{metric}", tables)
                tables[name] = _pivot(evaluation, metric, wanted, f"{metric} by {by}")
    if evaluation.shifts:
        rows = [
            [judge, shift.model, *shift.shown, f"{shift.change:+d}"]
            for judge, shifts in evaluation.shifts.items()
            for shift in shifts
        ]
        header = [
            "Judge",
            "Model",
            evaluation.preset.before,
            evaluation.preset.after,
            "Places climbed",
        ]
        tables["rank_change"] = latex_table(header, rows, "Ranks under two scores")
    header, rows = rank_rows(evaluation)
    if rows:
        caption = f"{RANKS_SAY} Signature {evaluation.signature['id']}."
        tables["ranks"] = latex_table(header, rows, caption)
    if evaluation.agreement is not None:
        rows = [
            [row.step, who(row), row.measure, _agreed(row), str(row.n)]
            for row in evaluation.agreement.rows
            if not row.group_by
        ]
        header = ["Step", "Judges", "Measure", "Value", "n"]
        tables["agreement"] = latex_table(header, rows, "Agreement of the judges")
    return tables


def _agreed(row: AgreementRow) -> str:
    """A measure of agreement with its interval, or with the reason why there is none."""
    known = row.value is not None and row.low is not None
    reason = f" ({row.warning})" if row.warning and not known else ""
    return f"{number(row.value, row.low, row.high)}{reason}"


def _file_name(wanted: str, taken: Iterable[str]) -> str:
    """A file name that is valid on every system, and that no other table has."""
    plain = re.sub(r"[^\w.-]+", "_", wanted)
    names = itertools.chain([plain], (f"{plain}_{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _pivot(
    evaluation: Evaluation, metric: str, columns: Sequence[tuple[str, dict[str, str]]], title: str
) -> str:
    """A row for each model and a column for each slice or group, under the first judge."""
    judge = evaluation.judged.judges[0]
    rows = [
        [model, *(show(evaluation.number(metric, model, judge, **where)) for _, where in columns)]
        for model in evaluation.judged.models
    ]
    caption = f"{title}. Signature {evaluation.signature['id']}."
    return latex_table(["Model", *(name for name, _ in columns)], rows, caption)
