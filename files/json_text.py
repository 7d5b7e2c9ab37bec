"""Read JSON that somebody else wrote: a text nested too deeply is a fault like any other."""

import gc
import json
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def load_json(text: str | bytes) -> Any:
    """Return the value of a JSON text. Raises ValueError for any other text."""
    return read_nested(json.loads, text)


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
