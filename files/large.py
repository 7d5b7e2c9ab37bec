"""Open a large table without holding its rows in memory, from a file or from standard input."""

import io
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from ..errors import InputError
from .bytes import GZIP, encoding_of, is_marked
from .content import Content, Tell, copied, open_content, text_lines, text_parts
from .delimited import Style, find_delimiter, line_end_of, stream_delimited
from .excel import ZIP, is_workbook, stream_excel
from .file_rows import FileRows, ParquetRows
from .forms import Form, InputFormat
from .json_rows import LIST_COLUMN, are_lines, begins_objects, columns_of, object_lines, row_of
from .json_stream import array_values, is_array
from .parquet import parquet_columns
from .rows_in import Sheet, check_form, hint_of, looks_like, sheet_of, tab_of
from .sequences import up_to_last

LARGE = 64_000_000
"""From so many bytes on, the rows of a file are not held in memory."""

_LARGE_PACKED = LARGE // 16  # of what is packed, where a row may take a few bytes
_PACKED = (GZIP, b"PAR1", ZIP)  # the beginnings of gzipped data, Parquet and Excel
_HEAD = 8_000_000  # bytes from which separator, line ends and form are found


def open_sheet(
    source: str, form: Form, *, column: str | None = None, tell: Tell | None = None
) -> Sheet:
    """Read a table as `read_sheet` does; the rows of a large one are `FileRows`.

    Objects by id are read whole. What comes from a pipe is copied before it is read. tell: follows
    the copying and every reading of a large table.
    """
    content = open_content(source, tell)
    if not _is_large(content):
        return _whole(content, form, column)
    content.tell = tell
    with content.opened() as file:
        head = file.read(_HEAD)
    kind = form.kind_of(content.name)
    if kind == "parquet" or (kind is None and head.startswith(b"PAR1")):
        return _parquet(content.unpacked(), form)
    if kind == "xlsx" or (kind is None and head.startswith(ZIP)):
        content = content.unpacked()
        with content.opened() as file:
            if kind or is_workbook(file):
                return _excel(content, form)
    return _text(content, head, form, column) or _whole(content, form, column)


def _is_large(content: Content) -> bool:
    return content.size > (_LARGE_PACKED if content.begins(*_PACKED) else LARGE)


def _whole(content: Content, form: Form, column: str | None) -> Sheet:
    with content.opened() as file:
        data = file.read()
    return sheet_of(data, content.name, form, column=column)


def _parquet(content: Content, form: Form) -> Sheet:
    check_form(form, "parquet", content.name)
    return Sheet(content.name, "parquet", parquet_columns(content), ParquetRows(content))


def _excel(content: Content, form: Form) -> Sheet:
    """Return the sheet of a workbook: it is slow to read, so that its rows are kept on disk."""
    name = content.name
    check_form(form, "xlsx", name)
    with content.opened() as file:
        columns, numbered = stream_excel(file, name, form.sheet)
        kept = copied((pickle.dumps(row) for _, row in numbered), name)
    content.check()

    def rows() -> Iterator[list[Any]]:
        with kept.opened() as file, suppress(EOFError):
            while True:
                yield pickle.load(file)

    return Sheet(name, "xlsx", columns, FileRows(kept, rows, typed=True))


def _text(content: Content, head: bytes, form: Form, column: str | None) -> Sheet | None:
    """Return the sheet of a text; None for JSON of another form than an array or lines."""
    name = content.name
    encoding, hint = form.encoding or encoding_of(head, name), hint_of(form)
    lines = partial(text_lines, content, encoding, hint=hint)
    parts = partial(text_parts, content, encoding, hint=hint)
    first = _first(parts())
    if not first.strip("\r\n \ufeff"):
        raise InputError(f"{name} is empty")
    kind = form.kind_of(name) or _kind(first, parts, form, name, column)
    check_form(form, kind, name)
    style = Style(",", is_marked(head), line_end_of(first))
    if kind in ("json", "jsonl"):
        read = _values(kind, first, name, lines, parts)
        return read and Sheet(name, kind, *_objects(content, read), style=style)
    if kind == "txt":
        rows = FileRows(content, lambda: _of_list(lines()))
        return Sheet(name, kind, [LIST_COLUMN], rows, style=style)
    mark = form.delimiter or (tab_of if kind == "tsv" else find_delimiter)(first, name)
    columns, _ = stream_delimited(lines(), name, mark)
    rows = FileRows(content, lambda: _of_table(lines(), name, mark))
    return Sheet(name, kind, columns, rows, style=style._replace(delimiter=mark))


def _kind(
    first: str, parts: Callable[[], Iterator[str]], form: Form, name: str, column: str | None
) -> InputFormat:
    """Return the format of a text that nobody names. first: its first lines."""
    if form.delimiter:
        return "csv"
    if first.lstrip().startswith("[") and not begins_objects(first) and is_array(parts()):
        return "json"
    return looks_like(first, name, column, list_allowed=True)


def _values(
    kind: InputFormat,
    first: str,
    name: str,
    lines: Callable[..., Iterator[str]],
    parts: Callable[[], Iterator[str]],
) -> Callable[[], Iterable[Any]] | None:
    """Return what reads the values of a text of JSON; None where it is neither array nor lines."""
    if kind == "json" and first.lstrip().startswith("["):
        return lambda: array_values(parts(), name)
    if kind == "json" and not are_lines(first):
        return None
    return lambda: (value for _, value in object_lines(lines(end="\n"), name))


def _objects(content: Content, read: Callable[[], Iterable[Any]]) -> tuple[list[str], FileRows]:
    columns = columns_of(read(), content.name)
    rows = FileRows(content, lambda: (row_of(value, columns) for value in read()), typed=True)
    return columns, rows


def _first(parts: Iterable[str]) -> str:
    """Return the first lines of a text, without those that are blank.

    Where the text goes on, they end with a row: after an even number of quotes.
    """
    some: list[str] = []
    size = quotes = whole = lines = 0
    is_new = True  # whether a line begins
    for line in chain.from_iterable(io.StringIO(part, newline="") for part in parts):
        is_blank = is_new and not line.strip("\r\n ")
        is_new = line.endswith(("\n", "\r"))
        if is_blank:
            continue
        some.append(line)
        size += len(line)
        quotes += line.count('"')
        if is_new and quotes % 2 == 0:
            whole, lines = len(some), lines + 1  # a long line comes in several parts
        # A header alone says little, so that a long first row is read to its end.
        if size > _HEAD and (lines > 1 or size > 8 * _HEAD):
            return "".join(some[:whole] or some)
    return "".join(some)


def _of_list(lines: Iterable[str]) -> Iterator[list[Any]]:
    """Yield the row of each line; blank lines at the end are no rows."""
    texts = (line.rstrip("\r\n") for line in lines)
    return ([text] for _, text in up_to_last(enumerate(texts), bool))


def _of_table(lines: Iterable[str], name: str, mark: str) -> Iterator[list[Any]]:
    _, numbered = stream_delimited(lines, name, mark)
    return (cells for _, cells in numbered)
