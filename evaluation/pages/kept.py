"""What a run kept of its requests: every attempt, and the prompts as they were sent."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ATTEMPTS, PROMPTS = "attempts.jsonl", "prompts.jsonl"


@dataclass(frozen=True)
class Prompt:
    """The first messages of a request as they were sent, and a reply that was kept before."""

    system: str
    user: str
    images: tuple[str, ...]


class Kept:
    """The attempts and prompts of a run, by the key of their outcome."""

    def __init__(self, folder: Path) -> None:
        """Read both files; a file that is not there holds nothing."""
        self.attempts: dict[str, list[dict[str, Any]]] = {}
        for attempt in lines_of(folder / ATTEMPTS):
            self.attempts.setdefault(str(attempt.get("key", "")), []).append(attempt)
        self.prompts: dict[str, Prompt] = {}
        self.replies: dict[str, str] = {}
        self._read_prompts(folder / PROMPTS)

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of all requests by the key of their outcome."""
        return {
            key: sum(float(one.get("latency") or 0.0) for one in attempts)
            for key, attempts in self.attempts.items()
        }

    def _read_prompts(self, path: Path) -> None:
        by_messages: dict[str, Prompt] = {}
        for line in lines_of(path):
            messages, key = str(line.get("messages", "")), str(line.get("key", ""))
            if "user" in line:
                by_messages[messages] = Prompt(
                    str(line["system"]), str(line["user"]), tuple(line.get("images", ()))
                )
            if messages in by_messages:
                self.prompts[key] = by_messages[messages]
            if "reply" in line:
                self.replies[key] = str(line["reply"])


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines; one that an interruption cut short is left out."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry
