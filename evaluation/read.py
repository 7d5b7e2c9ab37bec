"""Reads cases and responses from files or frames, in our layout or in another tool's."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from ..agents.answering.case import IMAGE_COLUMNS
from ..agents.images import Image, data_url, images_of
from ..errors import InputError, UsageError
from ..files.bytes import decode, read_bytes
from ..files.counted import counted
from ..files.forms import Form
from ..files.frames import frame_rows, is_frame, whole
from ..files.json_text import load_json
from ..files.rows_in import read_sheet, records
from .cases import Case, Source, read_cases, read_responses
from .cells import Row, text_of
from .judged import Responses
from .layouts import (
    from_ddxplus,
    from_healthbench,
    from_healthbench_meta,
    from_mediconfusion,
    from_mediconfusion_results,
    from_vlmevalkit,
    layout_of,
)

Data = Any
"""A path, rows as mappings, or a frame of pandas, polars (also lazy) or Arrow."""


def read_rows(data: Data, form: Form | None = None) -> list[Row]:
    """Read the rows of a file of any form, or of a frame, as mappings.

    Raises InputError, naming the file, for a file that cannot be read; UsageError for data that
    are not a table.
    """
    if is_path(data):
        fitting = (form or Form()).fitting(str(data))
        return records(read_sheet(str(data), fitting, list_allowed=False))
    if not is_frame(data):
        raise UsageError(f"a {type(data).__name__} is not a table; give a path, a frame or rows")
    return list(frame_rows(data))


def is_path(data: Data) -> bool:
    """Whether data is the name of a file."""
    return isinstance(data, str | Path)


def read_json(path: Path) -> Any:
    """Read a JSON file. Raises InputError that names the file."""
    try:
        return load_json(decode(read_bytes(path), str(path)))
    except ValueError as fault:
        raise InputError(f"{path} is not JSON: {fault}") from fault


def case_source(
    data: Data,
    *,
    conditions: str | Path | None = None,
    evidences: str | Path | None = None,
    form: Form | None = None,
) -> Source:
    """Read the rows of the cases, and turn them into our layout.

    conditions, evidences: the files of DDXPlus. Raises InputError or UsageError.
    """
    name = str(data) if is_path(data) else "cases"
    source = Source(name, read_rows(data, form))
    layout = layout_of(source.rows)
    if layout == "vlmevalkit":
        return from_vlmevalkit(source)
    if layout == "healthbench":
        return from_healthbench(source)
    if layout == "healthbench-meta":
        return from_healthbench_meta(source)
    if layout == "mediconfusion":
        return from_mediconfusion(source)
    if layout != "ddxplus":
        return source
    if conditions is None:
        raise UsageError(
            f"{name} is in the layout of DDXPlus; give its release_conditions.json "
            "with --conditions"
        )
    known = read_json(Path(evidences)) if evidences else None
    return from_ddxplus(source, read_json(Path(conditions)), known)


def load_cases(
    data: Data, groups: Sequence[str] | None = None, own: Collection[str] = (), **files: Any
) -> tuple[Case, ...]:
    """Read cases in any layout; arguments are those of `read_cases` and of `case_source`."""
    return read_cases(case_source(data, **files), groups, own)


def with_images(cases: Sequence[Case], source: Source, data: Data) -> tuple[Case, ...]:
    """Return the cases with the images of their rows, for the pages.

    Relative paths begin in the folder of the file of cases, or here. An image that stands in the
    table itself becomes a data URL. A cell that names no image is left out: nothing is judged by
    images.
    """
    folder = Path(data).parent if is_path(data) else Path()
    by_case = {text_of(row.get("id")): _images(row, folder) for row in source.rows}
    return tuple(replace(case, images=by_case.get(case.id, ())) for case in cases)


def _images(row: Row, folder: Path) -> tuple[str, ...]:
    names: list[str] = []
    for column in IMAGE_COLUMNS:
        with suppress(InputError, ValueError):  # the system has no such path, as one with "\0"
            for image in images_of(row.get(column), folder, column):
                names.append(_name(image))
    return tuple(dict.fromkeys(names))


def _name(image: Image) -> str:
    if image.data is not None:
        return data_url(b64decode(image.data, validate=True))
    return str(image.path.resolve()) if image.path else str(image.url)


def response_sources(
    named: Sequence[tuple[str, Data]], form: Form | None = None
) -> dict[str, Source]:
    """Read the rows of the responses by model, and turn them into our layout.

    named: as `named_data` returns them; one file with a column `model` may have several models.

    Raises InputError or UsageError that names the file.
    """
    sources: dict[str, Source] = {}
    for model, data in named:
        source = Source(str(data) if is_path(data) else model or "responses", read_rows(data, form))
        layout = layout_of(source.rows)
        if layout == "vlmevalkit":
            source = from_vlmevalkit(source)
        elif layout == "healthbench-meta":
            source = from_healthbench_meta(source)
        elif layout == "mediconfusion-results":
            source = from_mediconfusion_results(source)
        for name, part in _by_model(source, model):
            if not name:
                raise UsageError(
                    "the responses do not name their model; give {name: frame}, or add a column "
                    "`model`"
                )
            if name in sources:
                raise UsageError(f"two response files for the model {name!r}; write NAME=PATH")
            sources[name] = part
    return sources


def load_responses(
    responses: Data | Mapping[str, Data] | Sequence[Data],
    cases: Sequence[Case],
    own: Collection[str] = (),
    form: Form | None = None,
) -> dict[str, Responses]:
    """Read responses by model; arguments and errors are those of `named_data`, `read_responses`."""
    known = {case.id: case for case in cases}
    sources = response_sources(named_data(responses), form)
    return {model: read_responses(source, known, own) for model, source in sources.items()}


def named_data(responses: Data | Mapping[str, Data] | Sequence[Data]) -> list[tuple[str, Data]]:
    """Pair each file or frame of responses with its model; "" where only the rows name it.

    responses: a mapping from model to file or frame; or a file or frame, or a list of files. A
    file is `MODEL=PATH`, or a path whose stem is the model's name.
    """
    if isinstance(responses, Mapping):
        return [(name, whole(data)) for name, data in responses.items()]
    if is_path(responses):
        return [_named(str(responses))]
    if isinstance(responses, list | tuple) and responses and all(map(is_path, responses)):
        return [_named(str(path)) for path in responses]
    return [("", whole(responses))]


def _by_model(source: Source, model: str) -> Iterator[tuple[str, Source]]:
    """Yield the rows of each model that they name; all rows under `model` where none names one.

    Raises InputError for a row that names no model where another one does.
    """
    rows_of: dict[str, dict[int, Row]] = {}
    for number, row in enumerate(source.rows, 1):
        rows_of.setdefault(text_of(row.get("model")), {})[number] = row
    unnamed = rows_of.pop("", {})
    if rows_of and unnamed:
        raise InputError(
            f"{source.name}, row {next(iter(unnamed))}: the model is missing, and other rows name "
            f"theirs ({counted(len(unnamed), 'row')} without a model)"
        )
    if not rows_of:
        yield model, source
    for name, rows in rows_of.items():
        yield name, replace(source, rows=[*rows.values()], numbers=[*rows])


def _named(argument: str) -> tuple[str, Path]:
    name, sign, path = argument.partition("=")
    if sign and not Path(argument).exists():
        return name, Path(path)
    return Path(argument).stem, Path(argument)


def hash_of(data: Data) -> str:
    """The sha256 of a file's bytes, or of the rows of a frame as JSON."""
    if is_path(data):
        return hashlib.sha256(read_bytes(Path(data))).hexdigest()
    text = json.dumps(read_rows(data), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def hashes_of(cases: Data, responses: Sequence[tuple[str, Data]]) -> dict[str, str]:
    """Map the name of everything that was read to its hash, for the signature.

    Of two files with one name, the second has that of its model, or `cases`, before it, and a
    further one its number behind it.
    """
    named = [*((name or "responses", data) for name, data in responses), ("cases", cases)]
    hashes: dict[str, str] = {}
    for what, data in named:
        name = Path(data).name if is_path(data) else what
        names = chain([name, f"{what}={name}"], (f"{what}={name} {n}" for n in count(3)))
        hashes[next(name for name in names if name not in hashes)] = hash_of(data)
    return hashes
