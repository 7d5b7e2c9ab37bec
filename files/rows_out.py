"""Write a table of any form, with the input's columns and added columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from ..errors import OutputError
from .bytes import writing_to
from .cells import cell_text
from .content import Tell
from .delimited import Style, write_delimited
from .excel import write_excel
from .file_rows import FileRows
from .forms import OutputFormat
from .json_rows import write_json
from .parquet import arrow_table, with_columns, write_parquet
from .rows_in import Sheet
from .sequences import read_by_row

Added = Mapping[str, Sequence[Any]]
"""Column name -> one value a row; a value is a text, a number, None, or a list of objects."""


def added_names(sheet: Sheet, names: Sequence[str]) -> dict[str, str]:
    """Return wanted name -> a name that no column of the input has."""
    taken = set(sheet.columns)
    free = {}
    for name in names:
        own, count = name, 1
        while own in taken:
            own = f"{name}_dxjudge" if count == 1 else f"{name}_dxjudge{count}"
            count += 1
        taken.add(own)
        free[name] = own
    return free


def check_columns(sheet: Sheet, format: OutputFormat) -> None:
    """Raise OutputError when the format cannot hold the input's columns."""
    twice = next((name for name in sheet.columns if sheet.columns.count(name) > 1), None)
    if twice is not None and format in ("json", "jsonl", "parquet"):
        raise OutputError(
            f"{sheet.name} has two columns {twice!r}, which {format} cannot hold; "
            "rename one, or write CSV or TSV"
        )


def write_columns(output: str, format: OutputFormat, columns: Added) -> None:
    """Write a table of these columns, without an input table."""
    rows: list[list[Any]] = [[]] * len(next(iter(columns.values()), ()))
    write_table(output, format, Sheet(output, "csv", [], rows), columns)


def write_table(
    output: str, format: OutputFormat, sheet: Sheet, added: Added | None = None
) -> None:
    """Write a table to a file, which it replaces, or to standard output if `output` is "-"."""
    with writing_to(output) as file:
        write_sheet(file, format, sheet, added or {})


def write_sheet(
    file: BinaryIO,
    format: OutputFormat,
    sheet: Sheet,
    added: Added,
    tell: Tell | None = None,
) -> None:
    """Write the input's rows in their order, each with its added values.

    Delimited text keeps the byte order mark and the line ends with which it was read, and, when
    the format is the same, its separator. Every added column must have a value for each row.
    tell: follows the readings of a large input.
    """
    if isinstance(sheet.rows, FileRows):
        sheet.rows.content.tell = tell
    if any(len(cells) != len(sheet.rows) for cells in added.values()):
        raise ValueError("an added column has more or fewer values than there are rows")
    if format in ("json", "jsonl"):
        write_json(file, sheet.columns, sheet.rows, added, array=format == "json")
        return
    if format == "parquet":
        write_parquet(file, _tables(sheet, added))
        return
    columns = [*sheet.columns, *added]
    more = zip(*added.values(), strict=True) if added else ((),) * len(sheet.rows)
    rows = ((*row, *values) for row, values in zip(sheet.rows, more, strict=True))
    if format == "xlsx":
        write_excel(file, columns, rows, sheet.name)
        return
    mark = sheet.style.delimiter if format == sheet.format else "," if format == "csv" else "\t"
    texts = ([cell if type(cell) is str else cell_text(cell) for cell in row] for row in rows)
    write_delimited(file, columns, texts, Style(mark, *sheet.style[1:]))


def _tables(sheet: Sheet, added: Added) -> Iterator[Any]:
    """Yield the rows of a sheet with added columns as Arrow tables, at least one."""
    if not isinstance(sheet.rows, FileRows):
        table = arrow_table(sheet.columns, sheet.rows) if sheet.arrow is None else sheet.arrow
        yield with_columns(table, read_by_row(added))
        return
    first = 0
    for table in sheet.rows.tables(sheet.columns):
        end = first + table.num_rows
        yield with_columns(table, {name: cells[first:end] for name, cells in added.items()})
        first = end
