"""Lay out the agreement table as text: one line per measure, one column per comparison."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .agreement_rows import Agreement, AgreementRow
from .contested import Contested
from .corrected import INDEPENDENT
from .names import renamed, short_names

ACROSS = 4
"""The largest number of columns in a block, so that it fits a terminal."""

_HEADLINES = ("krippendorff_alpha_interval", "krippendorff_alpha_ordinal",
              "krippendorff_alpha_nominal")  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A small text table: title, header, rows, and notes to print below.

    names: how many of the first columns say what a row is about.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 1


def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Format a value with its limits, if it has them; "-" for no value.

    >>> number(0.5, 0.25, 0.75), number(None)
    ('0.500 [0.250, 0.750]', '-')
    """
    if value is None or value != value:
        return "-"
    known = low is not None and high is not None and low == low
    limits = f" [{_three(low)}, {_three(high)}]" if known else ""  # type: ignore[arg-type]
    return f"{_three(value)}{limits}"


def _three(value: float) -> str:
    """Format with three decimals; a rounded zero has no minus sign."""
    return f"{round(value, 3) + 0.0:.3f}"


def who(row: AgreementRow) -> str:
    """Return the name of the comparison in a row."""
    if row.between == "jury":
        return "all judges"
    if row.between in ("repeats", "variants"):
        return f"{row.first}, over {row.between}"
    return f"{row.first} / {row.second}"


def blocks_of(agreement: Agreement) -> list[Block]:
    """Return everything except the contested cases: by step, by group, votes, corrected shares.

    Judges have short names here, if these are distinct.
    """
    names = short_names(list(dict.fromkeys(count.judge for count in agreement.counts)))
    agreement = replace(
        agreement,
        rows=renamed(agreement.rows, names),
        counts=renamed(agreement.counts, names),
        corrected=renamed(agreement.corrected, names),
    )
    return [*_by_step(agreement), *_by_group(agreement), *_votes(agreement), *_corrected(agreement)]


def _by_step(agreement: Agreement) -> Iterator[Block]:
    for step in dict.fromkeys(row.step for row in agreement.rows):
        rows = [row for row in agreement.rows if row.step == step and not row.group_by]
        names = list(dict.fromkeys(map(who, rows)))
        for start in range(0, len(names), ACROSS):
            shown = names[start : start + ACROSS]
            yield _block(step, [row for row in rows if who(row) in shown], shown)


def _block(step: str, rows: Sequence[AgreementRow], names: Sequence[str]) -> Block:
    cell_of = {(row.measure, who(row)): row for row in rows}
    lines = []
    told = (row for row in rows if number(row.value) != "-" or "too few" not in row.warning)
    for measure in dict.fromkeys(row.measure for row in told):
        cells = [cell_of.get((measure, name)) for name in names]
        lines.append((measure.replace("_", " "), *(_cell(cell) for cell in cells)))
    first = {name: next(row for row in rows if who(row) == name) for name in names}
    lines.append(("cases", *(str(first[name].n) for name in names)))
    lines.append(("left out: failed, abstained", *(
        f"{first[name].failed}, {first[name].abstained}" for name in names)))  # fmt: skip
    if any(row.absent for row in first.values()):
        lines.append(("left out: no vote of one", *(f"{first[name].absent}" for name in names)))
    warned = dict.fromkeys(f"{who(row)}: {row.measure}: {row.warning}"
                           for row in rows if row.warning)  # fmt: skip
    few = dict.fromkeys(f"{who(row)}: {row.warning}" for row in rows
                        if "too few" in row.warning)  # fmt: skip
    notes = (*few, *(line for line in warned if "too few" not in line))
    return Block(step or "all steps", ("measure", *names), tuple(lines), notes)


def _cell(row: AgreementRow | None) -> str:
    return "" if row is None else number(row.value, row.low, row.high)


def _with_cases(row: AgreementRow | None) -> str:
    return "" if row is None else f"{_cell(row)} ({row.n})"


def headline(rows: Sequence[AgreementRow]) -> str:
    """Return the measure that represents a step: alpha on the finest scale that it has."""
    measures = {row.measure for row in rows}
    return next((name for name in _HEADLINES if name in measures), "share_identical")


def _by_group(agreement: Agreement) -> Iterator[Block]:
    cells = dict.fromkeys((row.step, row.group_by) for row in agreement.rows if row.group_by)
    for step, by in cells:
        rows = [row for row in agreement.rows if (row.step, row.group_by) == (step, by)]
        measure = headline(rows)
        rows = [row for row in rows if row.measure == measure]
        names = list(dict.fromkeys(map(who, rows)))
        cell_of = {(row.group, who(row)): row for row in rows}
        for start in range(0, len(names), ACROSS):
            shown = names[start : start + ACROSS]
            lines = [
                (group, *(_with_cases(cell_of.get((group, name))) for name in shown))
                for group in dict.fromkeys(row.group for row in rows)
            ]
            title = f"{step or 'all steps'} by {by}: {measure.replace('_', ' ')} (cases)"
            yield Block(title, (by, *shown), tuple(lines))


def _votes(agreement: Agreement) -> Iterator[Block]:
    header = ("step", "judge", "votes", "done", "abstained", "failed")
    rows = [
        (count.step, count.judge, str(count.votes), str(count.done), str(count.abstained),
         f"{count.failed} ({count.failure_rate:.1%})")
        for count in agreement.counts
    ]  # fmt: skip
    yield Block("votes", header, tuple(rows), names=2)


def _corrected(agreement: Agreement) -> Iterator[Block]:
    if not agreement.corrected:
        return
    header = ("step", "group", "judge", "method", "judged", "corrected", "sensitivity",
              "specificity", "units", "checked")  # fmt: skip
    rows = [
        (row.step, row.group, row.judge, row.method, number(row.judged),
         number(row.value, row.low, row.high), number(row.sensitivity), number(row.specificity),
         str(row.n), str(row.n_calibration))
        for row in agreement.corrected
    ]  # fmt: skip
    notes = dict.fromkeys(
        part if part == INDEPENDENT else f"{row.group} {row.judge}, {row.method}: {part}".strip()
        for row in agreement.corrected
        for part in row.warning.split("; ")
        if part
    )
    yield Block("share of right verdicts, corrected by the human's", header, tuple(rows),
                tuple(notes), names=4)  # fmt: skip


def contested_lines(contested: Contested) -> list[str]:
    """Return a contested case as lines: the case first, then one vote per line, explained."""
    item = f" ({', '.join(filter(None, contested.item))})" if any(contested.item) else ""
    lines = [
        f"{contested.step}, case {contested.case}{item}: disagreement {contested.disagreement:.2f}"
    ]
    for vote in contested.votes:
        verdict = vote.status if vote.status != "done" else str(vote.verdict)
        place = f" #{vote.repeat}" if vote.repeat else ""
        variant = f" [{vote.variant}]" if vote.variant else ""
        words = " ".join((vote.explanation or vote.reason).split())
        lines.append(f"  {vote.judge}{place}{variant}: {verdict}{'. ' + words if words else ''}")
    return lines


def plain(agreement: Agreement) -> dict[str, Any]:
    """Return all tables as plain JSON values."""
    tables: dict[str, Any] = asdict(agreement)
    return tables
