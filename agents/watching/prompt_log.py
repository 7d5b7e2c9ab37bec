"""The prompts of a run as they were sent: each text once, with the keys of its calls."""

import hashlib
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from .call_log import open_private


class PromptLog:
    """Appends to a JSONL file that only its owner can read; use it as a context manager.

    A line has the key of a call and a digest of its messages. The first line with a digest has the
    messages too, so that a prompt that many judges get stands in the file once. A reply that was
    kept before this run stands in the line as well, because no attempt records it.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OutputError when it cannot be written."""
        self._file = open_private(path, "prompts")
        self._lock = threading.Lock()
        self._written: set[str] = set()

    def note(self, key: str, messages: Mapping[str, Any], reply: str | None = None) -> None:
        """Write the prompt of a call; the first time only."""
        text = json.dumps(messages, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        with self._lock:
            if key in self._written:
                return
            line: dict[str, Any] = {"key": key, "messages": digest}
            if digest not in self._written:
                line.update(messages)
            if reply is not None:
                line["reply"] = reply
            self._written.update((key, digest))
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()

    def __enter__(self) -> "PromptLog":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
