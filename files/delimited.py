"""Read delimited text (CSV, TSV), and write it again in the style in which it was read.

The separator is the one that the user names, or the only one under which every row has as many
cells as the header. When two separators are equally plausible, the file is not read.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

from ..errors import InputError
from .sequences import up_to_last

_LONGEST_CELL = 2**31 - 1  # the csv module's own limit is 128 KB
_SEPARATORS = ",;\t|^~\x01\x1f"
# These occur too often inside texts to be accepted as separators without asking the user.
_SUSPECTED = ":#!$%&*=@\\§¦¬\x02\x03\x1c\x1d\x1e"
_SAMPLE = 1000  # rows from which the separator is found
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
    """Read delimited text, in which quoted cells may hold any character.

    Without `delimiter`, `find_delimiter` finds it. Blank lines are skipped; but in a file of one
    column, a blank line before the last row is an empty cell.

    Raises InputError, naming the line, for an empty file, for a row with more or fewer cells than
    the header, for quotes that do not match, and when the separator is not certain.
    """
    if not text.strip("\r\n \ufeff"):
        raise InputError(f"{name} is empty")
    if delimiter is None:
        delimiter = find_delimiter(text, name)
    columns, rows = stream_delimited(io.StringIO(text, newline=""), name, delimiter)
    table = Delimited(columns, [], [], delimiter)
    for line, cells in rows:
        table.rows.append(cells)
        table.lines.append(line)
    return table


def stream_delimited(
    lines: Iterable[str], name: str, delimiter: str
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the header, and the rows with their lines as they are read; see `parse_delimited`.

    lines: with their ends. Raises InputError for no header; the rows raise the other errors.
    """
    records = _records(lines, name, delimiter)
    header = next((cells for _, cells in records if cells), None)
    if header is None:
        raise InputError(f"{name} is empty")
    return header, _rows(records, name, len(header))


def _rows(
    records: Iterator[tuple[int, list[str]]], name: str, width: int
) -> Iterator[tuple[int, list[str]]]:
    row = 0
    for line, cells in up_to_last(records, bool) if width == 1 else records:
        if not cells:
            if width > 1:
                continue
            cells = [""]
        row += 1
        if len(cells) != width:
            raise InputError(
                f"{name}, row {row} (line {line}) has {_cells(len(cells))}, the header {width}"
            )
        yield line, cells


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def find_delimiter(text: str, name: str) -> str:
    """Return the only separator under which the first rows all have as many cells as the header.

    When there is none but the header contains separators, return the one that fits most rows:
    then the row that does not fit is reported with its line. A header without a separator is
    that of a single column.

    Raises InputError, saying which option to add, when two separators are equally plausible.
    """
    header = first_line(text)
    candidates = [mark for mark in _SEPARATORS if mark in header]
    agreed = [(mark, sample) for mark in candidates if (sample := _agreeing(text, mark))]
    if len(agreed) > 1:
        # A wrong separator cuts quoted cells, so that their quotes do not match.
        agreed = [pair for pair in agreed if not _has_torn_quotes(pair[1])] or agreed
    if len(agreed) > 1:
        marks = " and ".join(shown(mark) for mark, _ in agreed)
        raise InputError(
            f"{name} can be read with {marks} between its cells; say which one it is, such as "
            f"--delimiter {shown(agreed[0][0])}"
        )
    if agreed:
        return agreed[0][0]
    if candidates:
        return max(candidates, key=lambda mark: _agreement(text, mark))
    _refuse_suspected(text, name, header)
    return ","


def shown(mark: str) -> str:
    """Return a separator as a user writes it on the command line."""
    return _SHOWN.get(mark, f"'{mark}'" if mark.isprintable() else f"$'\\x{ord(mark):02x}'")


def first_line(text: str) -> str:
    """Return the first line that is not blank."""
    return next(line for line in re.split("[\r\n]", text) if line.strip("\ufeff "))


def _refuse_suspected(text: str, name: str, header: str) -> None:
    """Raise InputError when every row has some other character as often as the header has it."""
    lines = [line for line in islice(re.split("[\r\n]+", text), _SAMPLE) if line]
    for mark in _SUSPECTED:
        if mark in header and len(lines) > 1 and len({line.count(mark) for line in lines}) == 1:
            raise InputError(
                f"{name} may have {shown(mark)} between its cells; if it has, add "
                f"--delimiter {shown(mark)}, and if it has one column, --delimiter comma"
            )


def _sample(text: str, mark: str) -> list[list[str]]:
    """Return the first records, or [] when the quotes do not match under this separator."""
    allow_long_cells()
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        return [cells for cells in islice(reader, _SAMPLE) if cells]
    except csv.Error:
        return []


def _agreeing(text: str, mark: str) -> list[list[str]]:
    """Return the first records if all have the same number of cells, above 1; else []."""
    sample = _sample(text, mark)
    widths = set(map(len, sample))
    return sample if len(widths) == 1 and widths != {1} else []


def _agreement(text: str, mark: str) -> tuple[float, int]:
    """Return the share of rows with as many cells as the header, and the header's number."""
    sample = _sample(text, mark)
    if not sample:
        return 0.0, 0
    width = len(sample[0])
    return sum(len(cells) == width for cells in sample) / len(sample), width


def _has_torn_quotes(sample: Sequence[Sequence[str]]) -> bool:
    return any(cell.count('"') % 2 for cells in sample for cell in cells)


def allow_long_cells() -> None:
    """Raise the limit of the csv module, which the whole process shares; it stays raised.

    Two readings may take turns, and each would take the limit of the other back.
    """
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)


def _records(lines: Iterable[str], name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which it starts, cells) for every record."""
    allow_long_cells()
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        unclosed = "end of data" in str(error)
        problem = "a quote is opened and never closed" if unclosed else error
        raise InputError(f"{name}, line {line}: {problem}") from error


def line_end_of(text: str) -> str:
    """Return the line end of the first record: \\r\\n, \\r or \\n."""
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

    A byte order mark comes first if the style has one: spreadsheets recognise UTF-8 by it.
    """
    mark = style.mark or (bool(columns) and columns[0].startswith("\ufeff"))
    text = io.TextIOWrapper(
        file, "utf-8-sig" if mark else "utf-8", errors="backslashreplace", newline=""
    )
    form = {"delimiter": style.delimiter, "lineterminator": style.line_end}
    plain = csv.writer(text, **form)  # type: ignore[arg-type]
    quoted = csv.writer(text, **form, quoting=csv.QUOTE_ALL)  # type: ignore[arg-type]
    # The csv module quotes cells with the characters of its own line end, but not with others.
    other = {"\n": "\r", "\r": "\n"}.get(style.line_end)
    for row in chain([columns], rows):
        is_broken = other is not None and other in "".join(row)
        (quoted if is_broken else plain).writerow(row)
    text.flush()
    text.detach()
