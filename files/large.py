"""Open a large table without holding its rows in memory: CSV, TSV, a plain list, and Parquet."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .bytes import encoding_of, is_marked, opened, text_lines
from .delimited import Style, find_delimiter, line_end_of, stream_delimited
from .excel import is_excel
from .file_rows import FileRows, ParquetRows
from .forms import Form
from .json_rows import LIST_COLUMN
from .parquet import parquet_columns
from .rows_in import Sheet, check_form, hint_of, looks_like, read_sheet, tab_of

LARGE = 64_000_000
"""From so many bytes on, the rows of a file are not held in memory."""

_LARGE_PACKED = LARGE // 16  # of a packed file or of Parquet, in which a row may take a few bytes
_HEAD = 8_000_000  # bytes from which separator, line ends and form are found


def open_sheet(source: str, form: Form, *, column: str | None = None) -> Sheet:
    """Read a table as `read_sheet` does; the rows of a large file are `FileRows`.

    Those are of CSV, TSV, plain lists and Parquet. Standard input and other forms are read whole.
    """
    path = Path(source)
    if source == "-" or not _is_large(path, form):
        return read_sheet(source, form, column=column)
    with opened(path) as file:
        head = file.read(_HEAD)
    kind = form.kind_of(source)
    if kind == "parquet" or (kind is None and head.startswith(b"PAR1")):
        check_form(form, "parquet", source)
        return Sheet(source, "parquet", parquet_columns(path), ParquetRows(path))
    if kind in ("xlsx", "json", "jsonl") or is_excel(head):
        return read_sheet(source, form, column=column)
    return _text(path, head, form, column) or read_sheet(source, form, column=column)


def _is_large(path: Path, form: Form) -> bool:
    try:
        size = path.stat().st_size
    except OSError:
        return False  # `read_sheet` says why it cannot be read
    is_packed = path.suffix.lower() == ".gz" or form.kind_of(str(path)) == "parquet"
    return size > (_LARGE_PACKED if is_packed else LARGE)


def _text(path: Path, head: bytes, form: Form, column: str | None) -> Sheet | None:
    """Return the sheet of delimited text or a plain list; None for another form."""
    name = str(path)
    encoding, hint = form.encoding or encoding_of(head, name), hint_of(form)

    def lines() -> Iterator[str]:
        return text_lines(path, encoding, hint=hint)

    first = _first(lines())
    kind = form.kind_of(name) or (
        "csv" if form.delimiter else looks_like(first, name, column, list_allowed=True)
    )
    style = Style(",", is_marked(head), line_end_of(first))
    if kind == "txt":
        check_form(form, kind, name)
        return Sheet(
            name, kind, [LIST_COLUMN], FileRows(path, lambda: _of_list(lines())), style=style
        )
    if kind not in ("csv", "tsv"):
        return None
    mark = form.delimiter or (tab_of if kind == "tsv" else find_delimiter)(first, name)
    columns, _ = stream_delimited(lines(), name, mark)

    def rows() -> Iterator[list[Any]]:
        _, numbered = stream_delimited(lines(), name, mark)
        return (cells for _, cells in numbered)

    style = style._replace(delimiter=mark)
    return Sheet(name, kind, columns, FileRows(path, rows), style=style)


def _first(lines: Iterator[str]) -> str:
    """Return the first lines of a text, whole ones."""
    some: list[str] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if size > _HEAD:
            break
    return "".join(some)


def _of_list(lines: Iterator[str]) -> Iterator[list[Any]]:
    """Yield the row of each line; blank lines at the end are no rows."""
    blank = 0
    for line in lines:
        text = line.rstrip("\r\n")
        if not text:
            blank += 1
            continue
        yield from ([""] for _ in range(blank))
        blank = 0
        yield [text]
