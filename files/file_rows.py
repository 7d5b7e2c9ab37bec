"""Rows of a large file, read from it each time, so that memory does not hold them."""

from collections.abc import Callable, Iterator, Sequence, Sized
from itertools import chain, islice
from typing import Any, TypeVar, overload

from ..errors import InputError
from .content import Content
from .parquet import arrow_rows, arrow_table, common_schema, parquet_tables

_SLICE = 100_000  # rows of a table
_FEW = 16  # rows that are read at once; each may be long

Part = TypeVar("Part", bound=Sized)


class FileRows(Sequence[list[Any]]):
    """The rows of a file in their order. Iterate them; another access reads the file up to there.

    Raises InputError where the file changed since it was opened, after the last row too.
    """

    def __init__(
        self, content: Content, read: Callable[[], Iterator[list[Any]]], *, typed: bool = False
    ) -> None:
        """read: yields the rows, from the first one. typed: whether some cells are not texts."""
        self.content = content
        self._read = read
        self._typed = typed
        self._size: int | None = None

    def __iter__(self) -> Iterator[list[Any]]:
        return chain.from_iterable(self._passed(_some(self._read(), _FEW)))

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
        """Yield the rows as Arrow tables with the same types, some rows each, at least one table.

        Where cells are not texts, the file is read once more, to find the types of the columns,
        and again where parts differ: a column becomes text where its common type cannot hold all.
        """
        schema, is_open = None, self._typed
        while is_open:
            schema, is_open = common_schema(self._tables(columns, schema))
        return self._tables(columns, schema)

    def _tables(self, columns: Sequence[str], schema: Any = None) -> Iterator[Any]:
        parts = _some(iter(self), _SLICE)
        for rows in chain([next(parts, [])], parts):
            yield arrow_table(columns, rows, schema)

    def _passed(self, parts: Iterator[Part]) -> Iterator[Part]:
        """Yield the parts of all rows; the file must have the same rows in every reading."""
        rows = 0
        self.content.check()
        for part in parts:
            rows += len(part)
            if self._size is not None and rows > self._size:
                break
            yield part
        self.content.check()
        if self._size not in (None, rows):
            raise InputError(f"{self.content.name} has other rows than when it was read before")
        self._size = rows


class ParquetRows(FileRows):
    """The rows of a Parquet file."""

    def __init__(self, content: Content) -> None:
        super().__init__(content, lambda: _parquet_rows(content))

    def cells(self, place: int) -> Iterator[Any]:
        """Yield the cells of a column; only this column is read."""
        tables = self._passed(parquet_tables(self.content, _SLICE, place))
        return (row[0] for table in tables for row in arrow_rows(table, self.content.name))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables, some rows each, at least one table."""
        return self._passed(parquet_tables(self.content, _SLICE))


def _parquet_rows(content: Content) -> Iterator[list[Any]]:
    for table in parquet_tables(content, _SLICE):
        yield from arrow_rows(table, content.name)


def _some(rows: Iterator[list[Any]], most: int) -> Iterator[list[list[Any]]]:
    """Yield lists of so many rows."""
    return iter(lambda: list(islice(rows, most)), [])
