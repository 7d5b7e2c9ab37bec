"""Delimited text, as spreadsheets and programs write it: read, and written as it was.

The separator is the one asked for, or the only one under which every row has as many cells as
the header. Where two are equally plausible, the file is not read.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

from ..errors import InputError

_LONGEST_CELL = 2**31 - 1  # the csv module's own limit is 128 KB
_SEPARATORS = ",;\t|^~\x01\x1f"
# Too common inside texts to be taken for separators, but not without asking.
_SUSPECTED = ":#!$%&*=@\\§¦¬\x02\x03\x1c\x1d\x1e"
_SAMPLE = 1000  # rows that tell the separator
_SHOWN = {"\t": "tab"}


class Style(NamedTuple):
    """How delimited text is written: its separator, byte order mark and line ends."""

    delimiter: str = ","
    mark: bool = False
    line_end: str = "\n"


class Delimited(NamedTuple):
    """A header, rows as wide as the header, and the line on which each row starts."""

    columns: list[str]
    rows: list[list[str]]
    lines: list[int]
    delimiter: str


def parse_delimited(text: str, name: str, delimiter: str | None = None) -> Delimited:
    """Read delimited text: quoted cells may hold anything.

    Without `delimiter` it is what `find_delimiter` finds. Blank lines are no rows, except that
    in a file of one column they are empty cells (not at the end).

    Raises InputError, naming the line, for an empty file, a row of another width than the
    header, or quotes that do not match; and where the separator is not certain.
    """
    if not text.strip("\r\n \ufeff"):
        raise InputError(f"{name} is empty")
    if delimiter is None:
        delimiter = find_delimiter(text, name)
    numbered = iter(_records(text, name, delimiter))
    _, columns = next((line, cells) for line, cells in numbered if cells)
    width, blank = len(columns), 0
    table = Delimited(columns, [], [], delimiter)
    for line, cells in numbered:
        blank = 0 if cells else blank + 1
        if not cells and width == 1:
            cells = [""]
        if cells and len(cells) != width:
            row = len(table.rows) + 1
            raise InputError(
                f"{name}, row {row} (line {line}) has {_cells(len(cells))}, the header {width}"
            )
        if cells:
            table.rows.append(cells)
            table.lines.append(line)
    if width == 1 and blank:
        del table.rows[-blank:], table.lines[-blank:]
    return table


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def find_delimiter(text: str, name: str) -> str:
    """The only separator under which the first rows are all as wide as the header.

    Where there is none, and the header holds one, it is the one that most rows agree with, so
    that a row of another width is found by its line. A header without any is that of one column.

    Raises InputError, saying what to give, where two separators are equally plausible.
    """
    header = _first_line(text)
    inside = [mark for mark in _SEPARATORS if mark in header]
    agreed = [(mark, sample) for mark in inside if (sample := _agreeing(text, mark))]
    if len(agreed) > 1:
        # Under the wrong separator, quotes stand in the middle of cells and do not match.
        agreed = [pair for pair in agreed if not _has_torn_quotes(pair[1])] or agreed
    if len(agreed) > 1:
        marks = " and ".join(shown(mark) for mark, _ in agreed)
        raise InputError(
            f"{name} can be read with {marks} between its cells; say which: "
            f"--delimiter {shown(agreed[0][0])}"
        )
    if agreed:
        return agreed[0][0]
    if inside:
        return max(inside, key=lambda mark: _agreement(text, mark))
    _refuse_suspected(text, name, header)
    return ","


def shown(mark: str) -> str:
    """A separator as a user writes it on the command line."""
    return _SHOWN.get(mark, f"'{mark}'" if mark.isprintable() else f"$'\\x{ord(mark):02x}'")


def _first_line(text: str) -> str:
    return next(line for line in re.split("[\r\n]", text) if line.strip("\ufeff "))


def _refuse_suspected(text: str, name: str, header: str) -> None:
    """Raise InputError where every row holds another sign as often as the header does."""
    lines = [line for line in islice(re.split("[\r\n]+", text), _SAMPLE) if line]
    for mark in _SUSPECTED:
        if mark in header and len(lines) > 1 and len({line.count(mark) for line in lines}) == 1:
            raise InputError(
                f"{name} may have {shown(mark)} between its cells; say so with "
                f"--delimiter {shown(mark)}, or --delimiter comma where it is one column"
            )


def _sample(text: str, mark: str) -> list[list[str]]:
    """The first records; [] where the quotes do not match under this separator."""
    with _any_length():
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
            return [cells for cells in islice(reader, _SAMPLE) if cells]
        except csv.Error:
            return []


def _agreeing(text: str, mark: str) -> list[list[str]]:
    """The first records where all are of one width above 1, else []."""
    sample = _sample(text, mark)
    widths = set(map(len, sample))
    return sample if len(widths) == 1 and widths != {1} else []


def _agreement(text: str, mark: str) -> tuple[float, int]:
    """The share of rows as wide as the header, and that width."""
    sample = _sample(text, mark)
    if not sample:
        return 0.0, 0
    width = len(sample[0])
    return sum(len(cells) == width for cells in sample) / len(sample), width


def _has_torn_quotes(sample: Sequence[Sequence[str]]) -> bool:
    return any(cell.count('"') % 2 for cells in sample for cell in cells)


class _any_length:
    """Cells of any length while it lasts. The limit is the whole process's."""

    def __enter__(self) -> None:
        self._limit = csv.field_size_limit(_LONGEST_CELL)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self._limit)


def _records(text: str, name: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """(line on which it starts, cells) of every record."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    with _any_length():
        try:
            for cells in reader:
                records.append((line, cells))
                line = reader.line_num + 1
        except csv.Error as error:
            unclosed = "end of data" in str(error)
            said = "a quote that is opened and never closed" if unclosed else error
            raise InputError(f"{name}, line {line}: {said}") from error
    return records


def line_end_of(text: str) -> str:
    """The line end that the first record has: \\r\\n, \\r or \\n."""
    quotes, start = 0, 0
    for end in re.finditer("\r\n|\r|\n", text):
        quotes += text.count('"', start, end.start())
        if quotes % 2 == 0:
            return end[0]
        start = end.end()
    return "\n"


def write_delimited(
    file: BinaryIO, columns: Sequence[str], rows: Iterable[list[str]], style: Style
) -> None:
    """Write rows of text in UTF-8 so that `parse_delimited` reads the same rows back.

    A byte order mark comes first where the style says so: by it spreadsheets know UTF-8.
    """
    mark = style.mark or (bool(columns) and columns[0].startswith("\ufeff"))
    text = io.TextIOWrapper(
        file, "utf-8-sig" if mark else "utf-8", errors="backslashreplace", newline=""
    )
    form = {"delimiter": style.delimiter, "lineterminator": style.line_end}
    plain = csv.writer(text, **form)  # type: ignore[arg-type]
    quoted = csv.writer(text, **form, quoting=csv.QUOTE_ALL)  # type: ignore[arg-type]
    # The csv module quotes what is in its line terminator, and no other line end.
    other = {"\n": "\r", "\r": "\n"}.get(style.line_end)
    for row in chain([columns], rows):
        is_broken = other is not None and other in "".join(row)
        (quoted if is_broken else plain).writerow(row)
    text.flush()
    text.detach()
