"""Find the distinct texts of `dxjudge map --cluster`: its first two kinds of work.

    Scan   a piece of the input   -> its distinct texts, in buckets        _journal/texts/
    Gather a bucket of all pieces -> the distinct texts of the whole job   _journal/distinct/

A piece whose texts are there is not scanned again.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import InputError, OutputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.forms import Form
from ...files.sequences import Repeated
from ...ontology.reading.style import count_forms
from ..runs.map_job import column_of_counts, numbers_of_rows, texts_of
from .on_ray import Item
from .pieces import Piece, PieceRows, column_of, read_piece, why_unread

TEXTS, DISTINCT = f"{JOURNAL}/texts", f"{JOURNAL}/distinct"
LARGEST = 25_000  # texts of a block
_SMALLEST, _BLOCKS = 250, 4_000  # texts of a block, and blocks of a job
_SLICE = 100_000  # rows that are written at once


@dataclass(frozen=True)
class MapJob:
    """What all workers know.

    source, output: paths or addresses. buckets: the number of groups in which the distinct texts
    of the whole input are found. count: the column that says how many rows each stands for.
    """

    source: str
    output: str
    form: Form
    column: str | None
    split: bool
    candidates: bool
    buckets: int
    count: str | None = None

    @cached_property
    def blocks(self) -> Blocks:
        """The parts of the output, and the blocks that are kept until the job is complete."""
        return Blocks(self.output)

    @property
    def columns(self) -> list[str | None]:
        """The columns that are read, as the options name them; that of the texts is the first."""
        return [self.column] if self.count is None else [self.column, self.count]

    def texts_of(self, rows: PieceRows) -> Repeated[tuple[str, ...]]:
        """Return the texts of each row: one, or several where cells are split."""
        return texts_of(rows.texts(self.column), split=self.split)

    def stands_for(self, rows: PieceRows, part: str = "") -> Sequence[int] | None:
        """Return how many rows each row stands for; None where each stands for itself.

        part: of a file, for messages. Raises UsageError and InputError for a faulty column.
        """
        if self.count is None:
            return None
        cells = rows.texts(self.count)
        return numbers_of_rows(cells, self.count, lambda row: f"row {row + 1}{part}")

    def read(self, piece: Piece, *, texts_only: bool) -> PieceRows:
        """Return the rows of a piece; texts_only: without further columns."""
        only = self.columns if texts_only else None
        return read_piece(self.source, piece, self.form, self.column, only)


@dataclass(frozen=True)
class Scan:
    """Finds the distinct texts of a piece. A piece that cannot be read is recorded as unread."""

    job: MapJob

    def __call__(self, item: Item) -> Item:
        """Return the counts of the piece: rows, columns, and why it is unread."""
        piece = Piece.of_item(item)
        name = f"{TEXTS}/{piece.number:06d}"
        known = self.job.blocks.counts(name)
        if known and not known["unread"]:
            return known
        counts: dict[str, Any] = {"rows": 0, "column": "", "counting": None, "unread": ""}
        distinct: set[str] = set()
        try:
            rows = self.job.read(piece, texts_only=True)
            column, *_ = (column_of(rows.names, piece.path, one) for one in self.job.columns)
            texts = {text for of_row in self.job.texts_of(rows).values for text in of_row}
            self.job.stands_for(rows, piece.part)
            distinct, counts["rows"], counts["column"] = texts, len(rows), column
            counts["counting"] = column_of_counts(rows.names)
        except (InputError, UsageError, OutputError) as fault:
            counts["unread"] = why_unread(piece, fault)
        self.job.blocks.write(name, self._in_buckets(distinct), counts)
        return counts

    def _in_buckets(self, texts: set[str]) -> Iterator[Any]:
        """Yield a table for each bucket; a text is in the same bucket on every machine."""
        buckets: list[list[str]] = [[] for _ in range(self.job.buckets)]
        for text in texts:
            buckets[zlib.crc32(text.encode()) % self.job.buckets].append(text)
        yield from (text_table(text=bucket) for bucket in buckets)


@dataclass(frozen=True)
class Gather:
    """Finds the distinct texts of a bucket in the whole input, from the texts of `pieces` pieces.

    It is done by every run, because a piece that could not be read may be there now.
    """

    job: MapJob
    pieces: int

    def __call__(self, item: Item) -> Item:
        """Return how many texts the bucket holds, and how many are written as on forms."""
        import pyarrow

        bucket = item["bucket"]
        tables = [
            self.job.blocks.read(f"{TEXTS}/{piece:06d}", bucket) for piece in range(self.pieces)
        ]
        texts = pyarrow.concat_tables(tables)["text"].unique().sort()
        of_form = sum(count_forms(some.to_pylist()) for some in slices_of(texts))
        empty = len(texts) > 0 and texts[0].as_py() == ""
        counts = {"bucket": bucket, "texts": len(texts), "of_form": of_form, "empty": empty}
        self.job.blocks.write(f"{DISTINCT}/{bucket:06d}", [text_table(text=texts)], counts)
        return counts


def blocks_of(texts: Mapping[int, int], most: int = LARGEST) -> list[Item]:
    """Return the blocks of all buckets. texts: how many each has. most: texts of a block."""
    size = min(max(_SMALLEST, sum(texts.values()) // _BLOCKS), most)
    return [
        {"bucket": bucket, "first": first, "texts": min(size, count - first)}
        for bucket, count in texts.items()
        for first in range(0, count, size)
    ]


def text_table(**columns: Any) -> Any:
    """Return columns of texts as an Arrow table."""
    import pyarrow

    fields = pyarrow.schema([(name, pyarrow.string()) for name in columns])
    return pyarrow.table(columns, fields)


def slices_of(rows: Any) -> Iterator[Any]:
    """Yield an Arrow array or the rows of a piece in slices, at least one."""
    for first in range(0, max(len(rows), 1), _SLICE):
        yield rows.slice(first, _SLICE)
