"""The agreement table in a form to read: a measure a line, who is compared across."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .agreement_table import Agreement, AgreementRow
from .contested import Contested
from .corrected import INDEPENDENT
from .names import renamed, short_names

ACROSS = 4
"""Columns of a block at most, so that it fits a terminal."""

_HEADLINES = ("krippendorff_alpha_interval", "krippendorff_alpha_ordinal",
              "krippendorff_alpha_nominal")  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A small table of text: title, header, rows, and lines to print below."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A value with its limits, where it has them.

    >>> number(0.5, 0.25, 0.75), number(None)
    ('0.500 [0.250, 0.750]', '-')
    """
    if value is None or value != value:
        return "-"
    known = low is not None and high is not None and low == low
    limits = f" [{_three(low)}, {_three(high)}]" if known else ""  # type: ignore[arg-type]
    return f"{_three(value)}{limits}"


def _three(value: float) -> str:
    """Three digits, and no minus before a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def who(row: AgreementRow) -> str:
    """Who is compared in a row."""
    if row.between == "jury":
        return "all judges"
    if row.between in ("repeats", "variants"):
        return f"{row.first}, over {row.between}"
    return f"{row.first} / {row.second}"


def blocks_of(made: Agreement) -> list[Block]:
    """Everything but the contested cases: by step, by group, votes, corrected shares.

    Judges have short names here, where these tell them apart.
    """
    names = short_names(list(dict.fromkeys(one.judge for one in made.counts)))
    made = replace(
        made,
        rows=renamed(made.rows, names),
        counts=renamed(made.counts, names),
        corrected=renamed(made.corrected, names),
    )
    return [*_by_step(made), *_by_group(made), *_votes(made), *_corrected(made)]


def _by_step(made: Agreement) -> Iterator[Block]:
    for step in dict.fromkeys(row.step for row in made.rows):
        rows = [row for row in made.rows if row.step == step and not row.group_by]
        names = list(dict.fromkeys(map(who, rows)))
        for start in range(0, len(names), ACROSS):
            shown = names[start : start + ACROSS]
            yield _block(step, [row for row in rows if who(row) in shown], shown)


def _block(step: str, rows: Sequence[AgreementRow], names: Sequence[str]) -> Block:
    held = {(row.measure, who(row)): row for row in rows}
    lines = []
    for measure in dict.fromkeys(row.measure for row in rows):
        cells = [held.get((measure, name)) for name in names]
        lines.append((measure.replace("_", " "), *(_cell(cell) for cell in cells)))
    first = {name: next(row for row in rows if who(row) == name) for name in names}
    lines.append(("cases", *(str(first[name].n) for name in names)))
    lines.append(("left out: failed, abstained", *(
        f"{first[name].failed}, {first[name].abstained}" for name in names)))  # fmt: skip
    warned = dict.fromkeys(f"{who(row)}: {row.measure}: {row.warning}"
                           for row in rows if row.warning)  # fmt: skip
    few = dict.fromkeys(f"{who(row)}: {row.warning}" for row in rows
                        if "too few" in row.warning)  # fmt: skip
    notes = (*few, *(line for line in warned if "too few" not in line))
    return Block(step or "all steps", ("measure", *names), tuple(lines), notes)


def _cell(row: AgreementRow | None) -> str:
    return "" if row is None else number(row.value, row.low, row.high)


def headline(rows: Sequence[AgreementRow]) -> str:
    """The measure that stands for a step: alpha on the finest scale that it has."""
    held = {row.measure for row in rows}
    return next((name for name in _HEADLINES if name in held), "share_identical")


def _by_group(made: Agreement) -> Iterator[Block]:
    cells = dict.fromkeys((row.step, row.group_by) for row in made.rows if row.group_by)
    for step, by in cells:
        rows = [row for row in made.rows if (row.step, row.group_by) == (step, by)]
        measure = headline(rows)
        rows = [row for row in rows if row.measure == measure]
        names = list(dict.fromkeys(map(who, rows)))
        held = {(row.group, who(row)): row for row in rows}
        for start in range(0, len(names), ACROSS):
            shown = names[start : start + ACROSS]
            lines = [
                (group, *(_cell(held.get((group, name))) for name in shown))
                for group in dict.fromkeys(row.group for row in rows)
            ]
            title = f"{step or 'all steps'} by {by}: {measure.replace('_', ' ')}"
            yield Block(title, (by, *shown), tuple(lines))


def _votes(made: Agreement) -> Iterator[Block]:
    header = ("step", "judge", "votes", "done", "abstained", "failed")
    rows = [
        (one.step, one.judge, str(one.votes), str(one.done), str(one.abstained),
         f"{one.failed} ({one.failure_rate:.1%})")
        for one in made.counts
    ]  # fmt: skip
    yield Block("votes", header, tuple(rows))


def _corrected(made: Agreement) -> Iterator[Block]:
    if not made.corrected:
        return
    header = ("step", "group", "judge", "method", "judged", "corrected", "sensitivity",
              "specificity", "units", "checked")  # fmt: skip
    rows = [
        (one.step, one.group, one.judge, one.method, number(one.judged),
         number(one.value, one.low, one.high), number(one.sensitivity), number(one.specificity),
         str(one.n), str(one.n_calibration))
        for one in made.corrected
    ]  # fmt: skip
    notes = dict.fromkeys(
        part if part == INDEPENDENT else f"{one.group} {one.judge}, {one.method}: {part}".strip()
        for one in made.corrected
        for part in one.warning.split("; ")
        if part
    )
    yield Block("share of right verdicts, corrected by the human's", header, tuple(rows),
                tuple(notes))  # fmt: skip


def contested_lines(one: Contested) -> list[str]:
    """A contested case as lines: what it is, then a vote a line with its words."""
    item = f" ({', '.join(filter(None, one.item))})" if any(one.item) else ""
    lines = [f"{one.step}, case {one.case}{item}: disagreement {one.disagreement:.2f}"]
    for vote in one.votes:
        said = vote.status if vote.status != "done" else str(vote.verdict)
        place = f" #{vote.repeat}" if vote.repeat else ""
        variant = f" [{vote.variant}]" if vote.variant else ""
        words = " ".join((vote.explanation or vote.reason).split())
        lines.append(f"  {vote.judge}{place}{variant}: {said}{'. ' + words if words else ''}")
    return lines


def plain(made: Agreement) -> dict[str, Any]:
    """Everything as plain JSON values."""
    held: dict[str, Any] = asdict(made)
    return held
