"""Tables in memory: pandas, polars and Arrow frames, and lists of dicts.

A library is imported only when the caller passes one of its frames.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import MissingExtra
from .cells import is_empty, to_json
from .rows_in import Sheet, column_texts, text_column
from .rows_out import added_names
from .sequences import Lazy, Repeated, read_by_row

_FRAMES = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame", "LazyFrame"),
    "pyarrow": ("Table", "RecordBatch", "RecordBatchReader"),
}


def is_frame(value: Any) -> bool:
    """Whether a value is a table: a frame of a known library, or a list of dicts."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(row, Mapping) for row in value)
    kind = type(value)
    return kind.__name__ in _FRAMES.get(kind.__module__.partition(".")[0], ())


def as_arrow(columns: Mapping[str, Any]) -> Any:
    """Return a dict of columns as an Arrow table. Raises MissingExtra without pyarrow."""
    try:
        import pyarrow
    except ImportError as fault:
        raise MissingExtra("a batch of columns", "parquet", fault) from fault
    return pyarrow.table(dict(columns))


def whole(frame: Any) -> Any:
    """Return a frame that can be read more than once: collect a lazy frame or a stream."""
    if hasattr(frame, "collect"):
        return frame.collect()
    return frame.read_all() if hasattr(frame, "read_all") else frame


def frame_texts(frame: Any, column: str | None) -> list[str]:
    """Return the cells of the diagnosis column as text, a missing one as the empty text.

    Raises UsageError, listing the columns, when no column is obvious or two have the name;
    InputError for a cell that is a list, an object or bytes.
    """
    names = frame_columns(frame)
    place = text_column(Sheet("the frame", "csv", names, []), column)
    cells = _cells(frame, names, place)
    return column_texts(Sheet("the frame", "csv", [names[place]], [[cell] for cell in cells]), 0)


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame as mappings from column to plain cell; missing is None."""
    table = whole(frame)
    names = frame_columns(table)
    columns = [_cells(table, names, place) for place in range(len(names))]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def with_added(
    frame: Any,
    added: Mapping[str, Sequence[Any]],
    types: Mapping[str, frozenset[type]] | None = None,
) -> Any:
    """Return a new frame of the same kind with columns added at its end, one value a row.

    types: for an Arrow table, the types that the values of a column may have (`with_columns`).

    A pandas frame keeps its index. An added column whose name is already used gets another name,
    as in the output of `dxjudge map`. Lists and objects are added as JSON.
    """
    free = added_names(Sheet("the frame", "csv", frame_columns(frame), []), list(added))
    columns = read_by_row({free[name]: _flattened(cells) for name, cells in added.items()})
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        return frame.assign(**columns)
    if library == "polars":
        import polars

        return frame.with_columns(
            [polars.Series(name, cells, strict=False) for name, cells in columns.items()]
        )
    if library == "pyarrow":
        from .parquet import with_columns

        return with_columns(frame, columns, {free[name]: of for name, of in (types or {}).items()})
    return [
        {**row, **{name: cells[place] for name, cells in columns.items()}}
        for place, row in enumerate(frame)
    ]


def like(frame: Any, original: Any) -> Any:
    """Return a lazy frame if the original was lazy; a stream of record batches stays a table."""
    return frame.lazy() if type(original).__name__ == "LazyFrame" else frame


def without_missing(value: Any) -> Any:
    """Return a value of a frame as plain JSON; missing values, also nested ones, are None."""
    if isinstance(value, Mapping):
        return {str(key): without_missing(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):  # an array or a number of numpy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [without_missing(inner) for inner in value]
    if isinstance(value, str):
        return value
    return None if is_empty(value) else value


def _flattened(cells: Sequence[Any]) -> Sequence[Any]:
    """Return a column with lists and objects as JSON; a repeated value is converted once."""
    if isinstance(cells, Repeated):
        return cells.replaced(_flat)
    return Lazy(len(cells), lambda place: _flat(cells[place]))


def _flat(cell: Any) -> Any:
    return to_json(cell) if isinstance(cell, (list, dict)) else cell


def frame_columns(frame: Any) -> list[str]:
    """Return the names of a frame's columns."""
    if isinstance(frame, (list, tuple)):
        return list(dict.fromkeys(str(key) for row in frame for key in row))
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return [str(name) for name in names]


def _cells(frame: Any, names: list[str], place: int) -> list[Any]:
    if isinstance(frame, (list, tuple)):
        cells = [row.get(names[place]) for row in frame]
    elif hasattr(frame, "iloc"):
        cells = list(frame.iloc[:, place])
    elif hasattr(frame, "to_pylist"):
        cells = frame.column(place).to_pylist()
    else:
        cells = frame.to_series(place).to_list()
    return [without_missing(cell) for cell in cells]
