"""Cases and responses from files or frames, in our layout, VLMEvalKit's or DDXPlus's."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..files.bytes import decode, read_bytes
from ..files.forms import Form
from ..files.frames import frame_rows, is_frame, whole
from ..files.rows_in import read_sheet, records
from .cases import Case, Source, read_cases, read_responses
from .cells import Row
from .judged import Responses
from .layouts import from_ddxplus, from_vlmevalkit, layout_of

Data = Any
"""A path, rows as mappings, or a frame of pandas, polars (also lazy) or Arrow."""


def read_rows(data: Data, form: Form | None = None) -> list[Row]:
    """The rows of a file of any form, or of a frame, as mappings.

    Raises InputError, naming the file, for one that cannot be read; UsageError for anything
    that is no table.
    """
    if is_path(data):
        fitting = (form or Form()).fitting(str(data))
        return records(read_sheet(str(data), fitting, list_allowed=False))
    if not is_frame(data):
        raise UsageError(f"a {type(data).__name__} is no table: give a path, a frame or rows")
    return list(frame_rows(data))


def is_path(data: Data) -> bool:
    """Whether data is the name of a file."""
    return isinstance(data, str | Path)


def read_json(path: Path) -> Any:
    """What a JSON file holds. Raises InputError that names the file."""
    try:
        return json.loads(decode(read_bytes(path), str(path)))
    except ValueError as fault:
        raise InputError(f"{path} is not JSON: {fault}") from fault


def case_source(
    data: Data,
    *,
    conditions: Path | None = None,
    evidences: Path | None = None,
    form: Form | None = None,
) -> Source:
    """The rows of the cases, in our layout, from ours, VLMEvalKit's or DDXPlus's.

    conditions, evidences: the files of DDXPlus. Raises InputError or UsageError.
    """
    name = str(data) if is_path(data) else "cases"
    source = Source(name, read_rows(data, form))
    layout = layout_of(source.rows)
    if layout == "vlmevalkit":
        return from_vlmevalkit(source)
    if layout != "ddxplus":
        return source
    if conditions is None:
        raise UsageError(
            f"{name} is in the layout of DDXPlus; give its release_conditions.json "
            "with --conditions"
        )
    known = read_json(evidences) if evidences else None
    return from_ddxplus(source, read_json(conditions), known)


def load_cases(
    data: Data, groups: Sequence[str] | None = None, own: Collection[str] = (), **files: Any
) -> tuple[Case, ...]:
    """Cases in any layout; groups and own as `read_cases` takes them, files as `case_source`."""
    return read_cases(case_source(data, **files), groups, own)


def response_sources(
    named: Sequence[tuple[str, Data]], form: Form | None = None
) -> dict[str, Source]:
    """The rows of the responses, in our layout, by model.

    named: as `named_data` gives them; a column `model` tells several models in one apart.

    Raises InputError or UsageError that names the file.
    """
    sources: dict[str, Source] = {}
    for model, data in named:
        source = Source(str(data) if is_path(data) else model or "responses", read_rows(data, form))
        if layout_of(source.rows) == "vlmevalkit":
            source = from_vlmevalkit(source)
        for name, part in _by_model(source, model):
            if not name:
                raise UsageError(
                    "responses: which model gave them? give {name: frame}, or a column `model`"
                )
            if name in sources:
                raise UsageError(f"two response files for the model {name!r}; write NAME=PATH")
            sources[name] = part
    return sources


def load_responses(
    given: Data | Mapping[str, Data] | Sequence[Data],
    cases: Sequence[Case],
    own: Collection[str] = (),
    form: Form | None = None,
) -> dict[str, Responses]:
    """Responses by model; arguments and faults as `named_data` and `read_responses`."""
    known = {case.id: case for case in cases}
    sources = response_sources(named_data(given), form)
    return {model: read_responses(source, known, own) for model, source in sources.items()}


def named_data(given: Data | Mapping[str, Data] | Sequence[Data]) -> list[tuple[str, Data]]:
    """Model and file or frame of responses; no name where only the rows can tell it.

    given: a mapping from model to file or frame; or a file or frame, or a list of files. A file
    is `MODEL=PATH`, or a path whose stem is the model's name.
    """
    if isinstance(given, Mapping):
        return [(name, whole(data)) for name, data in given.items()]
    if is_path(given):
        return [_named(str(given))]
    if isinstance(given, list | tuple) and given and all(map(is_path, given)):
        return [_named(str(each)) for each in given]
    return [("", whole(given))]


def _by_model(source: Source, model: str) -> Iterator[tuple[str, Source]]:
    names = dict.fromkeys(str(row["model"]) for row in source.rows if row.get("model"))
    if not names:
        yield model, source
        return
    for name in names:
        rows = [row for row in source.rows if str(row.get("model") or model) == name]
        yield name, replace(source, rows=rows)


def _named(given: str) -> tuple[str, Path]:
    name, sign, path = given.partition("=")
    if sign and not Path(given).exists():
        return name, Path(path)
    return Path(given).stem, Path(given)


def hash_of(data: Data) -> str:
    """The sha256 of a file's content, or of the rows of a frame as JSON."""
    if is_path(data):
        return hashlib.sha256(read_bytes(Path(data))).hexdigest()
    text = json.dumps(read_rows(data), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def hashes_of(cases: Data, responses: Sequence[tuple[str, Data]]) -> dict[str, str]:
    """Name -> hash of everything that was read, for the signature."""
    named = [*((name or "responses", data) for name, data in responses), ("cases", cases)]
    return {Path(data).name if is_path(data) else name: hash_of(data) for name, data in named}
