"""Read JSON that somebody else wrote: a text nested too deeply is a fault like any other."""

import gc
import json
import os
import threading
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
    _PAUSE.begin()
    try:
        return read(*arguments)
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    finally:
        _PAUSE.end()


class _Pause:
    """No collection of garbage while a thread or several are reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._is_collecting = True

    def begin(self) -> None:
        with self._lock:
            if not self._readers:
                self._is_collecting = gc.isenabled()
                gc.disable()
            self._readers += 1

    def end(self) -> None:
        with self._lock:
            self._readers -= 1
            if not self._readers and self._is_collecting:
                gc.enable()

    def forget(self) -> None:
        """Forget the readers of the process that was copied: their threads are not in the copy."""
        if self._readers and self._is_collecting:
            gc.enable()
        self._lock, self._readers = threading.Lock(), 0


_PAUSE = _Pause()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_PAUSE.forget)
