"""The input of a job on many machines: its files, in pieces that one worker reads at once."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from ...cache.key import fingerprint
from ...errors import InputError
from ...files.blocks import open_place
from ...files.cells import Missing
from ...files.forms import Form, format_of
from ...files.frames import frame_texts
from ...files.parquet import arrow_table
from ...files.rows_in import Sheet, sheet_of, text_column
from ...files.rows_out import check_columns

_ROWS = 200_000  # rows of a Parquet file that one worker reads at once, unless a row group has more
_OPENERS = 16  # threads that read the ends of Parquet files


@dataclass(frozen=True)
class Piece:
    """A file of the input, or some row groups of a Parquet file.

    path: in the file system of the input. groups: None for a whole file.
    """

    number: int
    path: str
    groups: tuple[int, ...] | None = None

    @classmethod
    def of_item(cls, item: Mapping[str, Any]) -> "Piece":
        """Return the piece of plain JSON, where its groups are a list."""
        groups = item["groups"]
        return cls(item["number"], item["path"], None if groups is None else tuple(groups))

    @property
    def part(self) -> str:
        """What a message says of the part of the file that this is."""
        if self.groups is None:
            return ""
        return f" of its row groups {self.groups[0] + 1} to {self.groups[-1] + 1}"

    def as_item(self) -> dict[str, Any]:
        """Return the piece as plain JSON."""
        return asdict(self)


@dataclass(frozen=True)
class PieceRows:
    """The rows of a piece.

    table: an Arrow table, as they are written. cells: as they were read, the columns that Arrow
    changes, because it gives all values of a column one type: beside 5.5 it makes 5.0 of 5. names:
    of all columns, also where some of them were not read.
    """

    table: Any
    cells: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    names: Sequence[str] = ()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def slice(self, first: int, rows: int) -> "PieceRows":
        """Return some of the rows."""
        cells = {name: of[first : first + rows] for name, of in self.cells.items()}
        return PieceRows(self.table.slice(first, rows), cells, self.names)

    def column(self, name: str) -> Sequence[Any]:
        """Return the cells of a column."""
        return self.cells[name] if name in self.cells else self.table[name].to_pylist()

    def texts(self, wanted: str | None) -> list[str]:
        """Return the texts of a column, as `frame_texts` does for a frame."""
        name = column_of(self.table.column_names, "the frame", wanted)
        frame = [{name: cell} for cell in self.cells[name]] if name in self.cells else self.table
        return frame_texts(frame, name)

    @property
    def frame(self) -> Any:
        """The rows with all their cells."""
        if not self.cells:
            return self.table
        names = self.table.column_names
        columns = (self.column(name) for name in names)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Pieces:
    """The pieces of an input. others: files of a form that is not read. size: in bytes.

    digest: of the names, sizes and times of all files.
    """

    pieces: Sequence[Piece]
    others: Sequence[str]
    size: int
    digest: str


def find_pieces(place: str, form: Form) -> Pieces:
    """List a file, or the files of a folder and the folders in it.

    Names that begin with "_" or "." are left out, as all tools for such folders do. Raises
    InputError where there is nothing to read, or where it cannot be reached.
    """
    files, path = open_place(place)  # says which extra is missing, so it comes before the import
    from pyarrow.fs import FileSelector, FileType

    try:
        [root] = files.get_file_info([path])
        is_folder = root.type == FileType.Directory
        listed = files.get_file_info(FileSelector(path, recursive=True)) if is_folder else [root]
    except OSError as fault:
        raise InputError(f"{place} cannot be read: {fault}") from fault
    if root.type == FileType.NotFound:
        raise InputError(f"{place}: there is no such file or folder")
    infos = sorted(
        (info for info in listed if info.is_file and not _is_hidden(info.path[len(path) :])),
        key=lambda info: info.path,
    )
    read = [info for info in infos if form.format or format_of(info.path) or info is root]
    if not read:
        raise InputError(f"{place} holds no file of a known form")
    with ThreadPoolExecutor(_OPENERS) as pool:
        groups = list(pool.map(lambda info: _groups(files, info.path, form), read))
    split = ((info.path, some) for info, of in zip(read, groups, strict=True) for some in of)
    pieces = [Piece(number, path, some) for number, (path, some) in enumerate(split)]
    about = [[info.path[len(path) :], info.size, info.mtime_ns] for info in read]
    known = {info.path for info in read}
    others = [info.path for info in infos if info.path not in known]
    return Pieces(pieces, others, sum(info.size for info in read), fingerprint(about))


def _is_hidden(path: str) -> bool:
    return any(name.startswith(("_", ".")) for name in path.split("/"))


def _groups(files: Any, path: str, form: Form) -> list[tuple[int, ...] | None]:
    """Return the row groups of each piece of a file; None stands for the whole file."""
    import pyarrow
    import pyarrow.parquet as parquet

    if form.kind_of(path) != "parquet":
        return [None]
    try:
        about = parquet.read_metadata(path, filesystem=files)
    except (pyarrow.ArrowException, OSError):
        return [None]  # the worker that reads it says why it cannot be read
    some: list[tuple[int, ...]] = [()]
    rows = 0
    for group in range(about.num_row_groups):
        if rows and rows + about.row_group(group).num_rows > _ROWS:
            some.append(())
            rows = 0
        some[-1] += (group,)
        rows += about.row_group(group).num_rows
    return [None] if len(some) == 1 else list(some)


def column_of(names: Sequence[str], path: str, wanted: str | None) -> str:
    """Return the name of the column with the diagnoses. Raises UsageError where it is not clear."""
    return names[text_column(Sheet(path, "csv", list(names), []), wanted)]


def why_unread(piece: Piece, fault: Exception) -> str:
    """Return why a piece is unread, with its path."""
    why = str(fault)
    return why if piece.path in why else f"{piece.path}: {why}"


def read_piece(
    place: str, piece: Piece, form: Form, column: str | None,
    only: Sequence[str | None] | None = None,
) -> PieceRows:  # fmt: skip
    """Return the rows of a piece.

    column: the option of the command. only: of a Parquet file read these columns, each as such an
    option. Raises InputError, UsageError or OutputError where the file cannot be read.
    """
    import pyarrow
    import pyarrow.parquet as parquet

    files, _ = open_place(place)
    kind = form.kind_of(piece.path)
    try:
        with files.open_input_file(piece.path) as file:
            if kind != "parquet":
                return _plain(file.readall(), piece.path, form, column)
            opened = parquet.ParquetFile(file)
            names = opened.schema_arrow.names
            wanted = only and [*{column_of(names, piece.path, one): None for one in only}]
            groups = range(opened.num_row_groups) if piece.groups is None else piece.groups
            return PieceRows(opened.read_row_groups(list(groups), columns=wanted), names=names)
    except (pyarrow.ArrowException, OSError) as fault:
        reason = str(fault).partition("\n")[0]
        raise InputError(f"{piece.path} cannot be read: {reason}") from fault


def _plain(data: bytes, path: str, form: Form, column: str | None) -> PieceRows:
    """Return the rows of any form but Parquet; a column without any value is one of texts.

    Without a value there is no type, and the files of a folder must agree on one.
    """
    import pyarrow

    sheet = sheet_of(data, path, form, column=column)
    check_columns(sheet, "parquet")
    table = arrow_table(sheet.columns, sheet.rows)
    fields = [
        field.with_type(pyarrow.string()) if pyarrow.types.is_null(field.type) else field
        for field in table.schema
    ]
    return PieceRows(table.cast(pyarrow.schema(fields)), dict(_changed(sheet)), sheet.columns)


def _changed(sheet: Sheet) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns whose values Arrow may change: of several types, lists and objects."""
    if sheet.format in ("csv", "tsv", "txt"):
        return  # they have texts alone
    for place, name in enumerate(sheet.columns):
        kinds = {type(row[place]) for row in sheet.rows} - {type(None), Missing}
        if len(kinds) > 1 or kinds & {list, dict}:
            yield name, [row[place] for row in sheet.rows]
