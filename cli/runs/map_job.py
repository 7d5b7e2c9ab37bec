"""What `dxjudge map` is asked to do: the options for rows and files, and the texts of each row."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote

from ...errors import InputError, UsageError
from ...files.bytes import check_writable
from ...files.content import Tell
from ...files.forms import Form, OutputFormat, output_format
from ...files.large import open_sheet
from ...files.rows_in import Sheet, cell_texts, text_column
from ...files.rows_out import check_columns
from ...files.sequences import Repeated, repeated
from ...ontology.exchange.concepts import Concepts, read_concepts
from ...ontology.exchange.write import check_concepts
from ...ontology.reading.several import split_diagnoses
from ...ontology.reading.style import Style
from ...ontology.table_row import text_key
from ...ontology.tree import Tree
from .finishing import journal_path
from .map_accept import Wanted

_COUNTS = ("count", "counts", "frequency", "freq", "occurrences", "row count", "row_count")
_MOST_DIGITS = 18  # a larger number does not fit into 64 bits, and counts no rows


@dataclass(frozen=True)
class Request:
    """The options for rows and files; the settings of the mapper are apart."""

    input: str
    output: str
    column: str | None
    split: bool
    candidates: bool
    form: Form
    output_format: str | None
    table: Path | None
    journal: Path | None = None
    concepts: Path | None = None
    wanted: Wanted = Wanted()
    style: Style | None = None
    workers: int | None = None
    count: str | None = None


@dataclass(frozen=True)
class Job:
    """The input, and the texts of each row: one text, or several where the cell is split.

    stands_for: for each row, how many rows of an earlier table it stands for; None where each
    stands for itself.
    """

    sheet: Sheet
    column: str
    format: OutputFormat
    texts: Repeated[tuple[str, ...]]
    distinct: list[str]
    concepts: Concepts | None = None
    stands_for: "array[int] | None" = None

    @cached_property
    def counts(self) -> Counter[str]:
        """How many rows hold each text, those counted for which a row stands."""
        counts = Counter[str]()
        for of_row, rows in self.texts.counted(self.stands_for):
            for text in set(of_row):
                counts[text] += rows
        return counts

    @cached_property
    def frequent_first(self) -> list[str]:
        """The distinct texts, those of most rows first, as people review them."""
        return sorted(self.distinct, key=lambda text: -self.counts[text])

    @property
    def column_of_counts(self) -> str | None:
        """The column that may say how many rows each stands for, where nobody named one."""
        if self.stands_for is not None or len(self.distinct) < len(self.texts):
            return None
        return column_of_counts(self.sheet.columns)


def column_of_counts(names: Iterable[str]) -> str | None:
    """Return the first column whose name says that it may count rows."""
    return next((name for name in names if name.strip().lower() in _COUNTS), None)


def hint_of_counts(name: str) -> str:
    """Return what the summary says of such a column, where nobody named one."""
    return (
        f"every text stands once; if {name} says how often, --count {quote(name)} counts those rows"
    )


def read_job(request: Request, tree: Tree, tell: Tell | None = None) -> Job:
    """Read the input, and check before any work that the output can be written.

    tell: follows how far a large input is read.
    """
    sheet = open_sheet(request.input, request.form, column=request.column, tell=tell)
    format = output_format(request.output, request.output_format, sheet.format)
    check_columns(sheet, format)
    check_concepts(format, request.concepts)
    concepts = read_concepts(request.concepts, tree) if request.concepts else None
    written = [Path(path) for path in (request.output, request.table) if path not in (None, "-")]
    journals = [path for path in (journal_path(request.output, request.journal),) if path]
    paths = [path.resolve() for path in (Path(request.input), *written, *journals)]
    if len(set(paths)) < len(paths):
        raise UsageError("input, output, table and journal must be different files")
    for path in written:
        check_writable(path)
    index = text_column(sheet, request.column)
    texts = texts_of(cell_texts(sheet, index), split=request.split)
    distinct = list(dict.fromkeys(text for of_row in texts.values for text in of_row))
    stands_for = _stands_for(sheet, request.count) if request.count is not None else None
    return Job(sheet, sheet.columns[index], format, texts, distinct, concepts, stands_for)


def _stands_for(sheet: Sheet, column: str) -> "array[int]":
    """Return the whole numbers in a column. Raises InputError for another cell."""
    index = text_column(sheet, column)
    return numbers_of_rows(cell_texts(sheet, index), sheet.columns[index], sheet.place)


def numbers_of_rows(cells: Iterable[str], column: str, place: Callable[[int], str]) -> "array[int]":
    """Return the cells of a column that says how many rows each row stands for.

    place: names a row, whose number counts from 0. Raises InputError for another cell.
    """

    def whole(row: int, cell: str) -> int:
        digits = cell.strip().removesuffix(".0")  # a spreadsheet or a frame may make 12.0 of 12
        if not digits.isdecimal() or len(digits) > _MOST_DIGITS:
            raise InputError(
                f"{place(row)}: column {column!r} holds {cell!r}, not a number of rows"
            )
        return int(digits)

    return array("Q", (whole(row, cell) for row, cell in enumerate(cells)))


def texts_of(cells: Iterable[str], *, split: bool) -> Repeated[tuple[str, ...]]:
    """Return the texts of each cell: one, or several where cells are split."""
    read = split_diagnoses if split else _whole
    return repeated(cells).replaced(lambda cell: tuple(map(text_key, read(cell))))


def _whole(cell: str) -> tuple[str, ...]:
    return (cell,)
