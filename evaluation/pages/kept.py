"""What a run kept of its requests: every attempt, and the prompts as they were sent."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ATTEMPTS, PROMPTS = "attempts.jsonl", "prompts.jsonl"


@dataclass(frozen=True)
class Prompt:
    """The first messages of a request as they were sent; images by their digests."""

    system: str
    user: str
    images: tuple[str, ...]


class Kept:
    """The attempts and prompts of a run, by the key of their outcome, read when first asked for.

    A file that is not there holds nothing.
    """

    def __init__(self, folder: Path) -> None:
        """folder: of the run."""
        self._folder = folder

    @cached_property
    def attempts(self) -> dict[str, list[dict[str, Any]]]:
        """All attempts at an answer, in their order."""
        by_key: dict[str, list[dict[str, Any]]] = {}
        for attempt in lines_of(self._folder / ATTEMPTS):
            by_key.setdefault(str(attempt.get("key", "")), []).append(attempt)
        return by_key

    @property
    def prompts(self) -> dict[str, Prompt]:
        """The prompts as they were sent."""
        return self._asked[0]

    @property
    def replies(self) -> dict[str, str]:
        """The replies that were kept before this run, which no attempt records."""
        return self._asked[1]

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of all requests."""
        return {
            key: sum(float(one.get("latency") or 0.0) for one in attempts)
            for key, attempts in self.attempts.items()
        }

    @cached_property
    def _asked(self) -> tuple[dict[str, Prompt], dict[str, str]]:
        by_messages: dict[str, Prompt] = {}
        prompts: dict[str, Prompt] = {}
        replies: dict[str, str] = {}
        for line in lines_of(self._folder / PROMPTS):
            messages, key = str(line.get("messages", "")), str(line.get("key", ""))
            if "user" in line:
                by_messages[messages] = Prompt(
                    str(line["system"]), str(line["user"]), tuple(line.get("images", ()))
                )
            if messages in by_messages:
                prompts[key] = by_messages[messages]
            if "reply" in line:
                replies[key] = str(line["reply"])
        return prompts, replies


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
