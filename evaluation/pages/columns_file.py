"""The columns of a run as a file beside its tables, which is read in a tenth of their time."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OutputError
from ...files.bytes import writing
from ..records import INPUTS, SIGNATURE
from .coded import Coded
from .kept import ATTEMPTS
from .row_columns import Columns
from .scores import SCORES
from .verdict_rows import VERDICTS, VOTES, Row

COLUMNS = "columns.npz"
_FORM = 1
"""Raise it when the content of the file, or the way its columns are made, changes in a version."""
_MADE_OF = (INPUTS, SIGNATURE, VERDICTS, VOTES, SCORES, ATTEMPTS)
_FEW = ("case", "model", "task", "judge", "status")  # the cells of a row that are facets too
_NUMBERS = ("cost", "seconds", "score")
_FAULTS = (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile)
Arrays = Mapping[str, NDArray[Any]]
Stamp = list[Any]


def read_columns(folder: Path) -> Columns | None:
    """Read the columns that are kept; None where there are none, or the tables are others now."""
    try:
        with np.load(folder / COLUMNS, allow_pickle=False) as file:
            arrays = dict(file)
        about = json.loads(arrays.pop("about").tobytes())
        return _columns(about, arrays) if about["stamp"] == stamp_of(folder) else None
    except _FAULTS:  # it is not there, of another form, or damaged: the tables have everything
        return None


def keep_columns(folder: Path, columns: Columns, stamp: Stamp) -> None:
    """Write the columns beside the tables; where nothing can be written, the next time is slow.

    stamp: of the tables before they were read, so that columns of older ones are never taken.
    """
    about, arrays = _packed(columns)
    text = json.dumps({"stamp": stamp, **about}).encode("utf-8", "surrogatepass")
    everything: Any = {"about": np.frombuffer(text, dtype=np.uint8), **arrays}
    content = io.BytesIO()
    np.savez(content, **everything)
    with suppress(OutputError), writing(folder / COLUMNS) as file:
        file.write(content.getvalue())


def stamp_of(folder: Path) -> Stamp:
    """Another once a table is written again: the size and the time of each, or None for one that
    is not there, and the version of the package and of the form that made the columns.
    """
    return [version("dxjudge"), _FORM, *(_size_and_time(folder / name) for name in _MADE_OF)]


def _size_and_time(path: Path) -> list[int] | None:
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return [about.st_size, about.st_mtime_ns]


def _packed(columns: Columns) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return texts, and arrays by their names."""
    cells = {
        name: [getattr(row, name) for row in columns.rows]
        for name in Row._fields
        if name not in _FEW
    }
    words = {"words": columns.words, **columns.facets}
    about = {
        "cells": cells,
        "values": {name: column.values for name, column in words.items()},
        "groups": {name: [*by_value] for name, by_value in columns.groups.items()},
        "metrics": columns.metrics,
        "pairs": columns.pairs,
    }
    arrays: dict[str, NDArray[Any]] = {
        f"codes {name}": column.codes for name, column in words.items()
    }
    arrays |= {name: getattr(columns, name) for name in _NUMBERS}
    for at, by_value in enumerate(columns.groups.values()):
        arrays |= {f"group {at} {place}": mask for place, mask in enumerate(by_value.values())}
    return about, arrays


def _columns(about: Mapping[str, Any], arrays: Arrays) -> Columns:
    facets = {
        name: Coded(tuple(values), arrays[f"codes {name}"])
        for name, values in about["values"].items()
    }
    words = facets.pop("words")
    return Columns(
        tuple(_rows(about["cells"], facets)), words, facets, dict(_groups(about["groups"], arrays)),
        arrays["cost"], arrays["seconds"], arrays["score"], tuple(about["metrics"]), about["pairs"],
    )  # fmt: skip


def _rows(cells: Mapping[str, list[str]], facets: Mapping[str, Coded]) -> Iterable[Row]:
    few = {name: [*map(facets[name].values.__getitem__, facets[name].codes.tolist())]
           for name in _FEW}  # fmt: skip
    every = {**cells, **few}
    return map(Row._make, zip(*(every[name] for name in Row._fields), strict=True))


def _groups(
    groups: Mapping[str, list[str]], arrays: Arrays
) -> Iterator[tuple[str, dict[str, NDArray[Any]]]]:
    for at, (name, values) in enumerate(groups.items()):
        yield name, {value: arrays[f"group {at} {place}"] for place, value in enumerate(values)}
