"""A log of all requests of a run with their prompts and replies, one JSON object a line."""

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from ...errors import OutputError
from ...files.bytes import BINARY


class Log(Protocol):
    """Records the requests of a run."""

    def record(self, prompt: Mapping[str, Any], attempt: Mapping[str, Any]) -> None:
        """Record one request: what was sent, and how it ended."""

    def close(self) -> None:
        """Record no more."""


class CallLog(Log):
    """Appends each request to a file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OutputError when it cannot be written."""
        self._file = open_private(path, "log")
        self._lock = threading.Lock()

    def record(self, prompt: Mapping[str, Any], attempt: Mapping[str, Any]) -> None:
        """Append one request: what was sent, and how it ended. Raises OSError for a full disk."""
        line = json.dumps({**attempt, **prompt}, ensure_ascii=False)
        with self._lock:
            # Half a surrogate pair cannot be encoded; the engine replaces it in what it sends.
            self._file.write(line.encode("utf-8", "replace").decode() + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_private(path: Path, what: str) -> IO[str]:
    """Open a file to append to that only its owner can read. Raises OutputError."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | BINARY, 0o600)
        return os.fdopen(handle, "a", encoding="utf-8", newline="\n")
    except OSError as fault:
        raise OutputError(f"cannot write the {what} {path}: {fault.strerror}") from fault
