"""What a run kept of its requests: every attempt, and the prompts as they were sent."""

import json
import re
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

    @cached_property
    def seconds(self) -> dict[str, float]:
        """The seconds of all requests, read without the texts, which take most of the file."""
        by_key: dict[str, float] = {}
        for key, seconds in _latencies(self._folder / ATTEMPTS):
            by_key[key] = by_key.get(key, 0.0) + seconds
        return by_key

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


_KEY = re.compile(rb'"key": "([^"\\]*)"')
_LATENCY = re.compile(rb'"latency": ([0-9.e+-]+)[,}]')


def _latencies(path: Path) -> Iterator[tuple[str, float]]:
    """Yield the key and the seconds of each attempt.

    A quote within a text of JSON stands behind a backslash, so that these names are found only
    where they are names.
    """
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            key, latency = _KEY.search(line), _LATENCY.search(line)
            if key and latency and line.endswith(b"}\n"):
                yield key[1].decode(), float(latency[1])


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
