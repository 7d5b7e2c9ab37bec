"""Run `dxjudge curate dedupe`: read cases, compare them, write those that stay."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...curation.duplicates import Thresholds, duplicate_rows, find_duplicates, find_links
from ...curation.write import write_rows
from ...errors import InputError, UsageError
from ...files.bytes import check_writable
from ...files.cells import cell_text, is_empty
from ...files.forms import Form, output_format
from ...files.nearest import no_column
from ...files.rows_in import Sheet, column_texts, read_sheet
from ...files.rows_out import write_table
from ...ontology.search.encode import open_encoder
from ..terminal.facts import Fact, check_output, tell
from .options import Printing

COLUMNS = ("case", "question", "report", "text")


def run_dedupe(
    source: str,
    output: str,
    *,
    column: str | None,
    codes: str | None,
    encoder: str | None,
    thresholds: Thresholds,
    duplicates: str | None,
    form: Form,
    printing: Printing,
) -> None:
    """Run the command."""
    check_output(output, as_json=printing.as_json)
    sheet = read_sheet(source, form, list_allowed=False)
    texts = column_texts(sheet, _place(sheet, column))
    kind = output_format(output, None, sheet.format)
    if duplicates is not None:
        check_writable(Path(duplicates))
    vectors = open_encoder(encoder).encode(texts) if encoder is not None else None
    links = find_links(texts, thresholds, _codes(sheet, codes) if codes else None, vectors)
    left_out = find_duplicates(texts, links)
    names = _names(sheet)
    if duplicates is not None:
        write_rows(Path(duplicates), duplicate_rows(left_out, names))
    numbers = {duplicate.number for duplicate in left_out}
    kept = [number for number in range(len(texts)) if number not in numbers]
    write_table(output, kind, _only(sheet, kept))
    why = Counter(duplicate.link.how for duplicate in left_out)
    reasons = ", ".join(f"{how} {count:,}" for how, count in sorted(why.items()))
    fact = Fact(
        f"{len(texts):,} cases: {len(kept):,} stay, {len(left_out):,} are left out"
        f"{f' ({reasons})' if reasons else ''}",
        {"cases": len(texts), "kept": len(kept), "left_out": len(left_out), "reasons": why},
    )
    tell([fact], as_json=printing.as_json, quiet=printing.quiet)


def _place(sheet: Sheet, column: str | None) -> int:
    if column is not None and column not in sheet.columns:
        raise UsageError(no_column(sheet.name, column, sheet.columns))
    named = [name for name in (COLUMNS if column is None else (column,)) if name in sheet.columns]
    if not named:
        raise InputError(f"{sheet.name} has no column {', '.join(COLUMNS)}; name one with --column")
    return sheet.columns.index(named[0])


def _codes(sheet: Sheet, column: str) -> list[frozenset[str]]:
    if column not in sheet.columns:
        raise UsageError(no_column(sheet.name, column, sheet.columns))
    place = sheet.columns.index(column)
    return [frozenset(_listed(row[place])) for row in sheet.rows]


def _listed(cell: Any) -> list[str]:
    if is_empty(cell):
        return []
    entries = cell if isinstance(cell, list | tuple) else cell_text(cell).split(";")
    return [text for entry in entries if (text := str(entry).strip())]


def _names(sheet: Sheet) -> list[str]:
    if "id" in sheet.columns:
        return column_texts(sheet, sheet.columns.index("id"))
    return [str(number) for number in range(1, len(sheet.rows) + 1)]


def _only(sheet: Sheet, kept: Sequence[int]) -> Sheet:
    """Return the table with these rows."""
    return replace(
        sheet,
        rows=[sheet.rows[number] for number in kept],
        lines=[sheet.lines[number] for number in kept] if sheet.lines else (),
        arrow=sheet.arrow.take(kept) if sheet.arrow is not None else None,
    )
