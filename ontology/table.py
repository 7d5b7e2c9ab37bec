"""The canonical table: one mapping for each distinct text, in a file that people edit.

It is a TSV, CSV or Excel file for a spreadsheet. A row that a person has decided always wins: a row
that is marked as reviewed, a row whose code is not the computed code in its signature, or a row
without a signature. Any other row is used again while its signature is that of the run, so that
only new texts cost time and money.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, OutputError
from ..files.claim import claim
from ..files.delimited import Style
from .mapping import BETWEEN, Mapping
from .table_file import read_cells, write_cells
from .table_row import COLUMNS, Entry, cells_of, read_row, text_key
from .tree import Tree

_PATIENCE_SECONDS = 60.0  # for another run to merge its rows into the table
_SHOWN = 20  # the wrong rows that one error names


class _Layout(NamedTuple):
    """The columns and style of the file, so that it is written in the same way again."""

    columns: tuple[str, ...]
    style: Style | None


@dataclass(frozen=True)
class CanonicalTable:
    """The rows by the key of their text, in the order of the file."""

    entries: ReadOnly[str, Entry] = field(default_factory=dict)
    layout: _Layout | None = None

    def row_of(self, text: str) -> Entry | None:
        """Return the row of a text, else a reviewed row that differs in case and spaces only.

        Where reviewed rows of texts that differ so have different codes, none stands for others.
        """
        return self.entries.get(text_key(text)) or self._reviewed.get(_folded(text))

    @cached_property
    def _reviewed(self) -> dict[str, Entry | None]:
        rows: dict[str, Entry | None] = {}
        for entry in self.entries.values():
            if entry.reviewed:
                key = _folded(entry.mapping.text)
                other = rows.setdefault(key, entry)
                rows[key] = other if other and codes_of(other) == codes_of(entry) else None
        return rows

    def settled(self, text: str, signature: str) -> Mapping | None:
        """Return the mapping that the table holds for a text, without candidates, else None.

        A reviewed row gives the score 1 and is decided by "reviewed". A row that was accepted
        unseen keeps its scores. Any other row counts where it was computed under this (short)
        signature and did not fail.
        """
        entry = self.row_of(text)
        if entry is None:
            return None
        mapping = replace(entry.mapping, text=text)
        if not entry.reviewed:
            same = entry.accepted or entry.signature.partition("=")[0] == signature
            return mapping if same and mapping.status != "failed" else None
        reason = None if mapping.code else entry.note or "a reviewer found that no code fits"
        score = 1.0 if mapping.code else 0.0
        return replace(
            mapping,
            score=score,
            category_score=score,
            decided_by="reviewed",
            band=None,
            term=None,
            source=None,
            reason=reason,
        )

    def merged(self, entries: Iterable[Entry]) -> "CanonicalTable":
        """Return this table with newer rows; reviewed rows, notes and other columns stay.

        So do accepted rows, unless the newer row is reviewed. Both get the newer count of rows.
        """
        rows = dict(self.entries)
        for entry in entries:
            key = text_key(entry.mapping.text)
            old = rows.get(key)
            rows[key] = entry if old is None else _newer(old, entry)
        return replace(self, entries=rows)

    def counted(self, counts: ReadOnly[str, int]) -> "CanonicalTable":
        """Return this table with the counts of rows of the texts that an input holds."""
        rows = {
            key: replace(entry, rows=counts.get(key, entry.rows))
            for key, entry in self.entries.items()
        }
        return replace(self, entries=rows)

    def with_columns_of(self, other: "CanonicalTable") -> "CanonicalTable":
        """Return this table with the columns of another table after its own."""
        if self.layout is None or other.layout is None:
            return replace(self, layout=self.layout or other.layout)
        columns = tuple(dict.fromkeys((*self.layout.columns, *other.layout.columns)))
        return replace(self, layout=self.layout._replace(columns=columns))


def _newer(old: Entry, entry: Entry) -> Entry:
    count, other = entry.rows or old.rows, {**entry.other, **old.other}
    if old.reviewed:
        return replace(old, rows=count, other=other)
    if entry.reviewed:
        return replace(entry, rows=count, note=entry.note or old.note, other=other)
    if old.accepted:
        return replace(old, rows=count, other=other)
    if entry.accepted:
        return replace(entry, rows=count, note=entry.note or old.note, other=other)
    return replace(entry, rows=count, reviewer=old.reviewer, note=old.note, other=other)


def codes_of(entry: Entry) -> str | None:
    """Return all codes of a row, as a person writes them; None where no code fits."""
    return BETWEEN.join(entry.mapping.codes) or None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def short_signature(signature: ReadOnly[str, Any]) -> str:
    """Return a mapper's signature in few characters: the release and a digest of everything."""
    text = json.dumps(signature, sort_keys=True, default=str)
    return f"{signature['ontology']}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def entry_of(mapping: Mapping, signature: str, rows: int = 0) -> Entry:
    """Return the row that records a mapping computed under a short signature.

    rows: how many rows of the input hold the text. The signature in the row also names the code,
    so that an edit of the code is noticed.
    """
    return Entry(mapping, rows, signature=f"{signature}={mapping.code or ''}")


def read_table(path: Path, tree: Tree) -> CanonicalTable:
    """Read a table; return an empty one where there is no file yet.

    A table written by hand needs only the columns `text` and `code`. Codes are normalised.

    Raises InputError, which names every such row, for a code that the release does not hold, for a
    mark in `reviewed` that is neither yes nor no, and for a text reviewed twice with two codes.
    """
    sheet = read_cells(path)
    if sheet is None:
        return CanonicalTable()
    columns = _columns(sheet.columns, path)
    entries: dict[str, Entry] = {}
    faults: list[str] = []
    for number, row in enumerate(sheet.rows):
        place = sheet.place(number)
        try:
            entry = read_row(dict(zip(columns, row, strict=True)), tree, place)
            if entry:
                key = text_key(entry.mapping.text)
                entries[key] = _one_of(entries.get(key), entry, place)
        except InputError as fault:
            faults.append(str(fault))
    if faults:
        rest = len(faults) - _SHOWN
        more = [f"and {rest} more such row{'s'[: rest > 1]}"] if rest > 0 else []
        raise InputError("; ".join([*faults[:_SHOWN], *more]))
    missing = [name for name in COLUMNS if name not in columns]
    return CanonicalTable(entries, _Layout((*columns, *missing), sheet.style))


def write_table(table: CanonicalTable, path: Path, tree: Tree) -> None:
    """Replace the file of a table; rows that others wrote into the file meanwhile are merged.

    A CSV file gets a byte order mark, by which spreadsheets recognise UTF-8. Runs that write the
    same table take turns, so that no run loses the rows of another.

    Raises OutputError where the file cannot be written. Where it can no longer be read, the rows
    are written to a second file, which the message names.
    """
    give_back = claim(path, patience=_PATIENCE_SECONDS)
    try:
        now = read_table(path, tree)
        _write(now.merged(table.entries.values()).with_columns_of(table), path)
    except InputError as error:
        aside = path.with_name(f"{path.stem}.unmerged{path.suffix}")
        _write(table, aside)
        raise OutputError(f"{error}; the new rows are in {aside}") from error
    finally:
        give_back()


def _columns(names: Sequence[str], path: Path) -> list[str]:
    """Return the names of a header; those of `COLUMNS` in lower case, others unchanged."""
    folded = [name.strip().lower() for name in names]
    columns = [ours if ours in COLUMNS else own for ours, own in zip(folded, names, strict=True)]
    for needed in ("text", "code"):
        if needed not in columns:
            raise InputError(f"{path} needs a column {needed!r}; it has {', '.join(columns)}")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise InputError(f"{path} has two columns {twice!r}")
    return columns


def _one_of(first: Entry | None, entry: Entry, place: str) -> Entry:
    """Return the reviewed one of two rows for one text, else the first."""
    if first is None:
        return entry
    if first.reviewed and entry.reviewed and not entry.mapping.has_codes_of(first.mapping):
        one, other = codes_of(first), codes_of(entry)
        raise InputError(
            f"{place}: {first.mapping.text!r} is reviewed twice, as {one} and as {other}; a row "
            f"may hold several codes, with {BETWEEN.strip()} between them"
        )
    return entry if entry.reviewed and not first.reviewed else first


def _write(table: CanonicalTable, path: Path) -> None:
    layout = table.layout or _Layout(COLUMNS, None)
    rows = [
        [cells.get(name, "") for name in layout.columns]
        for cells in map(cells_of, table.entries.values())
    ]
    write_cells(path, layout.columns, rows, layout.style)
