"""What `dxjudge evaluate` prints at its end: the scores, and what to know of them."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...evaluation.judges.names import short_names
from ...evaluation.presets import title_of
from ...evaluation.report.latex import caption_of, main_rows
from ...evaluation.report.main_table import failed_note
from ...evaluation.report.paper_tables import paper_views
from ...evaluation.report.paper_text import paper_text
from ...evaluation.report.rank_table import rank_notes
from ...evaluation.result import Evaluation
from ...files.counted import counted
from .printing import print_lines, print_table

_NO_INTERVAL = re.compile(r" \(((?:[^()]|\([^()]*\))*)\)")
_NOTHING = "would be the same."  # how a note ends that says of no rank that it could change


def print_tables(evaluation: Evaluation) -> None:
    """Print the main table with short names of judges, and the tables of the paper, if any."""
    header, rows = main_rows(evaluation)
    names = header.index("Model") + 1
    short = short_names(evaluation.judged.judges)
    rows = [[*(short.get(name, name) for name in row[:names]), *row[names:]] for row in rows]
    rows, reasons = _marked(rows, names)
    print_lines([title_of(evaluation.settings)])
    print_table(header, rows, names=names)
    print_lines([f"[-]: {reason}" for reason in reasons])
    if names > 1:
        print_lines(_whole_names(short))
    print_lines([caption_of(evaluation)])
    _print_paper(evaluation)


def _marked(rows: Sequence[Sequence[str]], names: int) -> tuple[list[list[str]], list[str]]:
    """Put a mark where the reason for no interval stands; return the reasons too, each once."""
    reasons: dict[str, None] = {}

    def mark(found: re.Match[str]) -> str:
        reasons[found[1]] = None
        return " [-]"

    marked = [[*row[:names], *(_NO_INTERVAL.sub(mark, cell) for cell in row[names:])]
              for row in rows]  # fmt: skip
    return marked, sorted(reasons)


def _whole_names(short: Mapping[str, str]) -> Iterator[str]:
    changed = [f"{name} is {label}" for label, name in short.items() if name != label]
    if changed:
        yield f"Judges: {', '.join(changed)}."


def _print_paper(evaluation: Evaluation) -> None:
    for view in paper_views(evaluation):
        text = paper_text(view, evaluation)
        print()
        print_lines([text.title])
        if text.has_number:
            print_table(text.header, text.rows)
        print_lines([" ".join(text.notes)])


def say_notes(evaluation: Evaluation, folder: Path) -> None:
    """Say what failed, what is left out, which ranks could change, and where the report is."""
    short = short_names(evaluation.judged.judges)
    for note in filter(None, (failed_note(evaluation, short), *evaluation.notes)):
        remark(note)
    for note in _rank_notes(evaluation, short):
        remark(note)
    for entry in evaluation.left_out:
        remark(f"left out: {entry.task}: {entry.reason}")
    for entry in evaluation.skipped:
        remark(f"skipped: {entry.task}: {entry.reason}")
    failures = evaluation.failures
    if set(failures) == {"unresolved"}:  # every judge has answered, and a jury has not decided
        remark(f"without a verdict: {failures['unresolved']:,} (verdicts.csv says why)")
    elif failures:
        listed = ", ".join(f"{name} {count:,}" for name, count in failures.items())
        remark(f"failed: {listed} (verdicts.csv says why)")
    remark(f"report: {folder / 'report.html'}")


def _rank_notes(evaluation: Evaluation, short: Mapping[str, str]) -> Iterator[str]:
    """The notes on ranks that could change; the others, which say that none would, are counted."""
    notes = rank_notes(evaluation, short)
    changing = [note for note in notes if not note.endswith(_NOTHING)]
    yield from changing
    if others := len(notes) - len(changing):
        yield (
            f"{counted(others, 'further ranking')} left out unresolved cases, which could not "
            "change the order (ranks.csv)"
        )


def remark(text: str) -> None:
    """Print a sentence on standard error."""
    print(f"dxjudge: {text}", file=sys.stderr)
