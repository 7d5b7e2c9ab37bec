"""Read and write one sheet of an Excel workbook; a text is never written as a formula."""

import datetime
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError, MissingExtra, OutputError, UsageError
from .cells import MISSING, cell_text

_MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 1_048_576, 16_384, 32_767
_LARGEST_EXACT = 2**53
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
    return data.startswith(b"PK\x03\x04") and b"xl/workbook.xml" in data


def read_excel(data: bytes, name: str, wanted: str | None = None) -> ExcelRows:
    """Return the rows of the sheet `wanted`, or of the only sheet that is not empty.

    Empty rows at the end of the sheet are left out. Each cell keeps its type; an empty one is
    None.

    Raises InputError, naming sheet and cell, for a formula whose value was never computed and
    for a cell beyond the header; UsageError when it is not certain which sheet is meant.
    """
    openpyxl = _openpyxl(name)
    if not data:
        raise InputError(f"{name} is empty")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
        book.close()
    except Exception as error:  # a damaged file can raise any exception in the reader
        raise InputError(f"{name} cannot be read as a spreadsheet: {error}") from error
    title = _chosen(sheets, wanted, name)
    _refuse_uncomputed(openpyxl, data, title, name)
    return _rows(sheets[title], f"{name}, sheet {title!r}")


def _openpyxl(name: str) -> Any:
    try:
        import openpyxl
    except ImportError as fault:
        raise MissingExtra(name, "excel", fault) from fault
    return openpyxl


def _chosen(sheets: dict[str, list[tuple[Any, ...]]], wanted: str | None, name: str) -> str:
    if wanted is not None:
        if wanted not in sheets:
            raise UsageError(f"{name} has no sheet {wanted!r}; its sheets are {', '.join(sheets)}")
        return wanted
    filled = [title for title, rows in sheets.items() if any(map(_is_filled, rows))]
    if len(filled) > 1:
        raise UsageError(f"which sheet of {name}? name it with --sheet: {', '.join(filled)}")
    if not filled:
        raise InputError(f"{name} is empty")
    return filled[0]


def _is_filled(row: Iterable[Any]) -> bool:
    return any(cell is not None for cell in row)


def _refuse_uncomputed(openpyxl: Any, data: bytes, title: str, name: str) -> None:
    """Raise InputError for a formula without a value, which would be read as an empty cell."""
    if not _may_hold_formulas(data):
        return
    with_values, with_formulas = (
        openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)[title]
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


def _may_hold_formulas(data: bytes) -> bool:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(b"<f" in archive.read(name) for name in sheets)


def _rows(cells: Sequence[tuple[Any, ...]], name: str) -> ExcelRows:
    numbered = [(number, list(row)) for number, row in enumerate(cells, 1)]
    header = next(place for place, (_, row) in enumerate(numbered) if _is_filled(row))
    body = numbered[header + 1 :]
    while body and not _is_filled(body[-1][1]):
        body.pop()
    places = [place for place, cell in enumerate(numbered[header][1]) if cell is not None]
    width = places[-1] + 1
    columns = ["" if cell is None else _read(cell) for cell in numbered[header][1][:width]]
    for number, row in body:
        if _is_filled(row[width:]):
            raise InputError(
                f"{name}, row {number} has a cell beyond the header; name its column, or remove it"
            )
    body = [(number, row[:width]) for number, row in body]
    return ExcelRows(
        list(map(str, columns)),
        [[_read(cell) for cell in [*row, *[None] * (width - len(row))]] for _, row in body],
        [number for number, _ in body],
    )


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
