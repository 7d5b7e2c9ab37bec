"""Files of an evaluation: cases and responses in any layout in, tables and report out."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, OutputError, UsageError
from ..evaluation.cases import Case, Row, Source, read_cases, read_responses
from ..evaluation.judged import Responses
from ..evaluation.layouts import from_ddxplus, from_vlmevalkit, layout_of
from ..evaluation.report.tables import Table, plain_cells
from ..files.bytes import decode, read_bytes, writing
from ..files.delimited import Style, write_delimited
from ..files.forms import Form
from ..files.rows_in import read_sheet, records


def read_rows(path: Path, form: Form | None = None) -> list[Row]:
    """The rows of a table of any form as mappings.

    Raises InputError, naming the file, for one that cannot be read.
    """
    fitting = (form or Form()).fitting(str(path))
    return records(read_sheet(str(path), fitting, list_allowed=False))


def read_json(path: Path) -> Any:
    """What a JSON file holds. Raises InputError that names the file."""
    try:
        return json.loads(decode(read_bytes(path), str(path)))
    except ValueError as fault:
        raise InputError(f"{path} is not JSON: {fault}") from fault


def load_cases(
    path: Path,
    groups: tuple[str, ...] | None,
    conditions: Path | None,
    evidences: Path | None,
    form: Form | None = None,
) -> tuple[Case, ...]:
    """Cases in our layout, VLMEvalKit's or DDXPlus's."""
    source = Source(str(path), read_rows(path, form))
    layout = layout_of(source.rows)
    if layout == "vlmevalkit":
        source = from_vlmevalkit(source)
    elif layout == "ddxplus":
        if conditions is None:
            raise UsageError(
                f"{path} is in the layout of DDXPlus; give its release_conditions.json "
                "with --conditions"
            )
        known = read_json(evidences) if evidences else None
        source = from_ddxplus(source, read_json(conditions), known)
    return read_cases(source, groups)


def load_responses(
    named: list[str], cases: tuple[Case, ...], form: Form | None = None
) -> tuple[dict[str, Responses], dict[str, str]]:
    """Responses by model, and the sha256 of every file.

    A file is `MODEL=PATH`, or a path whose stem is the model's name; a column `model` tells
    several models in one file apart.
    """
    known = {case.id: case for case in cases}
    responses: dict[str, Responses] = {}
    hashes: dict[str, str] = {}
    for given in named:
        model, path = _named(given)
        hashes[path.name] = sha256_of(path)
        rows = read_rows(path, form)
        source = Source(str(path), rows)
        if layout_of(rows) == "vlmevalkit":
            source = from_vlmevalkit(source)
        for name, part in _by_model(source, model):
            if name in responses:
                raise UsageError(f"two response files for the model {name!r}; write NAME=PATH")
            responses[name] = read_responses(part, known)
    return responses, hashes


def _by_model(source: Source, model: str) -> Iterator[tuple[str, Source]]:
    names = dict.fromkeys(str(row["model"]) for row in source.rows if row.get("model"))
    if not names:
        yield model, source
        return
    for name in names:
        rows = [row for row in source.rows if str(row.get("model") or model) == name]
        yield name, Source(source.name, rows)


def _named(given: str) -> tuple[str, Path]:
    name, sign, path = given.partition("=")
    if sign and not Path(given).exists():
        return name, Path(path)
    return Path(given).stem, Path(given)


def sha256_of(path: Path) -> str:
    """The hash of a file's content."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def write_table_file(table: Table, folder: Path) -> Path:
    """Write a table as CSV."""
    path = folder / f"{table.name}.csv"
    with writing(path) as file:
        rows = (plain_cells(row) for row in table.rows)
        write_delimited(file, list(table.columns), rows, Style())
    return path


def write_text(path: Path, text: str) -> None:
    """Write a text file in place of what is there."""
    with writing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def make_folder(folder: Path) -> None:
    """The output folder. Raises OutputError where there can be none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make the folder {folder}: {fault.strerror}") from fault
