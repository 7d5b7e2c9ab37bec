"""The table under review: read again when others wrote it, changed row by row under its lock."""

import gc
import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...errors import InputError
from ...files.claim import claim
from ...ontology.table_edit import EditedFile, open_edited, stamp_of, write_edited
from ...ontology.tree import Tree
from .rows import Row, row_of

_PATIENCE_SECONDS = 30.0  # for a program that writes the table
_RETRIES = 5  # of a change into whose writing somebody else wrote


class Conflict(InputError):
    """The row is no longer what the reviewer saw."""


@dataclass(frozen=True)
class Edit:
    """New cells of one row, and the version of the row that the reviewer saw."""

    id: str
    version: str
    cells: Mapping[str, str]


@dataclass
class EditedTable:
    """A canonical table whose rows are read quickly and changed one by one.

    rows: by id, in the order of the file. number: counts the contents that were read or written.
    fault: why the file as it stands now cannot be read, "" for nothing; then the rows are the last
    that could be.
    """

    path: Path
    tree: Tree
    rows: dict[str, Row] = field(default_factory=dict)
    number: int = 0
    fault: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock)
    _file: EditedFile | None = None
    _is_claimed: bool = False

    def refresh(self) -> None:
        """Read the file again where it changed. Raises InputError where it was never readable."""
        with self.lock:
            try:
                if self._file and stamp_of(self.path) == self._file.stamp:
                    self.fault = ""
                    return
                with _no_collection():
                    self._take(open_edited(self.path))
                self.fault = ""
            except InputError as fault:  # a spreadsheet that saves has half a file for a moment
                if self._file is None:
                    raise
                self.fault = str(fault)

    def version(self, row: Row) -> str:
        """Return what changes with any cell of a row."""
        cells = "\0".join(self.file.rows[row.number])
        return hashlib.sha256(cells.encode()).hexdigest()[:16]

    def cells(self, row: Row) -> dict[str, str]:
        """Return the cells of a row."""
        return self.file.cells(row.number)

    @property
    def file(self) -> EditedFile:
        """The content that was read last."""
        assert self._file is not None
        return self._file

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other threads and other programs from writing the table in the block."""
        with self.lock:
            if self._is_claimed:  # by a block around this one
                yield
                return
            give_back = claim(self.path, patience=_PATIENCE_SECONDS)
            self._is_claimed = True
            try:
                yield
            finally:
                self._is_claimed = False
                give_back()

    def change(self, edits: Sequence[Edit]) -> None:
        """Write edits to the file. The caller has claimed the table.

        Raises Conflict where a row is no longer what its reviewer saw, OutputError where the file
        cannot be written, InputError where it cannot be read; then nothing is changed.
        """
        for _ in range(_RETRIES):
            self.refresh()
            if self.fault:
                raise InputError(f"{self.fault}; nothing was saved")
            changes = {row.number: cells for row, cells in map(self._checked, edits)}
            if stamp_of(self.path) == self.file.stamp:
                self._take(write_edited(self.file, changes), list(changes))
                return
        raise InputError(f"{self.path} changes all the time; nothing was saved")

    def _checked(self, edit: Edit) -> tuple[Row, list[str]]:
        row = self.rows.get(edit.id)
        if row is None:
            raise Conflict("this row is no longer in the table; nothing was saved")
        if self.version(row) != edit.version:
            raise Conflict(_told(row))
        cells = {**self.cells(row), **edit.cells}
        return row, [cells[name] for name in self.file.columns]

    def _take(self, file: EditedFile, changed: Sequence[int] | None = None) -> None:
        """Take a content as that of the table; changed: the numbers of the rows that differ."""
        columns = self._file.columns if self._file else None
        self._file = file
        self.number += 1
        if changed is not None and columns == file.columns:
            for number in changed:
                row = self._row(number)
                if row is not None:
                    self.rows[row.id] = row
            return
        rows: dict[str, Row] = {}
        for number in range(len(file.rows)):
            row = self._row(number)
            # As elsewhere, the reviewed one of two rows for a text stands, else the first.
            if row and (row.id not in rows or _replaces(row, rows[row.id])):
                rows[row.id] = row
        self.rows = rows

    def _row(self, number: int) -> Row | None:
        cells, place = self.file.cells(number), self.file.place(number)
        return row_of(cells, number, self.tree, self._known, place)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(node.code for node in self.tree.nodes)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Let no search for garbage interrupt the making of millions of cells."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _replaces(row: Row, first: Row) -> bool:
    return row.state == "reviewed" and first.state != "reviewed"


def _told(row: Row) -> str:
    who = f" by {row.reviewer}" if row.reviewer else ""
    what = row.code or "no code fits"
    now = f"it was reviewed{who}: {what}" if row.state == "reviewed" else f"it is now {what}"
    return f"this row was changed meanwhile, {now}; nothing was saved, look at it again"
