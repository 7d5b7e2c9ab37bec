"""Change single rows of a canonical table's file, and leave every other row as its bytes stand.

A table of 100,000 rows takes seconds to write anew. Here the lines of the file are kept, and only
those of changed rows are written again.
"""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError
from ..files.bytes import decode, is_marked, read_bytes, writing
from ..files.delimited import Style, line_end_of, parse_delimited
from ..files.forms import format_of
from ..files.rows_in import Sheet
from .table_file import guarded, read_cells, unguarded, write_cells
from .table_row import COLUMNS

Stamp = tuple[int, int, int]
"""What tells one content of a file from another: its time of change, its size and its number."""


@dataclass(frozen=True)
class EditedFile:
    """The content of a table's file at one moment.

    columns: of the file, those of `COLUMNS` in lower case, then those of `COLUMNS` that it lacks.
    rows: the cells, as wide as `columns`. pieces: the header's line and each row's lines; None for
    an Excel file and where columns are missing, which is written anew. stamp: of the file.
    """

    path: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    style: Style | None
    pieces: list[str] | None
    stamp: Stamp

    def cells(self, number: int) -> dict[str, str]:
        """Return the cells of a row by column."""
        return dict(zip(self.columns, self.rows[number], strict=True))

    def place(self, number: int) -> str:
        """Return the place of a row, for a message."""
        return f"{self.path}, row {number + 1}"


def stamp_of(path: Path) -> Stamp:
    """Return the stamp of a file. Raises InputError where there is none."""
    try:
        status = path.stat()
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}") from fault
    return status.st_mtime_ns, status.st_size, status.st_ino


def open_edited(path: Path) -> EditedFile:
    """Read the file. Raises InputError for one that is empty or cannot be read as a table."""
    stamp = stamp_of(path)
    if path.suffix.lower() == ".gz":
        raise InputError(f"{path} is compressed: unpack it, so that its rows can be changed")
    if format_of(str(path)) == "xlsx":
        sheet, pieces = read_cells(path), None
        if sheet is None:
            raise InputError(f"{path} is empty")
    else:
        sheet, pieces = _read_text(path)
    folded = [name.strip().lower() for name in sheet.columns]
    names = [
        ours if ours in COLUMNS else own for ours, own in zip(folded, sheet.columns, strict=True)
    ]
    for needed in ("text", "code"):
        if needed not in names:
            raise InputError(f"{path} needs a column {needed!r}; it has {', '.join(names)}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{path} has two columns {twice!r}")
    missing = [name for name in COLUMNS if name not in names]
    rows = [[*row, *[""] * len(missing)] for row in sheet.rows]
    style = sheet.style if sheet.format != "xlsx" else None
    columns = (*names, *missing)
    return EditedFile(path, columns, rows, style, None if missing else pieces, stamp)


def _read_text(path: Path) -> tuple[Sheet, list[str]]:
    data = read_bytes(path)
    text = decode(data, str(path), hint="save it as UTF-8 (in a spreadsheet: CSV UTF-8)")
    table = parse_delimited(text, str(path))
    style = Style(table.delimiter, is_marked(data), line_end_of(text))
    lines = list(io.StringIO(text, newline=""))  # as the csv module counts lines
    ends = [*(line - 1 for line in table.lines), len(lines)]
    pieces = ["".join(lines[: ends[0]])]
    # Nearly every row is one line.
    pieces += [
        lines[first] if last == first + 1 else "".join(lines[first:last])
        for first, last in zip(ends, ends[1:], strict=False)
    ]
    if "'" in text:
        table = table._replace(rows=[[unguarded(cell) for cell in row] for row in table.rows])
    return Sheet(str(path), "csv", table.columns, table.rows, style=style), pieces


def write_edited(file: EditedFile, changes: Mapping[int, Sequence[str]]) -> EditedFile:
    """Replace the file by one with these rows changed, and return its content.

    changes: for each number of a row all its cells. Raises OutputError where it cannot be written;
    then the file is as it was.
    """
    rows = list(file.rows)
    for number, row in changes.items():
        rows[number] = list(row)
    if file.pieces is None:
        write_cells(file.path, file.columns, rows, file.style)
        return open_edited(file.path)
    style = file.style or Style()
    pieces = list(file.pieces)
    for number, row in changes.items():
        pieces[number + 1] = _line(row, style)
        if not pieces[number].endswith(("\n", "\r")):
            pieces[number] += style.line_end
    is_csv = format_of(str(file.path)) == "csv"
    mark = "\ufeff" if style.mark or is_csv else ""
    data = (mark + "".join(pieces)).encode("utf-8", errors="backslashreplace")
    with writing(file.path) as target:
        target.write(data)
        target.flush()
        # Before the file takes its place: what others write after that has another stamp.
        status = os.fstat(target.fileno())
    stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
    style = style._replace(mark=bool(mark))
    return replace(file, rows=rows, pieces=pieces, style=style, stamp=stamp)


def _line(cells: Sequence[str], style: Style) -> str:
    """Return a row as the file holds it; a cell with any line end is quoted."""
    text = io.StringIO(newline="")
    row = [guarded(cell) for cell in cells]
    quoting = csv.QUOTE_ALL if any("\n" in cell or "\r" in cell for cell in row) else 0
    form = {"delimiter": style.delimiter, "lineterminator": style.line_end}
    csv.writer(text, **form, quoting=quoting).writerow(row)  # type: ignore[arg-type]
    return text.getvalue()
