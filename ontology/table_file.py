"""Read and write the file of a canonical table: TSV, CSV or Excel, all cells as text.

A spreadsheet reads a cell of a text file as a formula where it begins with =, +, - or @. Such a
cell is written with an apostrophe before it; the apostrophe is removed when the table is read.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..files.bytes import decode, is_marked, read_bytes, writing
from ..files.cells import cell_text
from ..files.delimited import Style, line_end_of, parse_delimited
from ..files.forms import format_of
from ..files.rows_in import Sheet, read_sheet
from ..files.rows_out import write_sheet

_GUARDED_SIGNS = frozenset("'=+-@\t\r")
_LIKE_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def read_cells(path: Path) -> Sheet | None:
    """Return the columns and rows of a table's file, as text; None where there is no file yet.

    Raises InputError, which names the file and, where known, the line, for an unreadable file.
    """
    data = read_bytes(path) if path.exists() else b""
    if not data.strip():
        return None
    if format_of(str(path)) == "xlsx":
        sheet = read_sheet(str(path))
        return replace(sheet, rows=[[cell_text(cell) for cell in row] for row in sheet.rows])
    text = decode(data, str(path), hint="save it as UTF-8 (in a spreadsheet: CSV UTF-8)")
    table = parse_delimited(text, str(path))
    style = Style(table.delimiter, is_marked(data), line_end_of(text))
    rows = [[unguarded(cell) for cell in row] for row in table.rows] if "'" in text else table.rows
    return Sheet(str(path), "csv", table.columns, rows, style=style, lines=table.lines)


def write_cells(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]], style: Style | None
) -> None:
    """Write a table's file in its old style; a CSV file always gets a byte order mark.

    Raises OutputError where it cannot be written.
    """
    is_excel = format_of(str(path)) == "xlsx"
    is_csv = format_of(str(path)) == "csv"
    style = style or Style("," if is_csv else "\t")
    style = style._replace(mark=style.mark or is_csv)
    cells = [list(row) if is_excel else list(map(guarded, row)) for row in rows]
    with writing(path) as file:
        sheet = Sheet(str(path), "csv", list(columns), cells, style=style)
        write_sheet(file, "xlsx" if is_excel else "csv", sheet, {})


def guarded(cell: str) -> str:
    """Return a cell as a text file holds it: an apostrophe before what looks like a formula."""
    # Most cells begin with another sign, and a table has millions of cells.
    return f"'{cell}" if cell[:1] in _GUARDED_SIGNS and _LIKE_FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return the cell that `guarded` wrote."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell
