"""The bytes of a file or of standard input, which can be read from their beginning many times."""

import gzip
import io
import os
import stat
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import InputError
from .bytes import GZIP, decoding, reading, unpacking, without_mark
from .spool import writing_aside

_AT_ONCE = 1_000_000  # bytes or characters
_KEPT = 4_000_000  # bytes of a copy that are in memory before it becomes a temporary file

Tell = Callable[[int, int], None]
"""Is called now and then with the place that a reading has reached, and the size; 0 for unknown."""


class Content:
    """The bytes of a file, which stays open: another file that takes its name changes nothing.

    tell: may be set to follow each reading.
    """

    tell: Tell | None = None

    def __init__(self, name: str, file: Any) -> None:
        """name: for messages. file: any place of it can be read; the content closes it."""
        self.name = name
        self._file = file
        self._guard = threading.Lock()
        self._stamp = self._now()
        self.size: int = file.seek(0, os.SEEK_END)
        weakref.finalize(self, file.close)

    def begins(self, *signatures: bytes) -> bool:
        """Whether the content, as it is in the file, begins with one of these."""
        return self._at(0, max(map(len, signatures))).startswith(signatures)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the content at its beginning, decompressed if it is gzipped.

        Raises InputError when it cannot be read or is damaged.
        """
        with (
            reading(self.name),
            unpacking(self.name),
            io.BufferedReader(_Reader(self), _AT_ONCE) as file,
        ):
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if self.begins(GZIP) else file

    def unpacked(self) -> "Content":
        """Return the content without compression, where any place of it is read at once."""
        if not self.begins(GZIP):
            return self
        with self.opened() as file:
            copy = copied(_parts(file), self.name)
        copy.tell = self.tell
        self.check()
        return copy

    def check(self) -> None:
        """Raise InputError where the file has changed since it was opened."""
        if self._now() != self._stamp:
            raise InputError(f"{self.name} changed while it was read")

    def read_at(self, place: int, size: int) -> bytes:
        """Return so many bytes from a place on, and tell how far the reading is."""
        data = self._at(place, size)
        if self.tell:
            self.tell(place + len(data), self.size)
        return data

    def _at(self, place: int, size: int) -> bytes:
        with self._guard, reading(self.name):
            self._file.seek(place)
            return cast(bytes, self._file.read(size))

    def _now(self) -> tuple[int, int]:
        """Return size and time of the file, which differ where it was written again."""
        if not isinstance(self._file, io.FileIO):
            return 0, 0  # a copy, which no other process can reach
        about = os.fstat(self._file.fileno())
        return about.st_size, about.st_mtime_ns


class _Reader(io.RawIOBase):
    """One reading of a content, with a place of its own."""

    def __init__(self, content: Content) -> None:
        self._content, self._place = content, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + (0, self._place, self._content.size)[whence]
        return self._place

    def readinto(self, buffer: Any) -> int:
        data = self._content.read_at(self._place, len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


def open_content(source: str, tell: Tell | None = None) -> Content:
    """Open a file, or standard input where `source` is "-". What comes from a pipe is copied.

    A copy above 4 MB is a temporary file without a name, so that the system removes it however
    the process ends. tell: follows the copying. Raises InputError where the source cannot be read,
    OutputError where it cannot be copied.
    """
    if source == "-":
        with reading("standard input"):
            return copied(_parts(sys.stdin.buffer), "standard input", tell)
    with reading(source):
        file = Path(source).open("rb", buffering=0)
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Content(source, file)
        with file:
            return copied(_parts(file), source, tell)


def copied(parts: Iterable[bytes], name: str, tell: Tell | None = None) -> Content:
    """Return a content with these parts, above 4 MB in a temporary file without a name."""
    copy = tempfile.SpooledTemporaryFile(_KEPT)
    done = 0
    for part in parts:
        with writing_aside():
            copy.write(part)
        done += len(part)
        if tell and done > _KEPT:
            tell(done, 0)
    with writing_aside():
        return Content(name, copy)


def _parts(file: Any) -> Iterator[bytes]:
    return iter(partial(file.read, _AT_ONCE), b"")


def text_lines(content: Content, encoding: str, *, hint: str = "", end: str = "") -> Iterator[str]:
    """Yield the lines with their ends, as `decode` reads them; memory holds only one of them.

    end: the only end of a line; without it, those of all systems. Raises what `decode` raises, and
    InputError when the content cannot be read.
    """
    number = 0
    with (
        decoding(content.name, encoding, hint, lambda: number + 1),
        content.opened() as file,
        io.TextIOWrapper(file, encoding, newline=end) as text,
    ):
        for number, line in enumerate(text, 1):
            yield without_mark(line, encoding) if number == 1 else line


def text_parts(content: Content, encoding: str, *, hint: str = "") -> Iterator[str]:
    """Yield the text, as `text_lines` does, in parts of many characters, whatever its lines are."""
    line, is_first = 1, True
    with (
        decoding(content.name, encoding, hint, lambda: line),
        content.opened() as file,
        io.TextIOWrapper(file, encoding, newline="") as text,
    ):
        while part := text.read(_AT_ONCE):
            yield without_mark(part, encoding) if is_first else part
            line, is_first = line + part.count("\n"), False
