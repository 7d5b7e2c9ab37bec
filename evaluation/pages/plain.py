"""The forms of the pages' data, and their way to JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True)
class Grid:
    """A table of texts. `caption` says how to read it, and what it leaves out."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page with tables; `name` is its place in the address."""

    name: str
    title: str
    notes: tuple[str, ...]
    grids: tuple[Grid, ...]


def grid_of(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = ""
) -> Grid:
    """Return a table of texts."""
    return Grid(title, tuple(header), tuple(map(tuple, rows)), caption)


def plain(value: Any) -> Any:
    """Return dataclasses as plain data; NaN and infinity, which JSON does not have, become None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def as_json(value: Any) -> str:
    """Write data as JSON that is safe inside a script element of a page.

    >>> as_json({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace").decode()
