"""Cassettes: kept replies in one JSONL file, for use on another machine or in a test."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, OutputError
from ..files.json_text import load_json
from .key import Fields, fingerprint
from .replies import Replies
from .store import Entry

_FORMAT = "dxjudge cassette"
_VERSION = 1


def export_cassette(replies: Replies, path: Path, step: str | None = None) -> int:
    """Write every reply, or the replies of one step, ordered by key, and return their number.

    Leaves no file under `path` when it fails. Raises OutputError.
    """
    count = 0
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as fault:
        raise OutputError(f"{path}: {fault.strerror}") from fault
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_line({"format": _FORMAT, "version": _VERSION}))
            for key, entry in replies.entries(step):
                file.write(_line({"key": key, **entry}))
                count += 1
        os.replace(name, path)
    except OSError as fault:
        raise OutputError(f"{path}: {fault.strerror}") from fault
    finally:
        Path(name).unlink(missing_ok=True)
    return count


def import_cassette(replies: Replies, path: Path) -> tuple[int, int]:
    """Keep every reply of a cassette; return their number, and how many replaced another reply.

    Checks the whole file first. Raises InputError, naming the line, and keeps nothing, when a
    line is not a reply, when its key does not match its fields, or when it has another reply than
    a line before it.
    """
    new: dict[str, tuple[Fields, Entry, str]] = {}
    for number, (fields, reply, written) in _read(path):
        _, known, _ = new.setdefault(fingerprint(fields), (fields, reply, written))
        if known != reply:
            raise InputError(f"{path}, line {number}: another reply than in a line before it")
    old = replies.find(list(new))
    replaced = sum(reply != new[key][1] for key, reply in old.items())
    return replies.keep(new.values()), replaced


def _read(path: Path) -> Iterator[tuple[int, tuple[Fields, Entry, str]]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path}: {fault}") from fault
    head = _parse(path, 1, lines[0]) if lines else {}
    if head.get("format") != _FORMAT or head.get("version") != _VERSION:
        raise InputError(f"{path} is not a cassette of version {_VERSION}")
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        entry = _parse(path, number, line)
        fields, reply = entry.get("fields"), entry.get("reply")
        if not isinstance(fields, dict) or not isinstance(reply, dict):
            raise InputError(f"{path}, line {number}: the fields or the reply are missing")
        if fingerprint(fields) != entry.get("key"):
            raise InputError(f"{path}, line {number}: the key does not match the fields")
        yield number, (fields, reply, str(entry.get("written", "")))


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = load_json(line)
    except ValueError as fault:
        raise InputError(f"{path}, line {number}: not JSON ({fault})") from fault
    if not isinstance(value, dict):
        raise InputError(f"{path}, line {number}: not a JSON object")
    return value


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n"
