"""The journal: rows that are finished, kept while others are not."""

import json
import os
from pathlib import Path
from typing import IO, Any

from ..agents.outcome import Outcome, read_outcome
from ..cache.key import canonical
from ..errors import InputError, OutputError

_FORMAT = "dxjudge journal"


class Journal:
    """Outcomes by the key of their inputs, one JSON line each, for one step and one judge.

    A line that a crash cut off is left out; failed rows are kept out, so that they are tried
    again. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None, about: dict[str, Any]) -> None:
        """Open or begin a journal.

        Raises InputError when the file is something else or belongs to another job.
        """
        self.path = path
        self.found: dict[str, Outcome] = {}
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

    def keep(self, key: str, outcome: Outcome) -> None:
        """Note a finished row; a failed one is left to the next run."""
        if self._file is None or outcome.status == "failed":
            return
        self._write(canonical({"key": key, "outcome": outcome.model_dump(mode="json")}))

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
                self.found[entry["key"]] = read_outcome(entry["outcome"])
            except (ValueError, KeyError, TypeError) as fault:
                raise InputError(f"{path}: a damaged line; remove the file") from fault
