"""Cuts values so that the repr of an object stays one readable line."""

from typing import Any

LINE = 160
"""The longest text, in characters, that a repr shows of one field."""


def short(value: Any, longest: int = LINE) -> str:
    """Return the repr of a value in one line, cut in its middle where it is too long.

    Args:
        value: any object.
        longest: the number of characters to keep, with the sign of the cut.

    >>> short("gout"), short("a" * 50, 12)
    ("'gout'", "'aaaaa…aaaa'")
    """
    text = " ".join(repr(value).split())
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[-tail:]}"
