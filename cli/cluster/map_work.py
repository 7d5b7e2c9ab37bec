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
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...adapters.permits import RayPermits
from ...cache.key import fingerprint
from ...errors import InputError, OutputError, UsageError
from ...files.blocks import JOURNAL, Blocks
from ...files.forms import Form
from ...files.frames import frame_texts, with_added
from ...files.sequences import Repeated
from ...graphs.chooser import Chooser, is_final, part_of
from ...graphs.mapper import Mapper
from ...ontology.mapping import Mapping, read_mapping
from ...ontology.reading.style import count_forms
from ...ontology.table import CanonicalTable
from ..runs.map_accept import Taking, sum_of
from ..runs.map_columns import added_columns
from ..runs.map_job import numbers_of_rows, texts_of
from ..runs.map_model import Asked, mapper_settings
from ..runs.map_summary import failure_counts, row_counts
from .office import asked_now, run_of_worker
from .on_ray import Item
from .pieces import Piece, column_of, read_piece, why_unread
from .worker_mapper import mapper_of_job

TEXTS, DISTINCT, MAPPED = f"{JOURNAL}/texts", f"{JOURNAL}/distinct", f"{JOURNAL}/mapped"
_SLICE = 100_000  # rows that are written at once
_FIELDS = ("text", "mapping", "part")  # of a block of mappings; part: that of a model


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

    def texts_of(self, table: Any) -> Repeated[tuple[str, ...]]:
        """Return the texts of each row: one, or several where cells are split."""
        return texts_of(frame_texts(table, self.column), split=self.split)

    def stands_for(self, table: Any, part: str = "") -> Sequence[int] | None:
        """Return how many rows each row stands for; None where each stands for itself.

        part: of a file, for messages. Raises UsageError and InputError for a faulty column.
        """
        if self.count is None:
            return None
        cells = frame_texts(table, self.count)
        return numbers_of_rows(cells, self.count, lambda row: f"row {row + 1}{part}")

    def read(self, piece: Piece, *, texts_only: bool) -> Any:
        """Return the rows of a piece as an Arrow table; texts_only: without further columns."""
        only = self.columns if texts_only else None
        return read_piece(self.source, piece, self.form, self.column, only)


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
            names = table.column_names
            column, *_ = (column_of(names, piece.path, one) for one in self.job.columns)
            texts = {text for of_row in self.job.texts_of(table).values for text in of_row}
            self.job.stands_for(table, piece.part)
            distinct, counts = texts, {"rows": table.num_rows, "column": column, "unread": ""}
        except (InputError, UsageError, OutputError) as fault:
            counts["unread"] = why_unread(piece, fault)
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
            self.job.blocks.read(f"{TEXTS}/{piece:06d}", bucket) for piece in range(self.pieces)
        ]
        texts = pyarrow.concat_tables(tables)["text"].unique().sort()
        of_form = sum(count_forms(some.to_pylist()) for some in _slices(texts))
        empty = len(texts) > 0 and texts[0].as_py() == ""
        counts = {"bucket": bucket, "texts": len(texts), "of_form": of_form, "empty": empty}
        self.job.blocks.write(f"{DISTINCT}/{bucket:06d}", [_table(text=texts)], counts)
        return counts


@dataclass(frozen=True)
class Map:
    """Maps a block of texts. signature: that of the mapper, which must be the same everywhere.

    taking: the confidences that the mappings get, and which are counted as accepted. asked,
    permits: the model that chooses, with limits and budget of the whole job; None for none.
    """

    job: MapJob
    settings: ReadOnly[str, Any]
    signature: str
    table: CanonicalTable
    taking: Taking = Taking()
    asked: Asked | None = None
    permits: RayPermits | None = None

    @cached_property
    def chooser(self) -> Chooser | None:
        """The model that chooses, with a run of this worker."""
        if self.asked is None:
            return None
        run = run_of_worker(self.asked.run, self.permits)
        return Chooser(self.asked.judge, run, **self.asked.options)

    @cached_property
    def mapper(self) -> Mapper:
        """The mapper. Raises EnvironmentFault where it is not that of the job."""
        settings = {**self.settings, **mapper_settings(self.chooser)}
        return mapper_of_job(settings, self.signature)

    def __call__(self, item: Item) -> Item:
        """Return the counts of the block: texts, settled, failures, parts of the model, and more.

        before: how many texts an earlier run mapped. asked: what the model was asked now. taken:
        what `Taking` counts. Only the texts for which an earlier run has no final mapping are
        mapped.
        """
        texts = self.texts_of(item)
        name = f"{MAPPED}/{fingerprint(texts)[:24]}"
        known = self.job.blocks.counts(name) or {"parts": {}, "settled": 0}
        if known["parts"] and all(map(is_final, known["parts"])):
            return {**known, "before": known["texts"] - known["settled"], "asked": None}
        rows = self._finished(name) if known["parts"] else {}
        before = len(rows) - known["settled"]
        settled, new = self._map([text for text in texts if text not in rows])
        parts = {mapping.text: part_of(mapping, self.chooser) for mapping in new}
        for mapping in map(self.taking.fitted, (*settled, *new)):
            plain, part = json.dumps(self._plain(mapping)), parts.get(mapping.text, "other")
            rows[mapping.text] = {"text": mapping.text, "mapping": plain, "part": part}
        counts = {
            "taken": self.taking.counts(_mapping_of(row["mapping"]) for row in rows.values()),
            "texts": len(texts),
            "settled": known["settled"] + len(settled),
            "failures": failure_counts(new),
            "parts": Counter(row["part"] for row in rows.values()),
        }
        columns = {field: [rows[text][field] for text in texts] for field in _FIELDS}
        self.job.blocks.write(name, [_table(**columns)], counts)
        run = self.chooser.run if self.chooser else None
        return {**counts, "before": before, "asked": asked_now(run) if run else None}

    def texts_of(self, item: Item) -> list[str]:
        """Return the texts of a block."""
        table = self.job.blocks.read(f"{DISTINCT}/{item['bucket']:06d}")
        texts: list[str] = table.slice(item["first"], item["texts"])["text"].to_pylist()
        return texts

    def _finished(self, name: str) -> dict[str, dict[str, str]]:
        """Return the rows of a block that have final mappings, by text."""
        rows = self.job.blocks.read(name).to_pylist()
        return {row["text"]: row for row in rows if is_final(row["part"])}

    def _map(self, texts: list[str]) -> tuple[list[Mapping], list[Mapping]]:
        """Return the mappings that reviewers have settled, and those of the other texts."""
        known = {text: self.table.settled(text, "") for text in texts}
        left = [text for text in texts if known[text] is None]
        mapped = [one for some in self.mapper.stream(left) for one in some]
        return [one for one in known.values() if one is not None], mapped

    def _plain(self, mapping: Mapping) -> dict[str, Any]:
        plain = mapping.as_json()
        return plain if self.job.candidates else {**plain, "candidates": []}


@dataclass(frozen=True)
class Write:
    """Writes the rows of a piece with their mappings, in the order of the input."""

    job: MapJob
    taking: Taking = Taking()

    def __call__(self, item: Item) -> Item:
        """Return what `row_counts` counts, and the rows that are accepted.

        open: rows whose texts have no final mapping. A part with such rows is written again.
        """
        piece = Piece.of_item(item)
        name = f"part-{piece.number:06d}"
        scanned = self.job.blocks.counts(f"{TEXTS}/{piece.number:06d}")
        if scanned is None or scanned["unread"]:
            return {"rows": 0}
        known = self.job.blocks.counts(name)
        if known and not known["open"]:
            return known
        counts = Counter(open=0)
        table = self.job.read(piece, texts_only=False)
        self.job.blocks.write(name, self._mapped(table, counts), counts)
        return counts

    def _mapped(self, table: Any, counts: Counter[str]) -> Iterator[Any]:
        """Yield the rows with the added columns, some at a time, and count them."""
        for rows in _slices(table):
            texts, stands_for = self.job.texts_of(rows), self.job.stands_for(rows)
            found = self._found({text for of_row in texts.values for text in of_row})
            mappings = {text: _mapping_of(plain) for text, (plain, _) in found.items()}
            counts.update(row_counts(texts, mappings, stands_for))
            is_open = {text for text, (_, part) in found.items() if not is_final(part)}
            counts["open"] += sum(
                count for of_row, count in texts.counted() if not is_open.isdisjoint(of_row)
            )
            added = added_columns(
                texts, mappings, parts=self.job.split, candidates=self.job.candidates
            )
            if (marks := self.taking.marks(texts, mappings)) is not None:
                counts["accepted"] += sum_of(marks, stands_for)
                added["accepted"] = marks
            yield with_added(rows, added)

    def _found(self, texts: set[str]) -> dict[str, tuple[str, str]]:
        """Return the mapping of each text, as JSON, and the part of the model in it."""
        found: dict[str, tuple[str, str]] = {}
        for batch in self.job.blocks.rows_with(MAPPED, "text", texts):
            for row in batch.to_pylist():
                # A block of an earlier run may hold a failure of a text that is mapped now.
                if row["text"] not in found or is_final(row["part"]):
                    found[row["text"]] = row["mapping"], row["part"]
        return found


def _mapping_of(plain: str) -> Mapping:
    return read_mapping(json.loads(plain))


def _table(**columns: Any) -> Any:
    """Return columns of texts as an Arrow table."""
    import pyarrow

    fields = pyarrow.schema([(name, pyarrow.string()) for name in columns])
    return pyarrow.table(columns, fields)


def _slices(rows: Any) -> Iterator[Any]:
    """Yield an Arrow table or array in slices, at least one."""
    for first in range(0, max(len(rows), 1), _SLICE):
        yield rows.slice(first, _SLICE)
