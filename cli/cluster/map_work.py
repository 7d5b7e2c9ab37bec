"""What the workers of `dxjudge map --cluster` do with distinct texts: its last two kinds of work.

    Map    a block of those texts -> their mappings                        _journal/mapped/
    Write  a piece of the input   -> its rows with their mappings          part-NNNNNN.parquet

A block or a piece whose file is there is not done again.
"""

import json
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...adapters.permits import RayPermits
from ...cache.key import fingerprint
from ...files.blocks import JOURNAL
from ...files.frames import with_added
from ...graphs.chooser import Chooser, is_final, part_of
from ...graphs.mapper import Mapper
from ...ontology.mapping import Mapping, read_mapping
from ...ontology.table import CanonicalTable
from ..runs.map_accept import Taking, sum_of
from ..runs.map_columns import added_columns
from ..runs.map_model import Asked, mapper_settings
from ..runs.map_summary import failure_counts, row_counts
from .distinct_texts import DISTINCT, TEXTS, MapJob, slices_of, text_table
from .office import run_of_worker
from .on_ray import Item
from .pieces import Piece, PieceRows
from .worker_mapper import mapper_of_job

MAPPED = f"{JOURNAL}/mapped"
_FIELDS = ("text", "mapping", "part")  # of a block of mappings; part: that of a model


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
        self.job.blocks.write(name, [text_table(**columns)], counts)
        run = self.chooser.run if self.chooser else None
        return {**counts, "before": before, "asked": run.take_counts() if run else None}

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
        rows = self.job.read(piece, texts_only=False)
        self.job.blocks.write(name, self._mapped(rows, counts), counts)
        return counts

    def _mapped(self, all_rows: PieceRows, counts: Counter[str]) -> Iterator[Any]:
        """Yield the rows with the added columns, some at a time, and count them."""
        for rows in slices_of(all_rows):
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
            yield with_added(rows.table, added)

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
