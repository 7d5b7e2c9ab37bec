"""Files in and out: text of any common encoding, delimited rows, and replacement at one stroke.

Whatever is wrong with a file becomes an InputError or OutputError that names the file and,
where there is one, the line.
"""

import codecs
import contextlib
import csv
import io
import os
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import InputError, OutputError, UsageError

_LONGEST_CELL = 2**31 - 1  # the csv module's own limit is 128 KB
_HEAD = 65536
_BYTE_ORDER_MARKS = (  # UTF-32 first: its little-endian mark starts with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = {
    b"PAR1": "a Parquet file: name it .parquet or say --input-format parquet",
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document; save the sheet as CSV (UTF-8)",
    b"\x1f\x8b": "compressed; decompress it first",
    b"%PDF": "a PDF, not text",
    b"SQLite format 3": "an SQLite database, not text",
}


class Delimited(NamedTuple):
    """A header, rows as wide as the header, and the line on which each row starts."""

    columns: list[str]
    rows: list[list[str]]
    lines: list[int]
    delimiter: str


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises InputError where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def decode(data: bytes, name: str, encoding: str | None = None, *, hint: str = "") -> str:
    """The text in `data`, without its byte order mark.

    Without `encoding`: what the byte order mark says, else UTF-8. `hint` ends the message of
    a decoding error: what the reader of the message should do.

    Raises InputError for a binary file and for bytes that are not of the encoding, UsageError
    for an encoding that Python does not know.
    """
    if encoding is None:
        marked = (name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark))
        encoding = next(marked, "utf-8")
        if not encoding.startswith(("utf-16", "utf-32")):
            _refuse_binary(data, name)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except LookupError:
        raise UsageError(f"there is no encoding {encoding!r}; try utf-8, cp1252, utf-16") from None
    except UnicodeError as error:
        place = ""
        if isinstance(error, UnicodeDecodeError):
            line = data.count(b"\n", 0, error.start) + 1
            place = f", line {line}: byte 0x{data[error.start]:02X}"
        said = encoding.removesuffix("-sig").upper()
        raise InputError(f"{name}{place} is not {said}{hint and '; ' + hint}") from error


def _refuse_binary(data: bytes, name: str) -> None:
    for signature, what in _SIGNATURES.items():
        if data.startswith(signature):
            raise InputError(f"{name} is {what}")
    head = data[:_HEAD]
    for start, order in ((1, "le"), (0, "be")):
        half = head[start::2]
        if len(half) > 1 and half.count(0) > 0.7 * len(half) > 2 * head[1 - start :: 2].count(0):
            raise InputError(
                f"{name} looks like UTF-16 without a byte order mark; add --encoding utf-16-{order}"
            )
    odd = sum(byte < 32 and byte not in b"\t\n\v\f\r\x1b" for byte in head)
    if odd > 8 and odd > len(head) / 10:
        raise InputError(f"{name} is a binary file, not text")


def parse_delimited(text: str, name: str, delimiter: str | None = None) -> Delimited:
    """Read delimited text as spreadsheets write it: quoted cells may hold anything.

    Without `delimiter` it is the comma, or the semicolon or tab where the header holds no
    comma. Blank lines are no rows, except that in a file of one column they are empty cells
    (not at the end).

    Raises InputError, naming the line, for an empty file, a row of another width than the
    header, or quotes that do not match.
    """
    if not text.strip():
        raise InputError(f"{name} is empty")
    if delimiter is None:
        delimiter = _delimiter(text)
    numbered = iter(_records(text, name, delimiter))
    _, columns = next((line, cells) for line, cells in numbered if cells)
    table = Delimited(columns, [], [], delimiter)
    for line, cells in numbered:
        if not cells and len(columns) == 1:
            cells = [""]
        if cells and len(cells) != len(columns):
            row = len(table.rows) + 1
            raise InputError(
                f"{name}, row {row} (line {line}) has {_cells(len(cells))}, "
                f"the header {len(columns)}"
            )
        if cells:
            table.rows.append(cells)
            table.lines.append(line)
    while len(columns) == 1 and table.rows and table.rows[-1] == [""]:
        table.rows.pop()
        table.lines.pop()
    return table


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _delimiter(text: str) -> str:
    header = next(line for line in text.splitlines() if line.strip())
    return next((mark for mark in (",", ";", "\t") if mark in header), ",")


def _records(text: str, name: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """(line on which it starts, cells) of every record."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    # The limit is the whole process's: nothing else may run between here and its return.
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        for cells in reader:
            records.append((line, cells))
            line = reader.line_num + 1
        return records
    except csv.Error as error:
        said = "a quote that is opened and never closed" if "end of data" in str(error) else error
        raise InputError(f"{name}, line {line}: {said}") from error
    finally:
        csv.field_size_limit(limit)


def check_writable(path: Path) -> None:
    """Raise OutputError where `writing` could not write; nothing is changed."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"cannot write {path}: it is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise OutputError(f"cannot write {path}: it is read-only")
    if not target.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        return
    try:
        descriptor, temporary = _open_beside(target)
        os.close(descriptor)
        os.unlink(temporary)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` at the end, or leaves no trace.

    It is written beside `path` and renamed, so a reader sees the old content or the new, and
    a full disk or an interruption leaves the old. A device or pipe is written directly.

    Raises OutputError where that fails.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
            return
        descriptor, temporary = _open_beside(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def _open_beside(target: Path) -> tuple[int, Path]:
    """A new file in the folder of `target`, with the rights `target` has or would get."""
    temporary = target.with_name(f".dxjudge-{uuid.uuid4().hex}.part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    if target.exists():
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
    return descriptor, temporary


def write_delimited(
    file: BinaryIO, columns: list[str], rows: Iterator[list[str]], delimiter: str, *, mark: bool
) -> None:
    """Write rows of text in UTF-8 so that `parse_delimited` reads the same rows back.

    `mark` puts a byte order mark first, by which spreadsheets know UTF-8.
    """
    text = io.TextIOWrapper(
        file, "utf-8-sig" if mark else "utf-8", errors="backslashreplace", newline=""
    )
    plain = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(columns)
    for row in rows:
        # The csv module quotes what is in its line terminator, not a lone carriage return.
        writer = quoted if any("\r" in cell for cell in row) else plain
        writer.writerow(row)
    text.flush()
    text.detach()
