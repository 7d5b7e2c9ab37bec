"""Read and write Parquet, with the types of the columns."""

import importlib.util
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, BinaryIO

from ..errors import InputError, MissingExtra, OutputError
from .cells import MISSING, cell_text
from .content import Content


def _pyarrow(what: str = "Parquet") -> Any:
    """Return pyarrow. Raises MissingExtra where it is not installed."""
    try:
        import pyarrow
    except ImportError as fault:
        raise MissingExtra(what, "parquet", fault) from fault
    return pyarrow


def _pyarrow_parquet() -> Any:
    import pyarrow.parquet

    return pyarrow.parquet


def read_parquet(data: bytes, name: str) -> Any:
    """Return the Arrow table in a Parquet file. Raises InputError when it cannot be read."""
    if not data:
        raise InputError(f"{name} is empty")
    with _reading_parquet(name):
        return _pyarrow_parquet().read_table(io.BytesIO(data))


def parquet_columns(content: Content) -> list[str]:
    """Return the names of the columns of a file. Raises InputError when it cannot be read."""
    with _reading(content) as file:
        return list(file.schema_arrow.names)


def parquet_tables(content: Content, rows: int, place: int | None = None) -> Iterator[Any]:
    """Yield a file as Arrow tables of so many rows, at least one; of one column, or of all.

    Raises InputError when it cannot be read.
    """
    pa = _pyarrow()
    with _reading(content) as file:
        schema = file.schema_arrow
        # A name that is there twice, or that holds a dot, may stand for several columns.
        alone = place is not None and schema.names.count(schema.names[place]) == 1
        names = [schema.names[place]] if alone and "." not in schema.names[place] else None
        is_empty = True
        for batch in file.iter_batches(rows, columns=names):
            table, is_empty = pa.Table.from_batches([batch]), False
            yield table if place is None or names else table.select([place])
        if is_empty:
            table = schema.empty_table()
            yield table if place is None else table.select([place])


@contextmanager
def _reading(content: Content) -> Iterator[Any]:
    with content.opened() as bytes_of, _reading_parquet(content.name):
        with _pyarrow_parquet().ParquetFile(bytes_of) as file:
            yield file


@contextmanager
def _reading_parquet(name: str) -> Iterator[None]:
    """Raise InputError where a file of this name cannot be read as Parquet."""
    pa = _pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be read as Parquet: {reason}") from error


def arrow_rows(table: Any, name: str) -> list[list[Any]]:
    """Return an Arrow table's rows as Python values. Raises InputError for a type without one."""
    pa = _pyarrow()
    try:
        cells = [column.to_pylist() for column in table.columns]
    except (pa.ArrowException, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be read: {reason}") from error
    return [list(row) for row in zip(*cells, strict=True)] if cells else [[]] * table.num_rows


def arrow_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], schema: Any = None) -> Any:
    """Return rows as an Arrow table; a column of mixed types becomes text.

    schema: gives the columns their types, where rows before and after these have other values.
    """
    pa = _pyarrow()
    cells = [[row[place] for row in rows] for place in range(len(columns))]
    kinds = [None] * len(columns) if schema is None else schema.types
    return pa.table(dict(zip(columns, map(_array, cells, kinds), strict=True)))


def common_schema(tables: Iterable[Any]) -> tuple[Any, bool]:
    """Return a schema for all these Arrow tables, and whether some of them have other types.

    Those may have values that the common type cannot hold, as double cannot hold 2**53 + 1.
    """
    pa = _pyarrow()
    schemas = list(dict.fromkeys(table.schema for table in tables))
    common = schemas[0]
    for schema in schemas[1:]:
        common = pa.schema(map(_common, common, schema))
    null = pa.null()
    pairs = (pair for schema in schemas for pair in zip(schema.types, common.types, strict=True))
    return common, any(kind not in (null, shared) for kind, shared in pairs)


def _common(one: Any, other: Any) -> Any:
    """Return the field for the values of two fields; values of mixed types become text."""
    pa = _pyarrow()
    try:
        fields = [pa.schema([field]) for field in (one, other)]
        return pa.unify_schemas(fields, promote_options="permissive").field(0)
    except pa.ArrowException:
        return one.with_type(pa.string())


def frame_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as a DataFrame where pandas is installed, else as an Arrow table.

    Raises MissingExtra where neither pandas nor pyarrow is installed.
    """
    if importlib.util.find_spec("pandas"):
        import pandas

        return pandas.DataFrame(rows, columns=list(columns))
    _pyarrow("a table as a frame, where pandas is not installed,")
    return arrow_table(columns, rows)


def with_columns(
    table: Any,
    added: Mapping[str, Sequence[Any]],
    types: Mapping[str, frozenset[type]] | None = None,
) -> Any:
    """Return an Arrow table with columns added; all but truth values and numbers are text.

    A column with a whole number of more than 64 bits is text too.

    types: the types that the values of a column may have, so that several tables get columns of
    one type; without them, those of its values.
    """
    pa = _pyarrow()
    arrays = {}
    for name, values in added.items():
        seen = {type(value) for value in values if value is not None}
        if types and name in types:
            kind = _kind(types[name])
        elif name.startswith(("score", "category_score")) and seen <= {int, float}:
            kind = pa.float64()  # also where no row of this table has a score
        else:
            kind = _kind(seen)
        if kind == pa.int64() and not all(_is_in_64_bits(value) for value in values):
            kind = pa.string()
        texts = kind == pa.string()
        arrays[name] = pa.array([_written(value) if texts else value for value in values], kind)
    if not table.num_columns:
        return pa.table(arrays)
    for name, array in arrays.items():
        table = table.append_column(name, array)
    return table


def _is_in_64_bits(value: Any) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _written(value: Any) -> str | None:
    return None if value is None or value is MISSING else cell_text(value)


def write_parquet(file: BinaryIO, tables: Iterable[Any]) -> None:
    """Write Arrow tables with the same columns, at least one, one after the other.

    Raises OutputError for values that Parquet cannot hold.
    """
    pa, pq = _pyarrow(), _pyarrow_parquet()
    left = iter(tables)
    first = next(left)
    try:
        with pq.ParquetWriter(file, first.schema) as writer:
            for table in chain([first], left):
                writer.write_table(table)
    except (pa.ArrowException, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise OutputError(f"Parquet cannot hold these rows: {reason}") from error


def _kind(types: Set[type]) -> Any:
    """Return the type of a column whose values have these types."""
    pa = _pyarrow()
    if types == {bool}:
        return pa.bool_()
    if types == {int}:
        return pa.int64()
    return pa.float64() if types and types <= {int, float} else pa.string()


def _array(values: list[Any], kind: Any = None) -> Any:
    pa = _pyarrow()
    cells = [None if value is MISSING else value for value in values]
    if not _is_mixed(set(map(type, cells))):
        with suppress(pa.ArrowException, OverflowError, UnicodeEncodeError):
            return pa.array(cells, kind)
    texts = [None if cell is None else cell_text(cell) for cell in cells]
    encoded = [text and text.encode("utf-8", "backslashreplace").decode() for text in texts]
    return pa.array(encoded, pa.string())


def _is_mixed(types: Set[type]) -> bool:
    """Whether values have several types; beside a date, Arrow would make a date of a number."""
    types = types - {type(None)}
    are_numbers = all(issubclass(kind, (int, float)) and kind is not bool for kind in types)
    return len(types) > 1 and not are_numbers
