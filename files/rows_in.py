"""Read a table of any form from a file or standard input."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import InputError, UsageError
from .bytes import decode, is_marked, read_bytes, unpack
from .cells import MISSING, is_empty
from .delimited import Style, find_delimiter, first_line, line_end_of, parse_delimited, shown
from .excel import is_excel, read_excel
from .file_rows import FileRows
from .forms import Form, InputFormat
from .json_rows import (
    LIST_COLUMN,
    begins_objects,
    is_json_array,
    parse_json,
    parse_json_lines,
)
from .nearest import CLEAR, listed, nearest, no_column
from .parquet import arrow_rows, read_parquet

# Names of columns that hold diagnoses, the clearer ones first.
_TELLING = (
    ("diagnosis", "diagnoses", "dx", "diagnosistext", "finaldiagnosis", "diagnosisname"),
    ("text", "term", "condition", "disease", "problem", "indication", "freetext"),
)


_KINDS: dict[type, str] = {list: "a list", dict: "an object", bytes: "bytes"}
_ANY = Form()


@dataclass(frozen=True)
class Sheet:
    """The columns and rows of a table, unchanged.

    rows: those of a large file are `FileRows`, which are read each time that they are iterated.
    style: how delimited text was written, so that it can be written again in the same way.
    lines: the line of each row in the file, if rows have lines. arrow: the table of a Parquet
    file or a frame, with its types.
    """

    name: str
    format: InputFormat
    columns: list[str]
    rows: Sequence[list[Any]]
    arrow: Any = None
    style: Style = Style()
    lines: Sequence[int] = ()

    def place(self, row: int) -> str:
        """Return the place of a row, whose number counts from 0, for a message."""
        line = f" (line {self.lines[row]})" if self.lines else ""
        return f"{self.name}, row {row + 1}{line}"


def read_sheet(
    source: str, form: Form = _ANY, *, column: str | None = None, list_allowed: bool = True
) -> Sheet:
    """Read a file, or standard input where `source` is "-".

    The format is the one that `form` names, else that of the suffix, else what the content looks
    like. A `column` shows that the file is a table, not a plain list; `list_allowed` says whether
    the caller accepts a plain list.

    Raises InputError, naming file and line, for content that cannot be read or that can be read
    in two ways; UsageError for an option that does not fit the file, or a sheet to be named.
    """
    name = "standard input" if source == "-" else source
    data = sys.stdin.buffer.read() if source == "-" else read_bytes(Path(source))
    return sheet_of(data, name, form, column=column, list_allowed=list_allowed)


def sheet_of(
    data: bytes,
    name: str,
    form: Form = _ANY,
    *,
    column: str | None = None,
    list_allowed: bool = True,
) -> Sheet:
    """Return the table in the content of a file of this name, as `read_sheet` does."""
    data = unpack(data, name)
    kind = form.kind_of(name)
    if kind is None and data.startswith(b"PAR1"):
        kind = "parquet"
    if kind is None and is_excel(data):
        kind = "xlsx"
    if kind == "parquet":
        check_form(form, kind, name)
        table = read_parquet(data, name)
        return Sheet(name, "parquet", list(table.column_names), arrow_rows(table, name), table)
    if kind == "xlsx":
        check_form(form, kind, name)
        excel = read_excel(data, name, form.sheet)
        return Sheet(name, "xlsx", excel.columns, excel.rows, lines=excel.lines)
    text = decode(data, name, form.encoding, hint=hint_of(form))
    if not text.strip("\r\n \ufeff"):
        raise InputError(f"{name} is empty")
    if kind is None:
        kind = "csv" if form.delimiter else looks_like(text, name, column, list_allowed)
    check_form(form, kind, name)
    sheet = _read_text(text, kind, name, form.delimiter)
    style = Style(sheet.style.delimiter, is_marked(data), line_end_of(text))
    return replace(sheet, style=style)


def text_column(sheet: Sheet, wanted: str | None) -> int:
    """Return the place of the diagnosis column: the one wanted, or the only obvious one.

    Raises UsageError, listing the columns, when there is none or more than one.
    """
    columns = sheet.columns
    if wanted is None:
        for names in _TELLING:
            places = [i for i, name in enumerate(columns) if _bare(name) in names]
            if len(places) == 1:
                return places[0]
            if places:
                break
        if len(columns) == 1:
            return 0
        near = _nearest_telling(columns)
        likely = f" (did you mean {near}?)" if near else ""
        raise UsageError(
            f"which column of {sheet.name} holds the diagnoses? name it with --column{likely}; "
            f"there are: {listed(columns)}"
        )
    places = [i for i, name in enumerate(columns) if name == wanted]
    places = places or [i for i, name in enumerate(columns) if _bare(name) == _bare(wanted)]
    if len(places) == 1:
        return places[0]
    if places:
        raise UsageError(
            f"{sheet.name} has {len(places)} columns {wanted!r}; there are: {listed(columns)}"
        )
    raise UsageError(no_column(sheet.name, wanted, columns))


def _nearest_telling(columns: Sequence[str]) -> str:
    telling = [name for names in _TELLING for name in names]
    likely = [name for name in columns if nearest(_bare(name), telling, CLEAR)]
    likely = likely or [name for name in columns if "diagnos" in _bare(normalize("NFKD", name))]
    return likely[0] if len(likely) == 1 else ""


def column_texts(sheet: Sheet, place: int) -> list[str]:
    """Return the cells of a column as text; a missing cell is the empty text.

    Raises InputError, naming the row, for a list, an object or bytes.
    """
    return list(cell_texts(sheet, place))


def cell_texts(sheet: Sheet, place: int) -> Iterator[str]:
    """Yield what `column_texts` returns."""
    cells = sheet.rows.cells(place) if isinstance(sheet.rows, FileRows) else (
        row[place] for row in sheet.rows
    )  # fmt: skip
    for number, cell in enumerate(cells, 1):
        if is_empty(cell):
            cell = ""
        elif isinstance(cell, (list, dict, bytes)):
            raise InputError(
                f"{sheet.name}, row {number}: column {sheet.columns[place]!r} holds "
                f"{_KINDS[type(cell)]}, not text"
            )
        # JSON can hold half a surrogate pair, which cannot be encoded and sent to a model.
        yield str(cell).encode("utf-8", "replace").decode("utf-8")


def _bare(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def hint_of(form: Form) -> str:
    """Return what a user should do where the bytes of a text are not of its encoding."""
    return "" if form.encoding else "if it was saved by a Windows program, add --encoding cp1252"


def check_form(form: Form, kind: str, name: str) -> None:
    """Raise UsageError when the user sets an option that does not apply to the file's format."""
    if form.delimiter is not None and kind not in ("csv", "tsv"):
        raise UsageError(f"--delimiter is for CSV, and {name} is read as {kind}")
    if form.sheet is not None and kind != "xlsx":
        raise UsageError(f"--sheet is for Excel files, and {name} is read as {kind}")
    if form.encoding is not None and kind in ("parquet", "xlsx"):
        raise UsageError(f"--encoding is for text, and {name} is read as {kind}")


def _read_text(text: str, kind: InputFormat, name: str, delimiter: str | None) -> Sheet:
    if kind in ("json", "jsonl"):
        parse = parse_json if kind == "json" else parse_json_lines
        columns, rows, lines = parse(text, name)
        return Sheet(name, kind, columns, rows, lines=lines)
    if kind == "txt":
        texts = re.split(r"\r\n|\n|\r", text.rstrip("\r\n"))
        return Sheet(name, "txt", [LIST_COLUMN], [[line] for line in texts])
    mark = delimiter or tab_of(text, name) if kind == "tsv" else delimiter
    table = parse_delimited(text, name, mark)
    style = Style(table.delimiter)
    return Sheet(name, kind, table.columns, table.rows, style=style, lines=table.lines)


def tab_of(text: str, name: str) -> str:
    """Return the tab. Raises InputError when the header has none and another separator fits."""
    header = first_line(text)
    if "\t" not in header and (mark := find_delimiter(text, name)) in header:
        raise InputError(
            f"{name} is named as tab-separated, but its header has no tab and its cells look "
            f"separated by {shown(mark)}: add --delimiter {shown(mark)}, or, if it has one column, "
            "--delimiter tab"
        )
    return "\t"


def looks_like(text: str, name: str, column: str | None, list_allowed: bool) -> InputFormat:
    """Return the format of a text whose suffix does not name one.

    Raises InputError when the lines can be a table or a list.
    """
    if begins_objects(text) or is_json_array(text):
        return "json"
    first = first_line(text)
    if first.lstrip().startswith("{"):
        return "jsonl"
    header = [cell.strip(' "') for cell in re.split("[,;\t|]", first)]
    is_named = any(_bare(cell) in names for cell in header for names in _TELLING)
    if is_named or column is not None or not list_allowed:
        return "tsv" if "\t" in first and find_delimiter(text, name) == "\t" else "csv"
    if _may_be_table(text):
        raise InputError(
            f"{name} can be a table or a plain list: for a table, add --input-format csv (or tsv) "
            "or name the column with --column; for a list, add --input-format txt"
        )
    return "txt"


def _may_be_table(text: str) -> bool:
    """Whether all lines have one separator equally often, not always followed by a space."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and any(
        lines[0].count(mark)
        and len({line.count(mark) for line in lines}) == 1
        and not all(f"{mark} " in line for line in lines)
        for mark in ",;\t|"
    )


def records(sheet: Sheet) -> list[Mapping[str, Any]]:
    """Return the rows as mappings; leave out absent keys and empty cells of a spreadsheet.

    Empty rows of a spreadsheet are left out. Raises InputError for two columns with the same
    name.
    """
    twice = next((name for name in sheet.columns if sheet.columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{sheet.name} has two columns {twice!r}")
    rows = (
        {
            name: cell
            for name, cell in zip(sheet.columns, row, strict=True)
            if cell is not MISSING and not (cell is None and sheet.format == "xlsx")
        }
        for row in sheet.rows
    )
    return [row for row in rows if row or sheet.format != "xlsx"]
