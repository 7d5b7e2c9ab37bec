"""Read the vectors of images from a file, or make them with an encoder of your own."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...agents.own_step import load_function, split_own
from ...errors import InputError, UsageError
from ...files.bytes import read_bytes
from ...files.forms import Form
from ...files.rows_in import read_sheet
from .confusing import Vectors

VECTORS, IDS = "vectors", "ids"
SUFFIXES = (".npy", ".npz", ".parquet", ".pq")


def vectors_of(source: str, ids: Sequence[str], images: Sequence[str]) -> Vectors:
    """Return one vector for each image, in their order.

    source: a file, or `path/to/file.py:FUNCTION`. A .npy file has one row for each image, in the
    order of the images. A .npz file has an array `vectors` and may have an array `ids`. A Parquet
    file has the columns `id` and `vector`. The function is called with the list of the images'
    paths, and returns one row for each.

    Raises InputError for a file that cannot be read or lacks an image; UsageError for another kind
    of source, and for a function that does not return one row of numbers for each image.
    """
    own = split_own(source)
    if own is not None:
        path, name, _ = own
        return _checked(load_function(path, name)(list(images)), len(ids), source, UsageError)
    if not source.lower().endswith(SUFFIXES):
        raise UsageError(
            f"{source}: vectors are in a file {', '.join(SUFFIXES)}, or from path/to/file.py:NAME"
        )
    if source.lower().endswith(SUFFIXES[2:]):
        return _from_table(source, ids)
    arrays = _arrays(source)
    vectors = _checked(arrays[VECTORS], None, source, InputError)
    if IDS in arrays:
        return _in_order(vectors, [str(name) for name in arrays[IDS]], ids, source)
    return _checked(vectors, len(ids), source, InputError)


def _arrays(source: str) -> Mapping[str, Any]:
    try:
        loaded = np.load(io.BytesIO(read_bytes(Path(source))), allow_pickle=False)
        arrays = {name: loaded[name] for name in loaded.files} if hasattr(loaded, "files") else {}
    except (ValueError, OSError, EOFError) as fault:
        raise InputError(f"{source} cannot be read as an array: {fault}") from fault
    if not arrays:
        return {VECTORS: loaded}
    if VECTORS not in arrays:
        raise InputError(f"{source} has no array {VECTORS!r}; it has {', '.join(sorted(arrays))}")
    return arrays


def _from_table(source: str, ids: Sequence[str]) -> Vectors:
    sheet = read_sheet(source, Form())
    for column in ("id", "vector"):
        if column not in sheet.columns:
            raise InputError(
                f"{source} has no column {column!r}; it has {', '.join(sheet.columns)}"
            )
    place, vector = sheet.columns.index("id"), sheet.columns.index("vector")
    try:
        vectors = np.array([row[vector] for row in sheet.rows], dtype=np.float32)
    except (TypeError, ValueError) as fault:
        raise InputError(f"{source}: the vectors are not lists of one length") from fault
    names = [str(row[place]) for row in sheet.rows]
    return _in_order(_checked(vectors, None, source, InputError), names, ids, source)


def _in_order(vectors: Vectors, names: Sequence[str], ids: Sequence[str], source: str) -> Vectors:
    rows = {name: row for row, name in enumerate(names)}
    if len(rows) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{source}: the id {twice!r} occurs twice")
    if len(names) != len(vectors):
        raise InputError(f"{source} has {len(vectors)} vectors and {len(names)} ids")
    missing = [name for name in ids if name not in rows]
    if missing:
        raise InputError(f"{source} has no vector of {missing[0]!r} ({len(missing)} are missing)")
    return vectors[[rows[name] for name in ids]]


def _checked(vectors: Any, rows: int | None, source: str, error: type[Exception]) -> Vectors:
    array = np.asarray(vectors)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.number):
        raise error(f"{source}: the vectors are not a table of numbers")
    if rows is not None and len(array) != rows:
        raise error(f"{source} has {len(array)} vectors for {rows} images")
    return array.astype(np.float32, copy=False)
