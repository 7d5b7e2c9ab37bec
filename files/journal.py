"""The journal: records the finished items of a run, so that an interrupted run can continue."""

import contextlib
import errno
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from ..errors import InputError, OutputError
from .bytes import BINARY
from .claim import claim

_FORMAT = "dxjudge journal"
_SYNC_SECONDS = 5.0
T = TypeVar("T")


class Journal(Generic[T]):
    """Finished items by key, in memory and, with a path, as one JSON line each in a file.

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
        self._finished: dict[str, T] = {}
        self._read = read
        self._write = write
        self._guard = threading.Lock()
        self._descriptor: int | None = None
        self._synced = time.monotonic()
        if path is None:
            return
        self._give_back = claim(
            path, "wait until it has ended, or name another output and another journal"
        )
        try:
            self._open(path, _line({"format": _FORMAT, **(job or {})}))
        except BaseException:
            self._release()
            raise

    def __len__(self) -> int:
        """Return the number of finished items."""
        return len(self._finished)

    def find(self, key: str) -> T | None:
        """Return the finished item under a key, or None."""
        return self._finished.get(key)

    def keep(self, key: str, item: T) -> None:
        """Record a finished item. Raises OutputError when the file cannot be written."""
        with self._guard:
            if self._descriptor is not None:
                self._append(_line({"key": key, "outcome": self._write(item)}))
            self._finished[key] = item

    def close(self, *, remove: bool = False) -> None:
        """Close the file; `remove` deletes it, for a run that is complete.

        A journal without a finished item is deleted too: it would only refuse another job.
        """
        with self._guard:
            if self._descriptor is None:
                return
            remove = remove or not self._finished
            try:
                if not remove:
                    self._sync()
            finally:
                if remove and self.path is not None:
                    self.path.unlink(missing_ok=True)
                self._release()

    def __enter__(self) -> "Journal[T]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self, path: Path, head: bytes) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, 0o600)
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
        for number, line in enumerate(lines, 2):
            self._load(path, number, line)

    def _load(self, path: Path, number: int, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self._finished[entry["key"]] = self._read(entry["outcome"])
        except (ValueError, KeyError, TypeError) as fault:
            raise InputError(
                f"{path}, line {number} is damaged: remove the line or the file; items that are "
                "not in it are done again"
            ) from fault

    def _append(self, line: bytes) -> None:
        assert self._descriptor is not None
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
            f"{what}: the journal {self.path} holds {len(self._finished):,} finished items; "
            f"{todo} and run the same command again"
        )

    def _release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._give_back()


def _line(value: Mapping[str, Any]) -> bytes:
    # JSON in ASCII, because UTF-8 cannot hold a lone surrogate and ASCII escapes it.
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


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
