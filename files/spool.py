"""Items on disk in place of memory: appended to a file, and read back by their place in it."""

import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from ..errors import OutputError

_BLOCK = 8192
T = TypeVar("T")


def as_line(value: Mapping[str, Any]) -> bytes:
    """Return a value as one line of JSON in ASCII.

    UTF-8 cannot hold a lone surrogate; ASCII escapes it.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def line_at(descriptor: int, place: int) -> bytes:
    """Return the line that begins at a byte of an open file."""
    os.lseek(descriptor, place, os.SEEK_SET)
    parts: list[bytes] = []
    while block := os.read(descriptor, _BLOCK):
        line, end, _ = block.partition(b"\n")
        parts.append(line)
        if end:
            break
    return b"".join(parts)


@contextmanager
def writing_aside() -> Iterator[None]:
    """Raise OutputError where a temporary file cannot be written."""
    try:
        yield
    except OSError as fault:
        raise OutputError(
            f"cannot write a temporary file: {fault.strerror or fault}; the environment "
            "variable TMPDIR names a folder for it"
        ) from fault


class Spool(Generic[T]):
    """Items in a temporary file, which the system removes when the process ends.

    Use it as a context manager.
    """

    def __init__(self, *, read: Callable[[Any], T], write: Callable[[T], Any]) -> None:
        """read, write: convert plain JSON to an item and back."""
        self._read, self._write = read, write
        self._file: Any = None  # opened by the first item
        self._guard = threading.Lock()
        self._end = 0

    def keep(self, item: T) -> int:
        """Append an item; return its place. Raises OutputError where no file can be written."""
        line = as_line({"item": self._write(item)})
        with self._guard:
            place = self._end
            self._append(line, place)
            self._end += len(line)
        return place

    def _append(self, line: bytes, place: int) -> None:
        with writing_aside():
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)
            self._file.seek(place)
            rest = memoryview(line)
            while rest:
                rest = rest[self._file.write(rest) :]

    def at(self, place: int) -> T:
        """Return the item that was kept at this place."""
        with self._guard:
            line = line_at(self._file.fileno(), place)
        return self._read(json.loads(line)["item"])

    def __enter__(self) -> "Spool[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which the system then removes."""
        if self._file is not None:
            self._file.close()
