"""The canonical table: one mapping a distinct text, kept in a file that people edit.

It is a TSV, CSV or Excel file for a spreadsheet. A row that a person has decided always wins: one
marked as reviewed, one whose code is not the code that its signature says was computed, or
one without a signature. Any other row is used again while its signature is that of the run,
so that only new texts cost.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from ..errors import InputError, OutputError, UnknownCode
from ..files.claim import claim
from ..files.delimited import Style
from .mapping import DecidedBy, Mapping, Status, band_of
from .reading.query import split_diagnoses
from .table_file import read_cells, write_cells
from .tree import Tree

COLUMNS = (
    "text",
    "code",
    "name",
    "score",
    "decided_by",
    "status",
    "term",
    "source",
    "reason",
    "reviewed",
    "reviewer",
    "note",
    "signature",
)
_PATIENCE_SECONDS = 60.0  # for another run to merge its rows into the table
_YES = frozenset({"yes", "y", "true", "1", "x"})
_NO = frozenset({"no", "n", "false", "0", ""})


@dataclass(frozen=True)
class Entry:
    """One row: the mapping as computed or as edited; `other` holds the columns not of ours."""

    mapping: Mapping
    reviewed: bool = False
    reviewer: str = ""
    note: str = ""
    signature: str = ""
    other: ReadOnly[str, str] = field(default_factory=dict)


class _Layout(NamedTuple):
    """How the file was written, to write it so again."""

    columns: tuple[str, ...]
    style: Style | None


@dataclass(frozen=True)
class CanonicalTable:
    """The rows by the key of their text, in the order of the file."""

    entries: ReadOnly[str, Entry] = field(default_factory=dict)
    layout: _Layout | None = None

    def settled(self, text: str, signature: str) -> Mapping | None:
        """The mapping of a text that needs no computing, without candidates; else None.

        A reviewed row settles its text, with the score 1 and decided by "reviewed". Another
        row does where it was computed under this (short) signature and did not fail.
        """
        entry = self.entries.get(text_key(text))
        if entry is None:
            return None
        held = replace(entry.mapping, text=text)
        if not entry.reviewed:
            same = entry.signature.partition("=")[0] == signature
            return held if same and held.status != "failed" else None
        reason = None if held.code else entry.note or "a reviewer found that no code fits"
        score = 1.0 if held.code else 0.0
        return replace(
            held,
            score=score,
            decided_by="reviewed",
            band=None,
            term=None,
            source=None,
            reason=reason,
        )

    def merged(self, entries: Iterable[Entry]) -> "CanonicalTable":
        """This table with newer rows in it; reviewed rows, notes and other columns stay."""
        rows = dict(self.entries)
        for entry in entries:
            key = text_key(entry.mapping.text)
            held = rows.get(key)
            if held is None or (entry.reviewed and not held.reviewed):
                rows[key] = entry
            elif not held.reviewed:
                rows[key] = replace(entry, reviewer=held.reviewer, note=held.note, other=held.other)
        return replace(self, entries=rows)


def text_key(text: str) -> str:
    """What makes two texts the same row: blanks at the ends and the kind of line end do not."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def short_signature(signature: ReadOnly[str, Any]) -> str:
    """A mapper's signature in few characters: the ontology release and a digest of it all."""
    text = json.dumps(signature, sort_keys=True, default=str)
    return f"{signature['ontology']}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def entry_of(mapping: Mapping, signature: str) -> Entry:
    """The row that records a mapping computed under a short signature.

    The row's own signature also names the code, so that an edited code is known by it.
    """
    return Entry(mapping, signature=f"{signature}={mapping.code or ''}")


def read_table(path: Path, tree: Tree) -> CanonicalTable:
    """Read a table, or an empty one where there is no file yet.

    A table written by hand needs the columns `text` and `code` only. Codes are normalised.

    Raises InputError, naming the row, for a code the release does not hold, for a mark in
    `reviewed` that is neither yes nor no, and for one text reviewed twice with two codes.
    """
    sheet = read_cells(path)
    if sheet is None:
        return CanonicalTable()
    columns = _columns(sheet.columns, path)
    entries: dict[str, Entry] = {}
    for number, row in enumerate(sheet.rows):
        place = sheet.place(number)
        entry = _entry(dict(zip(columns, row, strict=True)), tree, place)
        if entry:
            key = text_key(entry.mapping.text)
            entries[key] = _one_of(entries.get(key), entry, place)
    missing = [name for name in COLUMNS if name not in columns]
    return CanonicalTable(entries, _Layout((*columns, *missing), sheet.style))


def write_table(table: CanonicalTable, path: Path, tree: Tree) -> None:
    """Write a table in place of the file, with whatever others put into the file meanwhile.

    A CSV file gets a byte order mark, by which spreadsheets know UTF-8. Runs that write one table
    take turns, so that none loses rows of another.

    Raises OutputError; if the file has become unreadable, the rows are in a second file that
    the message names.
    """
    give_back = claim(path, patience=_PATIENCE_SECONDS)
    try:
        now = read_table(path, tree)
        _write(now.merged(table.entries.values()), path)
    except InputError as error:
        aside = path.with_name(f"{path.stem}.unmerged{path.suffix}")
        _write(table, aside)
        raise OutputError(f"{error}; the new rows are in {aside}") from error
    finally:
        give_back()


def _columns(names: Sequence[str], path: Path) -> list[str]:
    """The names of a header; ours in lower case, however they are written."""
    folded = [name.strip().lower() for name in names]
    columns = [ours if ours in COLUMNS else own for ours, own in zip(folded, names, strict=True)]
    for needed in ("text", "code"):
        if needed not in columns:
            raise InputError(f"{path} needs a column {needed!r}; it has {', '.join(columns)}")
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise InputError(f"{path} has two columns {twice!r}")
    return columns


def _entry(cells: dict[str, str], tree: Tree, place: str) -> Entry | None:
    """A row as an entry; None for a row without text and code."""
    known = {name: text_key(cells.get(name, "")) for name in COLUMNS}
    if not known["text"]:
        if known["code"]:
            raise InputError(f"{place}: a code without a text")
        return None
    mark = known["reviewed"].lower()
    if mark not in _YES | _NO:
        raise InputError(f"{place}: reviewed is {known['reviewed']!r}, neither yes nor no")
    mapping = _mapping(known, tree, place)
    signature = known["signature"]
    computed = signature.partition("=")[2] if signature else ""
    return Entry(
        mapping,
        # An edited code is a decision, also where the editor did not say so.
        reviewed=mark in _YES or computed != (mapping.code or ""),
        reviewer=known["reviewer"],
        note=known["note"],
        signature=signature,
        other={name: cell for name, cell in cells.items() if name not in COLUMNS},
    )


def _mapping(known: dict[str, str], tree: Tree, place: str) -> Mapping:
    code = _valid_code(known["code"], tree, place)
    decided_by: DecidedBy | None = next(
        (each for each in get_args(DecidedBy) if each == (known["decided_by"] or "none")), None
    )
    if decided_by is None:
        raise InputError(f"{place}: decided_by is {known['decided_by']!r}")
    status: Status = "failed" if known["status"] == "failed" else "unmapped"
    score = _score(known["score"], place)
    parts = split_diagnoses(known["text"])
    return Mapping(
        text=known["text"],
        status="mapped" if code else status,
        code=code,
        name=tree.name(code) if code else None,
        term=known["term"] or None,
        source=known["source"] or None,
        score=score,
        decided_by=decided_by,
        band=band_of(score, decided_by) if code else None,
        reason=known["reason"] or None,
        parts=parts if len(parts) > 1 else (),
    )


def _valid_code(text: str, tree: Tree, place: str) -> str | None:
    try:
        return tree.node(text).code if text else None
    except UnknownCode as error:
        raise InputError(f"{place}: {error}") from error


def _score(text: str, place: str) -> float:
    try:
        score = float(text.replace(",", ".") or 0)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 1:
        raise InputError(f"{place}: score is {text!r}, not a number from 0 to 1")
    return score


def _one_of(held: Entry | None, entry: Entry, place: str) -> Entry:
    """Of two rows for one text the reviewed one."""
    if held is None:
        return entry
    one, other = held.mapping, entry.mapping
    if held.reviewed and entry.reviewed and one.code != other.code:
        raise InputError(
            f"{place}: {one.text!r} is reviewed twice, as {one.code} and as {other.code}"
        )
    return entry if entry.reviewed and not held.reviewed else held


def _write(table: CanonicalTable, path: Path) -> None:
    layout = table.layout or _Layout(COLUMNS, None)
    rows = [
        [cells.get(name, "") for name in layout.columns]
        for cells in map(_cells, table.entries.values())
    ]
    write_cells(path, layout.columns, rows, layout.style)


def _cells(entry: Entry) -> dict[str, str]:
    mapping = entry.mapping
    return {
        **entry.other,
        "text": mapping.text,
        "code": mapping.code or "",
        "name": mapping.name or "",
        "score": f"{mapping.score:.4f}" if mapping.code else "",
        "decided_by": mapping.decided_by,
        "status": mapping.status,
        "term": mapping.term or "",
        "source": mapping.source or "",
        "reason": mapping.reason or "",
        "reviewed": "yes" if entry.reviewed else "no",
        "reviewer": entry.reviewer,
        "note": entry.note,
        "signature": entry.signature,
    }
