"""Read JSON that somebody else wrote: a text nested too deeply is a fault like any other."""

import gc
import json
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class KeyTwice(ValueError):
    """An object of a JSON text has a key twice, of which one value would be lost."""


def load_json(text: str | bytes) -> Any:
    """Return the value of a JSON text. Raises ValueError for any other text."""
    return read_nested(json.loads, text)


def load_cell(text: str) -> Any:
    """Return the value of the JSON text in a cell of a table.

    Raises ValueError for any other text, and KeyTwice for an object with a key twice.
    """
    return read_nested(DECODER.decode, text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise KeyTwice(f"the key {twice!r} occurs twice in one object")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=_once)
"""Reads JSON; it raises KeyTwice for a key that occurs twice in an object."""


def read_nested(read: Callable[..., T], *arguments: Any) -> T:
    """Return what a reader of nested text returns.

    Raises what the reader raises, with ValueError in place of RecursionError.
    """
    # Python up to 3.11 counts the levels of the text as calls. A collection of garbage at the
    # last of them would run the finalizers of other objects, and each would fail.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return read(*arguments)
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    finally:
        if is_collecting:
            gc.enable()
