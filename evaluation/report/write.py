"""Writes the folder of an evaluation: tables, records, signature, figures and report."""

import json
from pathlib import Path

from ...errors import OutputError
from ...files.bytes import writing
from ...files.delimited import Style, write_delimited
from ..judges.swap_text import swap_markdown
from ..pages.progress import end_progress, progress_kept
from ..records import OUTCOMES, OVERVIEW, SIGNATURE, outcome_lines, write_inputs
from ..result import Evaluation
from .html import write_report
from .latex import all_latex
from .paper_tables import paper_views
from .paper_text import paper_latex
from .table import Table, plain_cells
from .tables import all_tables

_WRITING = "tables, figures and report"


def write_everything(
    evaluation: Evaluation, folder: Path, *, shown: int, stress: Path | None = None
) -> None:
    """Write tables as CSV and LaTeX, the records, the signature, the report and the figures.

    The data of the front page is written last: a folder without it is not finished.

    shown: the largest number of cases in the report. stress: the trials of `dxjudge stress`.
    Raises OutputError.
    """
    make_folder(folder)
    with progress_kept(folder, None, goes_on=True) as noted:
        noted(_WRITING, 0, 1)
        (folder / OVERVIEW).unlink(missing_ok=True)
        _write(evaluation, folder, shown, stress)
    end_progress(folder)


def _write(evaluation: Evaluation, folder: Path, shown: int, stress: Path | None) -> None:
    write_tables(evaluation, folder)
    papers = paper_latex(paper_views(evaluation), evaluation)
    for name, text in {**all_latex(evaluation), **papers}.items():
        write_text(folder / f"{name}.tex", text)
    if evaluation.swap is not None:
        write_text(folder / "swap.md", swap_markdown(evaluation.swap, evaluation.signature["id"]))
    write_report(evaluation, folder, shown=shown, stress=stress)


def write_tables(evaluation: Evaluation, folder: Path) -> None:
    """Write the tables as CSV, the records, and last the signature. Raises OutputError."""
    make_folder(folder)
    for table in all_tables(evaluation):
        write_table_file(table, folder)
    write_inputs(evaluation.judged, folder)
    write_text(folder / OUTCOMES, "".join(f"{line}\n" for line in outcome_lines(evaluation.judged)))
    signature = json.dumps(evaluation.signature, indent=2, ensure_ascii=False, default=str)
    write_text(folder / SIGNATURE, signature + "\n")


def write_table_file(table: Table, folder: Path) -> Path:
    """Write a table as CSV, and return the path of the file."""
    path = folder / f"{table.name}.csv"
    with writing(path) as file:
        rows = (plain_cells(row) for row in table.rows)
        write_delimited(file, list(table.columns), rows, Style())
    return path


def write_text(path: Path, text: str) -> None:
    """Write a text file; a file of that name is replaced."""
    with writing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def make_folder(folder: Path) -> None:
    """Make the output folder. Raises OutputError where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder}: {fault.strerror}") from fault
