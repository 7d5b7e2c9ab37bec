"""Join the patterns of a table into one, which tells at once that a text holds none of them."""

import re
from collections.abc import Iterable

_ESCAPED = re.compile(r"\\.|\[\^?\]?[^\]]*\]")
_GROUP = re.compile(r"\([^()]*\)")


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that is found in a text where one of several patterns is.

    Most of them begin at a word. They share the test for its begin, which re would make again for
    each of them at each letter.

    >>> any_of((r"\bcuts?\b", r"\b(burn) of", r"^ill")).search("sunburn of hand") is None
    True
    """
    plain = list(map(_unnumbered, patterns))
    at_word = [pattern for pattern in plain if pattern.startswith(r"\b") and _is_one(pattern)]
    others = [f"(?:{pattern})" for pattern in plain if pattern not in at_word]
    words = "|".join(pattern.removeprefix(r"\b") for pattern in at_word)
    return re.compile("|".join([*([rf"\b(?:{words})"] if words else []), *others]))


def _unnumbered(pattern: str) -> str:
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)


def _is_one(pattern: str) -> bool:
    """Return whether a pattern has no alternatives but those in its groups."""
    rest, times = _ESCAPED.sub("", pattern), 1
    while times:
        rest, times = _GROUP.subn("", rest)
    return "|" not in rest
