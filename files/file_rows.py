"""Rows of a large file, read from it each time, so that memory does not hold them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

from ..errors import InputError
from .parquet import arrow_rows, arrow_table, parquet_tables

_SLICE = 100_000  # rows of a table


class FileRows(Sequence[list[Any]]):
    """The rows of a file in their order. Iterate them; another access reads the file up to there.

    Raises InputError where the file changed between two readings.
    """

    def __init__(self, path: Path, read: Callable[[], Iterator[list[Any]]]) -> None:
        """read: yields the rows, from the first one."""
        self.path = path
        self._read = read
        self._state = _state(path)
        self._size: int | None = None

    def __iter__(self) -> Iterator[list[Any]]:
        self._check()
        return self._read()

    def __len__(self) -> int:
        if self._size is None:
            self._size = sum(1 for _ in self)
        return self._size

    @overload
    def __getitem__(self, place: int) -> list[Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[Any]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(islice(self, *place.indices(len(self))))
        number = range(len(self))[place]
        return next(islice(self, number, None))

    def cells(self, place: int) -> Iterator[Any]:
        """Yield the cells of a column."""
        return (row[place] for row in self)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, some rows each, at least one table."""
        rows = iter(self)
        first = list(islice(rows, _SLICE))
        yield arrow_table(columns, first)
        while some := list(islice(rows, _SLICE)):
            yield arrow_table(columns, some)

    def _check(self) -> None:
        if _state(self.path) != self._state:
            raise InputError(f"{self.path} changed while it was read")


class ParquetRows(FileRows):
    """The rows of a Parquet file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, self._rows)

    def cells(self, place: int) -> Iterator[Any]:
        """Yield the cells of a column; only this column is read."""
        self._check()
        for table in parquet_tables(self.path, _SLICE, place):
            yield from (row[0] for row in arrow_rows(table, str(self.path)))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, some rows each, at least one table."""
        self._check()
        return parquet_tables(self.path, _SLICE)

    def _rows(self) -> Iterator[list[Any]]:
        for table in parquet_tables(self.path, _SLICE):
            yield from arrow_rows(table, str(self.path))


def _state(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError as fault:
        raise InputError(f"{path} cannot be read: {fault.strerror or fault}") from fault
    return about.st_size, about.st_mtime_ns
