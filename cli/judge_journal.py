"""The journal: rows that are finished, kept while others are not."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from ..cache.key import canonical
from ..errors import InputError, OutputError

_FORMAT = "dxjudge journal"
T = TypeVar("T")


class Journal(Generic[T]):
    """Outcomes by the key of their inputs, one JSON line each, for one step and one judge or jury.

    A line that a crash cut off is left out. Failed rows are not given to it, so that they are
    tried again. Without a path nothing is kept.
    """

    def __init__(
        self, path: Path | None, about: dict[str, Any], read: Callable[[dict[str, Any]], T]
    ) -> None:
        """Open or begin a journal; `read` makes an outcome of plain JSON.

        Raises InputError when the file is something else or belongs to another job.
        """
        self.path = path
        self.found: dict[str, T] = {}
        self._read = read
        self._file: IO[str] | None = None
        if path is None:
            return
        head = canonical({"format": _FORMAT, **about})
        try:
            if path.exists() and path.stat().st_size:
                self._load(path, head)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            self._file = os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace")
        except OSError as fault:
            raise OutputError(f"{path}: {fault.strerror}") from fault
        if not path.stat().st_size:
            self._write(head)

    def keep(self, key: str, outcome: dict[str, Any]) -> None:
        """Note a finished row, as plain JSON."""
        if self._file is not None:
            self._write(canonical({"key": key, "outcome": outcome}))

    def close(self, *, remove: bool) -> None:
        """Close the file, and remove it where everything is done."""
        if self._file is None or self.path is None:
            return
        self._file.close()
        if remove:
            self.path.unlink(missing_ok=True)

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line + "\n")
        self._file.flush()

    def _load(self, path: Path, head: str) -> None:
        text = path.read_text(encoding="utf-8", errors="replace")
        first, *lines = text.split("\n")
        if first != head:
            what = "of another job" if _FORMAT in first else "no journal"
            raise InputError(
                f"{path} is {what} (another step, judge, engine or prompt): remove it, or name "
                "another with --journal"
            )
        if not text.endswith("\n"):  # a crash cut the last line off
            lines = lines[:-1]
            path.write_text("\n".join([first, *lines, ""]), encoding="utf-8")
        for line in filter(None, lines):
            try:
                entry = json.loads(line)
                self.found[entry["key"]] = self._read(entry["outcome"])
            except (ValueError, KeyError, TypeError) as fault:
                raise InputError(f"{path}: a damaged line; remove the file") from fault
