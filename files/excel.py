"""Read and write one sheet of an Excel workbook; a text is never written as a formula."""

import datetime
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from ..errors import DxjudgeError, InputError, MissingExtra, OutputError, UsageError
from .cells import MISSING, cell_text
from .sequences import up_to_last

ZIP = b"PK\x03\x04"
"""The bytes with which a workbook, and every other zip archive, begins."""

_MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 1_048_576, 16_384, 32_767
_LARGEST_EXACT = 2**53
_AT_ONCE = 1_000_000  # bytes
_BOOK = "xl/workbook.xml"
# Excel writes a character that XML cannot hold as _xHHHH_, and puts _x005F_ before a text that
# looks like such an escape.
_UNHOLDABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


class ExcelRows(NamedTuple):
    """A header, rows with as many cells as the header, and the sheet's number of each row."""

    columns: list[str]
    rows: list[list[Any]]
    lines: list[int]


def is_excel(data: bytes) -> bool:
    """Whether these bytes are a workbook, and not some other zip archive."""
    return data.startswith(ZIP) and _BOOK.encode() in data


def is_workbook(file: BinaryIO) -> bool:
    """Whether a file is a workbook, and not some other zip archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _BOOK in archive.namelist()
    except zipfile.BadZipFile:
        return False


def read_excel(data: bytes, name: str, wanted: str | None = None) -> ExcelRows:
    """Return the rows of a sheet, as `stream_excel` reads them."""
    if not data:
        raise InputError(f"{name} is empty")
    columns, numbered = stream_excel(io.BytesIO(data), name, wanted)
    table = ExcelRows(columns, [], [])
    for number, row in numbered:
        table.rows.append(row)
        table.lines.append(number)
    return table


def stream_excel(
    file: BinaryIO, name: str, wanted: str | None = None
) -> tuple[list[str], Iterator[tuple[int, list[Any]]]]:
    """Return the header and the rows of the sheet `wanted`, or of the only one that is not empty.

    The rows come with their numbers, as they are read. Empty rows at the end of the sheet are left
    out. Each cell keeps its type; an empty one is None.

    Raises InputError, naming sheet and cell, for a formula whose value was never computed, and the
    rows raise it for a cell beyond the header; UsageError when it is not certain which sheet is
    meant.
    """
    openpyxl = _openpyxl(name)
    with _reading(name):
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        filled = {
            sheet.title: any(map(_is_filled, sheet.iter_rows(values_only=True)))
            for sheet in book.worksheets
        }
        title = _chosen(filled, wanted, name)
        _refuse_uncomputed(openpyxl, file, title, name)
    place = f"{name}, sheet {title!r}"
    numbered = _numbered(book, title, name)
    header = next((row for _, row in numbered if _is_filled(row)), None)
    if header is None:
        raise InputError(f"{place} is empty")
    width = 1 + max(number for number, cell in enumerate(header) if cell is not None)
    columns = ["" if cell is None else str(_read(cell)) for cell in header[:width]]
    return columns, _body(numbered, width, place)


def _numbered(book: Any, title: str, name: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
    with _reading(name):
        yield from enumerate(book[title].iter_rows(values_only=True), 1)
        book.close()


def _body(
    numbered: Iterator[tuple[int, tuple[Any, ...]]], width: int, place: str
) -> Iterator[tuple[int, list[Any]]]:
    for number, row in up_to_last(numbered, _is_filled):
        if _is_filled(row[width:]):
            raise InputError(
                f"{place}, row {number} has a cell beyond the header; name its column, or remove it"
            )
        yield number, [_read(cell) for cell in [*row[:width], *[None] * (width - len(row))]]


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Raise InputError where a workbook is damaged: the reader can raise any exception."""
    try:
        yield
    except DxjudgeError:
        raise
    except Exception as error:
        raise InputError(f"{name} cannot be read as a spreadsheet: {error}") from error


def _openpyxl(name: str) -> Any:
    try:
        import openpyxl
    except ImportError as fault:
        raise MissingExtra(name, "excel", fault) from fault
    return openpyxl


def _chosen(sheets: dict[str, bool], wanted: str | None, name: str) -> str:
    """Return the wanted title, or the only one of a sheet that is filled."""
    if wanted is not None:
        if wanted not in sheets:
            raise UsageError(f"{name} has no sheet {wanted!r}; its sheets are {', '.join(sheets)}")
        return wanted
    filled = [title for title, is_filled in sheets.items() if is_filled]
    if len(filled) > 1:
        raise UsageError(f"which sheet of {name}? name it with --sheet: {', '.join(filled)}")
    if not filled:
        raise InputError(f"{name} is empty")
    return filled[0]


def _is_filled(row: Iterable[Any]) -> bool:
    return any(cell is not None for cell in row)


def _refuse_uncomputed(openpyxl: Any, file: BinaryIO, title: str, name: str) -> None:
    """Raise InputError for a formula without a value, which would be read as an empty cell."""
    if not _may_hold_formulas(file):
        return
    with_values, with_formulas = (
        openpyxl.load_workbook(file, read_only=True, data_only=values)[title]
        for values in (True, False)
    )
    pairs = zip(with_values.iter_rows(), with_formulas.iter_rows(), strict=True)
    for value_row, formula_row in pairs:
        for value, formula in zip(value_row, formula_row, strict=True):
            if formula.data_type == "f" and value.value is None:
                raise InputError(
                    f"{name}, sheet {title!r}, cell {formula.coordinate}: the value of its formula "
                    "was never computed; open the file in a spreadsheet and save it"
                )


def _may_hold_formulas(file: BinaryIO) -> bool:
    with zipfile.ZipFile(file) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(_holds(archive, name, b"<f") for name in sheets)


def _holds(archive: zipfile.ZipFile, name: str, mark: bytes) -> bool:
    """Whether a file of an archive holds a mark; it is read in parts."""
    end = b""
    with archive.open(name) as file:
        while part := file.read(_AT_ONCE):
            if mark in end + part:
                return True
            end = part[1 - len(mark) :]
    return False


def _read(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), cell) if "_x" in cell else cell


def write_excel(
    file: BinaryIO, columns: Sequence[str], rows: Iterable[Sequence[Any]], name: str
) -> None:
    """Write one sheet; `read_excel` reads the same cells back, but an empty text as None.

    Raises OutputError when the rows or a text are too large for a sheet or a cell.
    """
    openpyxl = _openpyxl(name)
    if len(columns) > _MOST_COLUMNS:
        raise OutputError(
            f"an Excel sheet holds at most {_MOST_COLUMNS:,} columns, and these are "
            f"{len(columns):,}; write CSV"
        )
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")
    sheet.append(
        [_cell(openpyxl.cell.WriteOnlyCell, sheet, column, "the header") for column in columns]
    )
    for number, row in enumerate(rows, 1):
        if number >= _MOST_ROWS:
            raise OutputError(
                f"an Excel sheet holds at most {_MOST_ROWS - 1:,} rows, and these are more; "
                "write CSV"
            )
        sheet.append(
            [_cell(openpyxl.cell.WriteOnlyCell, sheet, cell, f"row {number}") for cell in row]
        )
    content = io.BytesIO()
    book.save(content)
    file.write(content.getvalue())


def _cell(kind: Any, sheet: Any, value: Any, place: str) -> Any:
    """Return a number, truth value or date unchanged, any other value as a text cell."""
    if value is None or value is MISSING or value == "":
        return None
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) <= _LARGEST_EXACT):
        return value
    if isinstance(value, float) and abs(value) < float("inf"):
        return value
    if isinstance(value, (datetime.date, datetime.time)) and getattr(value, "tzinfo", 1) is None:
        return value
    if type(value) is datetime.date:
        return value
    if isinstance(value, float) and value != value:
        return None
    text = cell_text(value)
    if len(text) > _LONGEST_CELL:
        raise OutputError(
            f"{place}: an Excel cell holds at most {_LONGEST_CELL:,} characters, and this text "
            f"has {len(text):,}; write CSV"
        )
    cell = kind(sheet, _UNHOLDABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", text))
    cell.data_type = "s"
    return cell
