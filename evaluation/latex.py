"""Tables for papers: LaTeX with booktabs, and aligned text for a terminal."""

from collections.abc import Sequence

from .evaluate import Evaluation
from .numbers import Number
from .tables import cell_of, expanded, judges_of, unresolved

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
_COUNTS = ("n", "Failed", "Abstained", "Unmapped", "Invalid")


def escape(text: str) -> str:
    r"""Text as LaTeX shows it.

    >>> escape("50 % of top_1")
    '50 \\% of top\\_1'
    """
    return "".join(_SPECIAL.get(char, char) for char in text)


def show(one: Number | None, *, digits: int = 3) -> str:
    """A number, its interval in brackets, and its bounds in braces where items are unresolved.

    The bounds are the number if all unresolved items were wrong, or right.
    """
    if one is None or (one.value != one.value and one.worst != one.worst):
        return "-"
    parts = ["-" if one.value != one.value else f"{one.value:.{digits}f}"]
    if one.low == one.low:
        parts.append(f"[{one.low:.{digits}f}, {one.high:.{digits}f}]")
    if one.failed:
        parts.append(f"{{{one.worst:.{digits}f}, {one.best:.{digits}f}}}")
    return " ".join(parts)


def main_rows(made: Evaluation) -> tuple[list[str], list[list[str]]]:
    """The main table as text: a header, and a row a judge and model with ranks at the end."""
    columns = expanded(made)
    judges = judges_of(made)
    several = len(judges) > 1
    climbs = {
        (judge, shift.model): f"{shift.before} > {shift.after}"
        for judge, shifts in made.shifts.items()
        for shift in shifts
    }
    header = [*(["Judge"] if several else []), "Model"]
    header += [column.title or group for column, group in columns]
    header += [*(["Rank"] if climbs else []), *_COUNTS]
    rows = []
    for judge in judges:
        for model in made.judged.models:
            cells = [cell_of(made, column, group, model, judge) for column, group in columns]
            row = [*([judge] if several else []), model, *map(show, cells)]
            if climbs:
                row.append(climbs.get((judge, model), climbs.get(("", model), "-")))
            rows.append([*row, *map(str, unresolved(cells))])
    return header, rows


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table environment with booktabs rules."""
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


def caption_of(made: Evaluation) -> str:
    """What the numbers of the main table are, with the signature's id."""
    settings = made.settings
    before, after = made.preset.before, made.preset.after
    ranks = f" Rank: by {before} > by {after}." if made.shifts else ""
    return (
        f"{made.preset.title}: {len(made.units.ids)} units, {settings.level:.0%} intervals in "
        f"brackets ({settings.interval}, {settings.resamples} resamples, seed {settings.seed}); "
        "in braces the number if every failed item were wrong, or right."
        f"{ranks} Signature {made.signature['id']}."
    )
