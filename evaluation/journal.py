"""The journal: what a model has decided so far, so that a run can go on where it stopped."""

import json
import os
import threading
from pathlib import Path
from typing import IO, Any

from ..agents.outcome import Outcome, read_outcome
from ..errors import InputError, OutputError


class Journal:
    """Outcomes by key, kept in memory and, where a path is given, line by line in a file.

    A line that an interruption cut short is left out. Failures are not kept: the next run tries
    them again.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Read `path` if it exists, and append to it.

        Raises InputError for a file that is no journal, OutputError when it cannot be written.
        """
        self._held: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._file: IO[str] | None = None
        if path is None:
            return
        try:
            if path.exists():
                self._read(path)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            self._file = os.fdopen(handle, "a", encoding="utf-8")
        except OSError as fault:
            raise OutputError(f"journal {path}: {fault.strerror}") from fault

    def find(self, key: str) -> Outcome | None:
        """The outcome kept under a key; its value is plain JSON."""
        held = self._held.get(key)
        return read_outcome(held) if held is not None else None

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome of a model; a failure and what no model decided are not kept."""
        if outcome.status == "failed" or outcome.decided_by != "llm":
            return
        plain = outcome.model_dump(mode="json")
        with self._lock:
            self._held[key] = plain
            if self._file is not None:
                self._file.write(json.dumps({"key": key, "outcome": plain}) + "\n")
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _read(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                held = json.loads(line)
                self._held[held["key"]] = held["outcome"]
            except (ValueError, KeyError, TypeError) as fault:
                if number < len(lines):  # the last line may have been cut short
                    raise InputError(f"{path}, line {number} is no line of a journal") from fault
        if lines and lines[-1]:  # so that the next line starts on its own
            path.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
