"""Columns of a table in memory: few values as codes, numbers as arrays."""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.delimited import allow_long_cells

Codes = NDArray[np.int32]
Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """A column of few values: `codes` has the place of each row's value in `values`."""

    values: tuple[str, ...]
    codes: Codes

    def at(self, row: int) -> str:
        """Return the value of a row."""
        return self.values[int(self.codes[row])]

    def counts(self, mask: Mask) -> list[int]:
        """Return how many rows of the mask have each value."""
        counted: list[int] = np.bincount(self.codes[mask], minlength=len(self.values)).tolist()
        return counted

    def among(self, wanted: Iterable[str]) -> Mask:
        """Return which rows have one of these values."""
        chosen = np.array([value in set(wanted) for value in self.values], dtype=bool)
        return chosen[self.codes] if len(chosen) else np.zeros(len(self.codes), dtype=bool)


def coded(cells: Sequence[str], values: Iterable[str] = ()) -> Coded:
    """Return a column of these cells; `values` come first, in their order.

    >>> coded(["b", "a", "b"]).values
    ('b', 'a')
    """
    places: defaultdict[str, int] = defaultdict()
    places.default_factory = places.__len__  # a new value gets the next place
    for value in values:
        places[value]
    codes = np.fromiter(map(places.__getitem__, cells), dtype=np.int32, count=len(cells))
    return Coded(tuple(places), codes)


def numbers(cells: Iterable[str]) -> Numbers:
    """Return a column of numbers; an empty cell is NaN."""
    known = [float(cell) if cell else math.nan for cell in cells]
    return np.array(known, dtype=np.float64)


def rows_of(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the needed cells, two or more, of each row of a CSV file of an evaluation, in order.

    Raises InputError for a file that is not there, lacks a column, or has a damaged row.
    """
    allow_long_cells()
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            header = {name: at for at, name in enumerate(next(reader, []))}
            lacking = [name for name in needed if name not in header]
            if lacking:
                raise InputError(f"{path} has no column {lacking[0]}; run dxjudge evaluate again")
            yield from map(itemgetter(*(header[name] for name in needed)), reader)
    except FileNotFoundError as fault:
        raise InputError(f"{path.parent} has no {path.name}; run dxjudge evaluate again") from fault
    except (IndexError, ValueError, csv.Error) as fault:
        raise InputError(f"{path} is damaged: {fault}") from fault


def many(by_value: Mapping[str, Iterable[int]], length: int) -> dict[str, Mask]:
    """Return, for each value, which of `length` things have it."""
    masks = {}
    for value, places in by_value.items():
        mask = np.zeros(length, dtype=bool)
        mask[list(places)] = True
        masks[value] = mask
    return masks
