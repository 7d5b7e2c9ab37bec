"""Rows in: CSV, TSV, JSON Lines, Parquet or a plain list, from a file or standard input."""

import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import InputError, UsageError
from .bytes import decode, parse_delimited, read_bytes

InputFormat = Literal["csv", "tsv", "jsonl", "parquet", "txt"]

SUFFIXES: dict[str, InputFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "txt",
    ".list": "txt",
}
LIST_COLUMN = "text"
"""The name of a plain list's one column."""

# Names that say which column holds the diagnoses, the more telling ones first.
_TELLING = (
    ("diagnosis", "diagnoses", "dx", "diagnosistext", "finaldiagnosis", "diagnosisname"),
    ("text", "term", "condition", "disease", "problem", "indication", "freetext"),
)


_KINDS: dict[type, str] = {list: "a list", dict: "an object", bytes: "bytes"}


class Missing:
    """The value of a key that a JSON object does not have."""


MISSING = Missing()


@dataclass(frozen=True)
class Sheet:
    """Columns and rows as they came; `arrow` is the Parquet table with its types."""

    name: str
    format: InputFormat
    columns: list[str]
    rows: list[list[Any]]
    arrow: Any = None


def read_sheet(
    source: str,
    *,
    column: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> Sheet:
    """Read a file, or standard input where `source` is "-".

    The format is the one given, else what the suffix says, else what the content looks like.
    `column` helps to tell a CSV file with a header from a plain list.

    Raises InputError, naming file and line, for what cannot be read; UsageError for a format
    or encoding that does not exist.
    """
    if format is not None and format not in get_args(InputFormat):
        known = ", ".join(get_args(InputFormat))
        raise UsageError(f"--input-format {format!r} is none of {known}")
    name = "standard input" if source == "-" else source
    data = sys.stdin.buffer.read() if source == "-" else read_bytes(Path(source))
    suffix = Path(source).suffix.lower()
    kind = format or SUFFIXES.get(suffix)
    if kind == "parquet" or (kind is None and data.startswith(b"PAR1")):
        return _read_parquet(data, name)
    hint = "" if encoding else "if it was saved by a Windows program, add --encoding cp1252"
    text = decode(data, name, encoding, hint=hint)
    if not text.strip():
        raise InputError(f"{name} is empty")
    kind = kind or _looks_like(text, name, column)
    if kind == "jsonl":
        return _read_jsonl(text, name)
    if kind == "txt":
        lines = re.split(r"\r\n|\n|\r", text.rstrip("\r\n"))
        return Sheet(name, "txt", [LIST_COLUMN], [[line] for line in lines])
    table = parse_delimited(text, name, "\t" if kind == "tsv" else None)
    return Sheet(name, "tsv" if kind == "tsv" else "csv", table.columns, list(table.rows))


def text_column(sheet: Sheet, wanted: str | None) -> int:
    """The place of the column that holds the diagnoses: the one wanted, or an obvious one.

    Raises UsageError, listing the columns, where there is none or more than one.
    """
    columns = sheet.columns
    listed = ", ".join(columns)
    if wanted is None:
        for names in _TELLING:
            places = [i for i, name in enumerate(columns) if _bare(name) in names]
            if len(places) == 1:
                return places[0]
            if places:
                break
        if len(columns) == 1:
            return 0
        raise UsageError(
            f"which column of {sheet.name} holds the diagnoses? name it with --column; "
            f"there are: {listed}"
        )
    places = [i for i, name in enumerate(columns) if name == wanted]
    places = places or [i for i, name in enumerate(columns) if _bare(name) == _bare(wanted)]
    if len(places) == 1:
        return places[0]
    many = f"{len(places)} columns" if places else "no column"
    raise UsageError(f"{sheet.name} has {many} {wanted!r}; there are: {listed}")


def column_texts(sheet: Sheet, place: int) -> list[str]:
    """The cells of a column as text; a missing one is the empty string.

    Raises InputError, naming the row, for a list, an object or bytes.
    """
    texts = []
    for number, row in enumerate(sheet.rows, 1):
        cell = row[place]
        if cell is None or cell is MISSING or cell != cell:
            cell = ""
        elif isinstance(cell, (list, dict, bytes)):
            raise InputError(
                f"{sheet.name}, row {number}: column {sheet.columns[place]!r} holds "
                f"{_KINDS[type(cell)]}, not text"
            )
        # JSON can hold half a surrogate pair, which is no text to any model.
        texts.append(str(cell).encode("utf-8", "replace").decode("utf-8"))
    return texts


def _bare(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _looks_like(text: str, name: str, column: str | None) -> InputFormat:
    """What a text without a telling suffix is, from its first line."""
    first = next(line for line in text.splitlines() if line.strip())
    if first.lstrip().startswith("{"):
        return "jsonl"
    header = [cell.strip(' "') for cell in re.split("[,;\t]", first)]
    known = {_bare(cell) for cell in header} & {each for names in _TELLING for each in names}
    if not known and column is None:
        return "txt"
    return "tsv" if "\t" in first else "csv"


def _read_jsonl(text: str, name: str) -> Sheet:
    objects = []
    columns: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found = _object(line, f"{name}, line {number}")
            columns.update(dict.fromkeys(found))
            objects.append(found)
    rows = [[found.get(column, MISSING) for column in columns] for found in objects]
    return Sheet(name, "jsonl", list(columns), rows)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{place} is not an object: one JSON object a line is needed")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _read_parquet(data: bytes, name: str) -> Sheet:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not data:
        raise InputError(f"{name} is empty")
    try:
        table = pq.read_table(io.BytesIO(data))
        cells = [column.to_pylist() for column in table.columns]
    except (pa.ArrowException, OSError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be read as Parquet: {said}") from error
    rows = [list(row) for row in zip(*cells, strict=True)]
    return Sheet(name, "parquet", list(table.column_names), rows, table)
