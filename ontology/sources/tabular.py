"""A user's own table of terms: TSV or CSV, with or without a header."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...files.delimited import allow_long_cells, find_delimiter
from ...files.nearest import no_column
from ..tree import Tree
from .xref import Row

Line = tuple[int, list[str]]
"""The number of the line that a record starts in, and its cells."""


class Columns(NamedTuple):
    """The names of a table's columns, and its separator; None means that they are detected."""

    term: str | None = None
    code: str | None = None
    delimiter: str | None = None


ANY = Columns()
"""Columns and separator are detected."""

# Usual names of columns without blanks and punctuation, the likelier name first.
_TERM = ("term", "text", "synonym", "name", "label", "diagnosis", "diagnosistext", "description")
_CODE = ("code", "codes")
_SOURCE = ("source", "termsource", "vocabulary", "origin")
_SAMPLE = 100  # rows that are read to see which column holds the codes
_LONGEST_TERM = 131_072  # characters of one cell


def read_table(path: Path, text: str, tree: Tree, columns: Columns = ANY) -> Iterator[Row]:
    """Yield the rows of a table; its codes count as codes of the release.

    Raises InputError for a header without a column of terms or of codes, for a header without
    the names of `columns`, for a table in which no column holds codes, and for a quotation mark
    that is never closed.
    """
    lines = read_lines(path, text, columns.delimiter)
    header = [re.sub(r"[^a-z0-9]", "", cell.lower()) for cell in lines[0][1]]
    codes = (*_CODE[:1], *tree.descriptor.code_columns(), *_CODE[1:])
    term, code, source = (_first(header, names) for names in (_TERM, codes, _SOURCE))
    term = _named(path, lines[0], columns.term, term)
    code = _named(path, lines[0], columns.code, code)
    if term is not None and code is not None:
        lines = lines[1:]
    elif any(map(tree.looks_like_code, lines[0][1])):
        code = _code_column(lines, tree)
        term, source = 0 if code else 1, 2
    else:
        what, name = ("term", _TERM[0]) if term is None else ("code", _CODE[0])
        raise InputError(
            f"{path}, line {lines[0][0]}: no column for the {what} among "
            f"{', '.join(lines[0][1])}; rename it to {name!r}, or name it in dxjudge sources add "
            f"with --{what}-column"
        )
    for number, cells in lines:
        yield Row(
            f"line {number}",
            text=_cell(cells, term),
            code=_cell(cells, code),
            source=_cell(cells, source),
        )


def read_lines(path: Path, text: str, delimiter: str | None = None) -> list[Line]:
    """Return the records of a delimited text that are not blank, after any lines of `#` comments.

    Raises InputError where there is no such record.
    """
    raw = list(io.StringIO(text, newline=""))
    start = next((i for i, line in enumerate(raw) if line.strip() and line[0] != "#"), None)
    if start is None:
        raise InputError(f"{path}: holds only comments")
    if delimiter is None:
        is_tsv = path.suffix in (".tsv", ".tab")
        delimiter = "\t" if is_tsv else find_delimiter("".join(raw[start:]), str(path))
    allow_long_cells()
    reader = csv.reader(raw[start:], delimiter=delimiter)
    lines: list[Line] = []
    number = start + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((number, [cell.strip() for cell in cells]))
            if delimiter == "\t" and any("\n" in cell for cell in cells):
                raise InputError(f"{path}, line {number}: a quotation mark is never closed")
            if any(len(cell) > _LONGEST_TERM for cell in cells):
                why = f"a cell of more than {_LONGEST_TERM:,} characters is no term"
                raise InputError(f"{path}, line {number}: {why}; is a quotation mark never closed?")
            number = start + reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}, line {number}: {error}") from error
    if not lines:
        raise InputError(f"{path}: every cell is empty")
    return lines


def _named(path: Path, header: Line, name: str | None, detected: int | None) -> int | None:
    if name is None:
        return detected
    if name not in header[1]:
        raise InputError(no_column(f"{path}, line {header[0]},", name, header[1]))
    return header[1].index(name)


def _first(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _code_column(lines: Sequence[Line], tree: Tree) -> int:
    """Return 0 or 1: the place of the first or second column, whichever holds more codes."""
    counts = [0, 0]
    for _, cells in lines[:_SAMPLE]:
        for column in (0, 1):
            counts[column] += tree.looks_like_code(_cell(cells, column))
    return counts.index(max(counts))


def _cell(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None and column < len(cells) else ""
