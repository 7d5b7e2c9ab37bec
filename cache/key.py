"""The key of a kept reply: the hash of every field that can change the answer."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

Fields = dict[str, Any]


def canonical(value: object) -> str:
    """Return canonical JSON: sorted keys, no spaces, no NaN. Equal values give equal text.

    Raises TypeError or ValueError for a value that is not plain JSON.
    """
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def fingerprint(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON, as 64 hexadecimal digits."""
    # A lone surrogate is valid in a Python string, but no encoding can write it.
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def differences(fields: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return dotted field name -> (value in `fields`, value in `other`) where they differ."""
    mine, theirs = dict(_leaves(fields)), dict(_leaves(other))
    return {
        name: (mine.get(name), theirs.get(name))
        for name in sorted(mine.keys() | theirs.keys())
        if mine.get(name) != theirs.get(name)
    }


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _leaves(item, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", item
