"""Read the values of a JSON array one after the other, so that memory does not hold its text."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import InputError
from .json_text import DECODER, read_nested

_SPACE = re.compile(r"[ \t\n\r]*")
_LONGEST = 10  # characters of a sign that may be cut at the end of a part, such as -Infinity


class _Rest:
    """What is read of a text and not used yet."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._parts = iter(parts)
        self._text, self._place = "", 0

    def sign(self) -> str:
        """Skip white space; return the next character, "" at the end."""
        while True:
            self._place = _SPACE.match(self._text, self._place).end()  # type: ignore[union-attr]
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def skip(self, sign: str) -> bool:
        """Skip white space, and this sign where it is next; return whether it is."""
        is_next = self.sign() == sign
        self._place += is_next
        return is_next

    def value(self) -> Any:
        """Return the next value. Raises ValueError for anything else."""
        while True:
            start = self._place
            try:
                value, end = read_nested(DECODER.raw_decode, self._text, start)
            except json.JSONDecodeError as error:
                if not _may_be_cut(error) or not self._more():
                    raise
                continue
            # Else a number may go on, also one that is cut within "e+".
            if len(self._text) - end > 2 or not self._more():
                self._place += end - start
                return value

    def _more(self) -> bool:
        """Read as much again as there is, so that a long value is not begun too often."""
        some, size = [self._text[self._place :]], 0
        for part in self._parts:
            some.append(part)
            size += len(part)
            if size >= len(some[0]):
                break
        self._text, self._place = "".join(some), 0
        return size > 0


def _may_be_cut(error: json.JSONDecodeError) -> bool:
    """Whether the fault may be that the text is not read to its end."""
    return error.msg.startswith("Unterminated") or error.pos > len(error.doc) - _LONGEST


def array_values(parts: Iterable[str], name: str) -> Iterator[Any]:
    """Yield the values of a JSON array. Raises InputError, naming the row, for another text."""
    rest, number = _Rest(parts), 1
    try:
        _ask(rest.skip("["), "it does not begin with [")
        is_end = rest.skip("]")
        while not is_end:
            rest.sign()  # white space before a value
            yield rest.value()
            is_end = rest.skip("]")
            _ask(is_end or rest.skip(","), "neither a comma nor ] is after it")
            number += not is_end
        _ask(not rest.sign(), "the text goes on after the array")
    except ValueError as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else error
        raise InputError(f"{name}, row {number} is not JSON: {why}") from error


def _ask(is_so: bool, why: str) -> None:
    if not is_so:
        raise ValueError(why)


def is_array(parts: Iterable[str]) -> bool:
    """Whether a text is a whole JSON array."""
    try:
        return all(True for _ in array_values(parts, ""))
    except InputError:
        return False
