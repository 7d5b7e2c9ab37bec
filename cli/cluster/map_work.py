"""What the workers of `dxjudge map --cluster` do: four kinds of work, one after the other.

    Scan   a piece of the input   -> its distinct texts, in buckets        _journal/texts/
    Gather a bucket of all pieces -> the distinct texts of the whole job   _journal/distinct/
    Map    a block of those texts -> their mappings                        _journal/mapped/
    Write  a piece of the input   -> its rows with their mappings          part-NNNNNN.parquet

A piece or a block whose file is there is not done again.
"""

import json
import zlib
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...cache.key import fingerprint
from ...errors import EnvironmentFault, InputError, OutputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.forms import Form
from ...files.frames import frame_texts, with_added
from ...graphs.mapper import Mapper
from ...ontology.mapping import Mapping, read_mapping
from ...ontology.reading.query import split_diagnoses
from ...ontology.reading.style import count_forms
from ...ontology.search.encode import packaged_encoder
from ...ontology.table import CanonicalTable, short_signature
from ...ontology.table_row import text_key
from ..runs.map_columns import added_columns
from ..runs.map_summary import failure_counts, row_counts
from .on_ray import Item
from .pieces import Piece, column_of, read_piece

TEXTS, DISTINCT, MAPPED = f"{JOURNAL}/texts", f"{JOURNAL}/distinct", f"{JOURNAL}/mapped"
_SLICE = 100_000  # rows that are written at once


@dataclass(frozen=True)
class MapJob:
    """What all workers know.

    source, output: paths or addresses. buckets: the number of groups in which the distinct texts
    of the whole input are found.
    """

    source: str
    output: str
    form: Form
    column: str | None
    split: bool
    candidates: bool
    buckets: int

    @cached_property
    def blocks(self) -> Blocks:
        """The parts of the output, and the blocks that are kept until the job is complete."""
        return Blocks(self.output)

    def texts_of(self, table: Any) -> list[tuple[str, ...]]:
        """Return the texts of each row: one, or several where cells are split."""
        cells = frame_texts(table, self.column)
        if self.split:
            return [tuple(map(text_key, split_diagnoses(cell))) for cell in cells]
        return [(text_key(cell),) for cell in cells]

    def read(self, piece: Piece, *, texts_only: bool) -> Any:
        """Return the rows of a piece as an Arrow table."""
        return read_piece(self.source, piece, self.form, self.column, texts_only=texts_only)


@dataclass(frozen=True)
class Scan:
    """Finds the distinct texts of a piece. A piece that cannot be read is recorded as unread."""

    job: MapJob

    def __call__(self, item: Item) -> Item:
        """Return the counts of the piece: rows, column, and why it is unread."""
        piece = Piece.of_item(item)
        name = f"{TEXTS}/{piece.number:06d}"
        known = self.job.blocks.counts(name)
        if known and not known["unread"]:
            return known
        counts: dict[str, Any] = {"rows": 0, "column": "", "unread": ""}
        distinct: set[str] = set()
        try:
            table = self.job.read(piece, texts_only=True)
            counts["column"] = column_of(table.column_names, piece.path, self.job.column)
            distinct.update(text for of_row in self.job.texts_of(table) for text in of_row)
            counts["rows"] = table.num_rows
        except (InputError, UsageError, OutputError) as fault:
            why = str(fault)
            counts["unread"] = why if piece.path in why else f"{piece.path}: {why}"
        self.job.blocks.write(name, self._in_buckets(distinct), counts)
        return counts

    def _in_buckets(self, texts: set[str]) -> Iterator[Any]:
        """Yield a table for each bucket; a text is in the same bucket on every machine."""
        buckets: list[list[str]] = [[] for _ in range(self.job.buckets)]
        for text in texts:
            buckets[zlib.crc32(text.encode()) % self.job.buckets].append(text)
        yield from (_table(text=bucket) for bucket in buckets)


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
            self.job.blocks.open(f"{TEXTS}/{piece:06d}").read_row_group(bucket)
            for piece in range(self.pieces)
        ]
        texts = pyarrow.concat_tables(tables)["text"].unique().sort()
        of_form = sum(count_forms(some.to_pylist()) for some in _slices(texts))
        empty = len(texts) > 0 and texts[0].as_py() == ""
        counts = {"bucket": bucket, "texts": len(texts), "of_form": of_form, "empty": empty}
        self.job.blocks.write(f"{DISTINCT}/{bucket:06d}", [_table(text=texts)], counts)
        return counts


@dataclass(frozen=True)
class Map:
    """Maps a block of texts. signature: that of the mapper, which must be the same everywhere."""

    job: MapJob
    settings: ReadOnly[str, Any]
    signature: str
    table: CanonicalTable

    @cached_property
    def _mapper(self) -> Mapper:
        mapper = Mapper(**self.settings)
        packaged_encoder().threads = 1
        if short_signature(mapper.signature) != self.signature:
            raise EnvironmentFault(
                "a node of the cluster has another version of dxjudge, other sources or another "
                "index than this machine"
            )
        return mapper

    def __call__(self, item: Item) -> Item:
        """Return the counts of the block: texts, settled, failures, and whether it was there.

        A block with texts that failed is mapped again by the next run.
        """
        file = self.job.blocks.open(f"{DISTINCT}/{item['bucket']:06d}")
        texts = file.read().slice(item["first"], item["texts"])["text"].to_pylist()
        name = f"{MAPPED}/{fingerprint(texts)[:24]}"
        known = self.job.blocks.counts(name)
        if known and not known["failures"]:
            return {**known, "before": True}
        settled, mappings = self._map(texts)
        counts = {
            "texts": len(texts),
            "settled": settled,
            "failures": failure_counts(mappings),
            "before": False,
        }
        plain = [json.dumps(self._plain(mapping)) for mapping in mappings]
        self.job.blocks.write(name, [_table(text=texts, mapping=plain)], counts)
        return counts

    def _map(self, texts: list[str]) -> tuple[int, list[Mapping]]:
        """Return how many texts a reviewer has settled, and the mappings of all."""
        known = {text: self.table.settled(text, "") for text in texts}
        open_texts = [text for text in texts if known[text] is None]
        known |= {one.text: one for some in self._mapper.stream(open_texts) for one in some}
        return len(texts) - len(open_texts), [one for one in known.values() if one is not None]

    def _plain(self, mapping: Mapping) -> dict[str, Any]:
        plain = mapping.as_json()
        return plain if self.job.candidates else {**plain, "candidates": []}


@dataclass(frozen=True)
class Write:
    """Writes the rows of a piece with their mappings, in the order of the input."""

    job: MapJob

    def __call__(self, item: Item) -> Item:
        """Return what `row_counts` counts. A part with rows that failed is written again."""
        piece = Piece.of_item(item)
        name = f"part-{piece.number:06d}"
        scanned = self.job.blocks.counts(f"{TEXTS}/{piece.number:06d}")
        if scanned is None or scanned["unread"]:
            return {"rows": 0}
        known = self.job.blocks.counts(name)
        if known and not known.get("failed"):
            return known
        counts = Counter[str]()
        table = self.job.read(piece, texts_only=False)
        self.job.blocks.write(name, self._mapped(table, counts), counts)
        return counts

    def _mapped(self, table: Any, counts: Counter[str]) -> Iterator[Any]:
        """Yield the rows with the added columns, some at a time, and count them."""
        for rows in _slices(table):
            texts = self.job.texts_of(rows)
            mappings = self._mappings({text for of_row in texts for text in of_row})
            counts.update(row_counts(texts, mappings))
            added = added_columns(
                texts, mappings, parts=self.job.split, candidates=self.job.candidates
            )
            yield with_added(rows, added)

    def _mappings(self, texts: set[str]) -> dict[str, Mapping]:
        found: dict[str, Mapping] = {}
        for batch in self.job.blocks.rows_with(MAPPED, "text", texts):
            for row in batch.to_pylist():
                mapping = read_mapping(json.loads(row["mapping"]))
                # A block of an earlier run may hold a failure of a text that is mapped now.
                if mapping.text not in found or mapping.status != "failed":
                    found[mapping.text] = mapping
        return found


def _table(**columns: Any) -> Any:
    """Return columns of texts as an Arrow table."""
    import pyarrow

    fields = pyarrow.schema([(name, pyarrow.string()) for name in columns])
    return pyarrow.table(columns, fields)


def _slices(rows: Any) -> Iterator[Any]:
    """Yield an Arrow table or array in slices, at least one."""
    for first in range(0, max(len(rows), 1), _SLICE):
        yield rows.slice(first, _SLICE)
