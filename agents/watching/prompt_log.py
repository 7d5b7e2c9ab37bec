"""The prompts of a run as they were sent: each text once, with the keys of its calls."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...files.bytes import writing
from .call_log import open_private

_CALL = ("key", "messages", "reply")


class PromptLog:
    """Appends to a JSONL file that only its owner can read; use it as a context manager.

    A line has the key of a call and a digest of its messages. The first line with a digest has the
    messages too, so that a prompt that many judges get stands in the file once. A reply that was
    kept before this run stands in the line as well, because no attempt records it.

    Calls end in any order. When the log is closed its lines are put in the order of their keys, so
    that the same calls always give the same file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OutputError when it cannot be written."""
        self._path = path
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

    def __exit__(self, *_: object) -> None:
        self._file.close()
        lines = _in_order(self._path)
        with writing(self._path) as file:
            file.writelines(lines)


def _in_order(path: Path) -> Iterator[bytes]:
    """Yield one line for each key, with the messages of a digest in its first line.

    The file is read while the lines are taken. A line that an interruption cut short is left out.
    """
    calls: dict[str, dict[str, Any]] = {}
    messages: dict[str, dict[str, Any]] = {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            with suppress(ValueError):
                entry = json.loads(line)
                call = {name: entry.pop(name) for name in _CALL if name in entry}
                calls.setdefault(call["key"], {}).update(call)
                if entry:
                    messages[call["messages"]] = entry
    for _, call in sorted(calls.items()):
        yield (json.dumps(call | messages.pop(call["messages"], {})) + "\n").encode()
