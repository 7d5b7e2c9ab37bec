"""Rows out: CSV, TSV, JSON Lines or Parquet, with the input's columns and the ones added."""

import datetime
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from ..errors import OutputError, UsageError
from .bytes import write_delimited
from .rows_in import MISSING, Sheet

OutputFormat = Literal["csv", "tsv", "jsonl", "parquet", "sssom"]
Added = Mapping[str, Sequence[Any]]
"""Column name -> one value a row; a value is text, a number, None, or a list of objects."""

_SUFFIXES: dict[str, OutputFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """Standard output for bytes. Raises OutputError where it cannot be written."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write standard output: {error.strerror}") from error


def output_format(output: str, wanted: str | None, sheet_format: str) -> OutputFormat:
    """The format wanted, else what the suffix says; standard output gets the input's own.

    A plain list, which holds one column, comes back as CSV.

    Raises UsageError for a format or suffix that is not known.
    """
    formats = get_args(OutputFormat)
    if wanted is not None:
        if wanted not in formats:
            raise UsageError(f"--output-format {wanted!r} is none of {', '.join(formats)}")
        return next(each for each in formats if each == wanted)
    if output == "-":
        return next((each for each in formats if each == sheet_format), "csv")
    if output.lower().endswith(".sssom.tsv"):
        return "sssom"
    suffix = Path(output).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join([*_SUFFIXES, ".sssom.tsv"])
        raise UsageError(
            f"what format is {output}? end its name with one of {known}, or say --output-format"
        )
    return _SUFFIXES[suffix]


def added_names(sheet: Sheet, names: Sequence[str]) -> dict[str, str]:
    """Wanted name -> name that no column of the input has."""
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
    """Raise OutputError where the format cannot hold the input's columns."""
    twice = next((name for name in sheet.columns if sheet.columns.count(name) > 1), None)
    if twice is not None and format in ("jsonl", "parquet"):
        raise OutputError(
            f"{sheet.name} has two columns {twice!r}, which {format} cannot hold; "
            "rename one, or write CSV or TSV"
        )


def write_sheet(file: BinaryIO, format: OutputFormat, sheet: Sheet, added: Added) -> None:
    """Write the input's rows in their order, each with its added values."""
    if format == "jsonl":
        _write_jsonl(file, sheet, added)
    elif format == "parquet":
        _write_parquet(file, sheet, added)
    else:
        columns = [*sheet.columns, *added]
        values = zip(*added.values(), strict=True)
        rows = (
            [_cell(value) for value in (*row, *more)]
            for row, more in zip(sheet.rows, values, strict=True)
        )
        write_delimited(file, columns, rows, "," if format == "csv" else "\t", mark=False)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return _json(value)
    return _plain(value) if not isinstance(value, (int, float)) else str(value)


def _write_jsonl(file: BinaryIO, sheet: Sheet, added: Added) -> None:
    for place, row in enumerate(sheet.rows):
        pairs = zip(sheet.columns, row, strict=True)
        found = {name: value for name, value in pairs if value is not MISSING}
        found.update({name: values[place] for name, values in added.items()})
        # A lone half of a surrogate pair becomes the escape that JSON knows it by.
        file.write(_json(found).encode("utf-8", "backslashreplace") + b"\n")


def _json(value: Any) -> str:
    if isinstance(value, dict):
        value = {key: _finite(each) for key, each in value.items()}
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> str:
    """Parquet's other types as text."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def _write_parquet(file: BinaryIO, sheet: Sheet, added: Added) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = sheet.arrow
    if table is None:
        columns = [[row[place] for row in sheet.rows] for place in range(len(sheet.columns))]
        arrays = [_array(column) for column in columns]
        table = pa.table(dict(zip(sheet.columns, arrays, strict=True)))
    for name, values in added.items():
        kind = pa.float64() if name.startswith("score") else _kind(values)
        cells = [_json(value) if isinstance(value, (list, dict)) else value for value in values]
        table = table.append_column(name, pa.array(cells, kind))
    try:
        pq.write_table(table, file)
    except pa.ArrowException as error:
        said = str(error).partition("\n")[0]
        raise OutputError(f"Parquet cannot hold these rows: {said}") from error


def _kind(values: Sequence[Any]) -> Any:
    """The type of an added column: truth values and numbers as such, the rest as text."""
    import pyarrow as pa

    types = {type(value) for value in values if value is not None}
    if types == {bool}:
        return pa.bool_()
    if types == {int}:
        return pa.int64()
    return pa.float64() if types and types <= {int, float} else pa.string()


def _array(values: list[Any]) -> Any:
    import pyarrow as pa

    cells = [None if value is MISSING else value for value in values]
    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):  # of mixed kinds
        texts = [None if cell is None else _cell(cell) for cell in cells]
        encoded = [text and text.encode("utf-8", "backslashreplace").decode() for text in texts]
        return pa.array(encoded, pa.string())
