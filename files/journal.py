"""The journal: records the finished items of a run, so that an interrupted run can continue."""

import contextlib
import errno
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..errors import InputError, OutputError
from .bytes import BINARY
from .claim import claim
from .spool import as_line, line_at

_FORMAT = "dxjudge journal"
_SYNC_SECONDS = 5.0
T = TypeVar("T")


class Journal(Generic[T]):
    """Finished items by key: one JSON line each in a file, or, without a path, in memory.

    Of an item in a file, memory has only the key and the place, so a long run needs little.

    The key contains everything that the item depends on within the job; the first line of the
    file names the job. A finished item is in the file before `keep` returns, so it survives the
    end of the process; a power failure may lose the last five seconds. A last line that was cut
    off is ignored. Only one process at a time can use a journal.

    Use it as a context manager, or close it.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        read: Callable[[Any], T],
        write: Callable[[T], Any],
        job: Mapping[str, Any] | None = None,
    ) -> None:
        """Open or create a journal; without a path, write no file.

        read, write: convert plain JSON to an item and back. job: plain JSON; a file can be
        continued only when its job is equal. None when the keys contain everything.

        Raises InputError for a file that is not a journal, is of another job, or is damaged;
        OutputError when it cannot be written or another run is writing it.
        """
        self.path = path
        self._places: dict[str, int] = {}
        self._items: list[T] = []
        self._on_disk = False  # a device, such as /dev/null, cannot be read back
        self.read = read
        self.write = write
        self._guard = threading.Lock()
        self._descriptor: int | None = None
        self._synced = time.monotonic()
        if path is None:
            return
        self._give_back = claim(
            path, "wait until it has ended, or name another output and another journal"
        )
        try:
            self._open(path, _head(job))
        except BaseException:
            self._release()
            raise

    def __len__(self) -> int:
        """Return the number of finished items."""
        return len(self._places)

    def find(self, key: str) -> T | None:
        """Return the finished item under a key, or None."""
        place = self.place(key)
        return None if place is None else self.at(place)

    def place(self, key: str) -> int | None:
        """Return the place of the finished item under a key, or None."""
        return self._places.get(key)

    def at(self, place: int) -> T:
        """Return the item at a place."""
        if not self._on_disk:
            return self._items[place]
        assert self._descriptor is not None, "the journal is closed"
        with self._guard:
            line = line_at(self._descriptor, place)
        return self.read(json.loads(line)["outcome"])

    def keep(self, key: str, item: T) -> int:
        """Record a finished item, and return its place. Raises OutputError for a full disk."""
        with self._guard:
            place = len(self._items)
            if self._descriptor is not None:
                begin = self._append(as_line({"key": key, "outcome": self.write(item)}))
                place = begin if self._on_disk else place
            if not self._on_disk:
                self._items.append(item)
            self._places[key] = place
            return place

    def close(self, *, remove: bool = False) -> None:
        """Close the file; `remove` deletes it, for a run that is complete.

        A journal without a finished item is deleted too: it would only refuse another job.
        """
        with self._guard:
            if self._descriptor is None:
                return
            remove = remove or not self._places
            try:
                if not remove:
                    self._sync()
            finally:
                self._release(remove=remove)

    def __enter__(self) -> "Journal[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, path: Path, head: bytes) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, 0o600)
            self._on_disk = stat.S_ISREG(os.fstat(self._descriptor).st_mode)
            with open(self._descriptor, "rb", closefd=False) as file:
                # Up to the size only: reading a device to its end never stops.
                content = file.read(os.fstat(self._descriptor).st_size)
            end = content.rfind(b"\n") + 1
            if end < len(content):  # a crash cut the last line off
                os.ftruncate(self._descriptor, end)
        except OSError as fault:
            raise OutputError(f"{path}: {fault.strerror or fault}") from fault
        if end == 0:
            self._append(head)
            return
        first, *lines = content[:end].splitlines(keepends=True)
        if first != head:
            raise InputError(f"{path} {_why_not_this(first)}")
        place = len(first)
        for number, line in enumerate(lines, 2):
            self._load(path, number, line, place)
            place += len(line)

    def _load(self, path: Path, number: int, line: bytes, place: int) -> None:
        with _reading(path, number):
            entry = json.loads(line)
            self.read(entry["outcome"])
            self._places[entry["key"]] = place

    def _append(self, line: bytes) -> int:
        """Append a line; return the byte at which it begins."""
        assert self._descriptor is not None, "the journal is closed"
        size = os.fstat(self._descriptor).st_size
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self._sync()
        except OSError as fault:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)  # half a line would join the next one
            raise self._unwritable(fault) from fault
        return size

    def _sync(self) -> None:
        assert self._descriptor is not None
        try:
            os.fsync(self._descriptor)
        except OSError as fault:
            if fault.errno not in (errno.EINVAL, errno.ENOTSUP):  # a device cannot be synchronised
                raise self._unwritable(fault) from fault
        self._synced = time.monotonic()

    def _unwritable(self, fault: OSError) -> OutputError:
        full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "no space left on device" if full else fault.strerror or str(fault)
        todo = "free some space" if full else "repair this fault"
        return OutputError(
            f"{what}: the journal {self.path} holds {len(self._places):,} finished items; "
            f"{todo} and run the same command again"
        )

    def _release(self, *, remove: bool = False) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if remove and self.path is not None:
            self.path.unlink(missing_ok=True)  # Windows removes no open file
        self._give_back()


def finished_keys(path: Path | None, job: Mapping[str, Any]) -> set[str]:
    """Return the keys of the items of this job that a journal holds, which a run may be writing.

    There are none without a file, or where it is of another job. Raises InputError for a damaged
    line, and OutputError where the file cannot be read.
    """
    if path is None or not path.is_file():
        return set()
    keys = set()
    try:
        with open(path, "rb") as file:
            is_of_job = file.readline() == _head(job)
            for number, line in enumerate(file if is_of_job else (), 2):
                if line.endswith(b"\n"):  # the last line may be half written
                    with _reading(path, number):
                        keys.add(json.loads(line)["key"])
    except OSError as fault:
        raise OutputError(f"{path}: {fault.strerror or fault}") from fault
    return keys


def _head(job: Mapping[str, Any] | None) -> bytes:
    return as_line({"format": _FORMAT, **(job or {})})


@contextlib.contextmanager
def _reading(path: Path, number: int) -> Iterator[None]:
    """Raise InputError where a line cannot be read."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"{path}, line {number} is damaged: remove the line or the file; items that are "
            "not in it are done again"
        ) from fault


def _why_not_this(first: bytes) -> str:
    """Say why a file with this first line cannot serve this job, and what to do."""
    otherwise = "remove the file, or name another --output or --journal"
    if _FORMAT.encode() in first:
        return (
            "is the journal of another job (step, judge, engine, prompt or settings differ): run "
            f"that job's command again to retry its failed rows, {otherwise}"
        )
    if first.startswith(b'{"key"'):
        return (
            "is a journal of an earlier version of dxjudge, which this version cannot read: "
            f"{otherwise}"
        )
    return f"is not a journal: {otherwise}"
