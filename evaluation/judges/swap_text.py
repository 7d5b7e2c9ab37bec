"""Write the swap report as sentences, small tables, tidy tables and markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from ...files.counted import counted
from ..measures.standings import Gap
from .agreement_text import ACROSS, Block, number
from .errors_in_common import ASSUMES_ERRORS
from .names import renamed, short_names
from .self_preference import ASSUMES
from .swap_rows import (
    Conclusion,
    FamilyRow,
    FlipRate,
    FlipRow,
    JudgeRow,
    LeaveOutRow,
    ScoreRow,
    SharedErrorRow,
    Swap,
    TauRow,
)

FAMILIES = "Advantage that a judge gives its own family"
"""The title of the table of self-preference."""
_LONGEST = 40  # the rows of differences that are printed at most


def swap_tables(swap: Swap) -> dict[str, tuple[tuple[str, ...], list[list[Any]]]]:
    """Return table name -> columns and rows, one row per number."""
    row_types: tuple[tuple[str, type, Sequence[Any]], ...] = (
        ("swap_scores", ScoreRow, swap.scores),
        ("swap_conclusions", Conclusion, swap.conclusions),
        ("swap_tau", TauRow, swap.taus),
        ("swap_leave_one_out", LeaveOutRow, swap.left_out),
        ("swap_flips", FlipRow, swap.flips),
        ("swap_flip_rates", FlipRate, swap.flip_rates),
        ("swap_families", FamilyRow, swap.families),
        ("swap_shared_errors", SharedErrorRow, swap.shared_errors),
        ("swap_judges", JudgeRow, swap.costs),
    )
    tables = {}
    for name, kind, rows in row_types:
        columns = tuple(column.name for column in fields(kind))
        tables[name] = (columns, [[getattr(row, column) for column in columns] for row in rows])
    return tables


def swap_blocks(swap: Swap) -> list[Block]:
    """Return the small tables in reading order; judges have short names."""
    names = short_names(swap.judges)
    swap = replace(
        swap,
        judges=tuple(names[judge] for judge in swap.judges),
        scores=renamed(swap.scores, names),
        taus=renamed(swap.taus, names),
        left_out=renamed(swap.left_out, names),
        families=renamed(swap.families, names),
        costs=renamed(swap.costs, names),
        shared_errors=renamed(swap.shared_errors, names),
        differences=tuple(
            replace(gap, judge=names.get(gap.judge, gap.judge)) for gap in swap.differences
        ),
    )
    return [
        *_scores(swap), *_differences(swap), *_taus(swap), *_changes(swap), *_flips(swap),
        *_families(swap), *_shared(swap), *_judges(swap),
    ]  # fmt: skip


def _scores(swap: Swap) -> Iterator[Block]:
    row_of = {(row.metric, row.judge, row.model): row for row in swap.scores}
    fewer = any(row.failed for row in swap.scores)
    notes = ("#: the rank, over the cases that all models resolved",) if fewer else ()
    for metric, title in swap.titles.items():
        for start in range(0, len(swap.models), ACROSS):
            models = swap.models[start : start + ACROSS]
            rows = []
            for judge in swap.judges:
                cells = [row_of.get((metric, judge, model)) for model in models]
                rows.append((judge, *("-" if one is None else _score(one) for one in cells)))
            yield Block(f"{title}: score and rank by judge", ("judge", *models), tuple(rows), notes)


def _score(row: ScoreRow) -> str:
    place = f" #{row.rank}" if row.rank else ""
    failed = f", {row.failed} failed" if row.failed else ""
    return f"{_reasoned(row.value, row)}{place}{failed}"


def _reasoned(value: float, row: Any) -> str:
    """Return a number with its limits, or with the reason why it has none."""
    known = row.low == row.low or value != value
    return number(value, row.low, row.high) + (f" ({row.warning})" if not known else "")


def _differences(swap: Swap) -> Iterator[Block]:
    gaps = [gap for gap in swap.differences if gap.p_value == gap.p_value]
    unsure = [gap for gap in swap.differences if gap.p_value != gap.p_value]
    if not swap.differences:
        return
    shown = sorted(gaps, key=lambda gap: gap.p_value)[:_LONGEST] if len(gaps) > _LONGEST else gaps
    rows = [
        (swap.titles[gap.metric], gap.judge, f"{gap.first} - {gap.second}",
         number(gap.value, gap.low, gap.high), number(gap.p_value), number(gap.p_holm),
         number(gap.p_bh))
        for gap in (*shown, *unsure[: _LONGEST - len(shown)])
    ]  # fmt: skip
    notes = _corrected_together(gaps)
    for warning, count in Counter(gap.warning for gap in unsure).items():
        notes.append(f"{counted(count, 'difference')} without interval and p-value: {warning}")
    if len(shown) < len(gaps):
        notes.append(f"the {len(shown)} smallest of {len(gaps):,} p-values are shown; "
                     "differences.csv has all")  # fmt: skip
    header = ("metric", "judge", "models", "difference", "p", "Holm", "BH")
    yield Block("Differences of two models by judge", header, tuple(rows), tuple(notes), names=3)


def _corrected_together(gaps: Sequence[Gap]) -> list[str]:
    sizes = sorted({gap.tests for gap in gaps})
    if not sizes:
        return []
    together = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return [f"Holm and BH (Benjamini and Hochberg) correct together the p-values of all pairs of "
            f"models under one metric and one judge ({together})"]  # fmt: skip


def _taus(swap: Swap) -> Iterator[Block]:
    if swap.taus:
        rows = [(swap.titles[row.metric], f"{row.first} / {row.second}",
                 _reasoned(row.tau, row)) for row in swap.taus]  # fmt: skip
        yield Block("Kendall's tau between the rankings of two judges",
                    ("metric", "judges", "tau"), tuple(rows), names=2)  # fmt: skip


def _changes(swap: Swap) -> Iterator[Block]:
    rows = [
        (swap.titles[row.metric], row.left_out, row.model, number(row.all_judges),
         _reasoned(row.change, row),
         f"{row.rank_all or '-'} > {row.rank_without or '-'}")
        for row in swap.left_out
    ]  # fmt: skip
    header = ("metric", "left out", "model", "mean over judges", "change", "rank")
    yield Block("Leave one judge out", header, tuple(rows), names=3)


def _flips(swap: Swap) -> Iterator[Block]:
    rows = [(swap.titles[row.metric], row.kind, _reasoned(row.share, row), str(row.n))
            for row in swap.flip_rates]  # fmt: skip
    header = ("metric", "what differs between judges", "share", "cases")
    yield Block("What a swap of the judge changes case by case", header, tuple(rows), names=2)


def _families(swap: Swap) -> Iterator[Block]:
    rows = [
        (swap.titles[row.metric], row.judge, row.family, row.own,
         number(row.advantage, row.low, row.high), number(row.raw))
        for row in swap.families
    ]  # fmt: skip
    notes = tuple(dict.fromkeys(f"{r.judge}: {r.warning}" for r in swap.families if r.warning))
    if rows:
        header = ("metric", "judge", "family", "models of its family", "advantage", "unscaled")
        yield Block(FAMILIES, header, tuple(rows), (*notes, ASSUMES), names=4)


def _shared(swap: Swap) -> Iterator[Block]:
    rows = [
        (swap.titles[row.metric], f"{row.first} / {row.second}",
         number(row.correlation, row.low, row.high), number(row.p_value),
         "yes" if row.shared else "no")
        for row in swap.shared_errors
        if row.p_value is not None
    ]  # fmt: skip
    if rows:
        header = ("metric", "judges", "correlation of errors", "p", "same errors")
        notes = dict.fromkeys(row.warning for row in swap.shared_errors if row.warning)
        yield Block("Do judges make the same errors?", header, tuple(rows),
                    (*notes, ASSUMES_ERRORS), names=2)  # fmt: skip


def _judges(swap: Swap) -> Iterator[Block]:
    rows = [
        (row.judge, str(row.verdicts), str(row.abstained), str(row.failed),
         number(row.failure_rate, row.low, row.high), str(row.calls),
         "unknown" if row.cost is None else f"{row.cost:.4f}")
        for row in swap.costs
    ]  # fmt: skip
    header = ("judge", "verdicts", "abstained", "failed", "failure rate", "calls", "US dollars")
    yield Block("Cost and failures", header, tuple(rows),
                ("extractions are left out: one judge does them for all",))  # fmt: skip


def no_family(swap: Swap) -> str:
    """Return a sentence if no judge is of the family of a model, else ""."""
    if swap.families:
        return ""
    return "by their names, no judge is of the family of a model under test"


def swap_markdown(swap: Swap, signature: str) -> str:
    """Return the whole report as markdown."""
    lines = [
        f"# {counted(len(swap.models), 'model')} under {counted(len(swap.judges), 'judge')}",
        "",
        f"Signature {signature}. Intervals resample cases, the same for all judges and models.",
        "",
        "## Conclusions",
        "",
        *(f"- {_safe(one.sentence)}" for one in swap.conclusions),
    ]
    if no_family(swap):
        lines += ["", f"Self-preference: {no_family(swap)}."]
    for block in swap_blocks(swap):
        lines += ["", f"## {_safe(block.title)}", "", _row(block.header)]
        lines.append(_row(["---"] * len(block.header)))
        lines += [_row(row) for row in block.rows]
        lines += [f"\n{_safe(note)}" for note in block.notes]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_safe(cell) for cell in cells)} |"


def _safe(text: str) -> str:
    """Escape text, so that it contains no markup and does not end a table cell."""
    flat = " ".join(text.split())
    for mark in ("\\", "|", "<", "*", "_", "`", "["):
        flat = flat.replace(mark, f"\\{mark}")
    return flat
