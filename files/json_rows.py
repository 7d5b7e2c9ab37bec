"""Read and write JSON: an array of objects or of texts, objects by id, or one object a line."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from ..errors import InputError
from .cells import MISSING, to_json
from .json_text import DECODER, load_json, read_nested

LIST_COLUMN = "text"
"""The name of the only column of a plain list."""


ID_COLUMN = "id"
"""The name of the column with the keys of objects by id."""


_OBJECTS = re.compile(r"\s*\[\s*\{")


class JsonRows(NamedTuple):
    """The keys of all objects in order of first occurrence, and a row for each object.

    `lines`: the line of each row, when each row has its own line; else empty.
    """

    columns: list[str]
    rows: list[list[Any]]
    lines: list[int]


def begins_objects(text: str) -> bool:
    """Whether a text begins as an array of objects: it is no list, also where it is damaged."""
    return _OBJECTS.match(text) is not None


def is_json_array(text: str) -> bool:
    """Whether a text is a whole JSON array."""
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(load_json(text), list)
    except ValueError:
        return False


def parse_json(text: str, name: str) -> JsonRows:
    """Return the rows of a .json file: an array of objects or of texts, or one object a line.

    An object of two objects or more is also a table: its keys are the column `id`.

    Raises InputError, naming the row, for any other content.
    """
    if not text.lstrip().startswith("["):
        return _parse_no_array(text, name)
    try:
        values = read_nested(DECODER.decode, text)
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}") from error
    return _table(values, name)


def _parse_no_array(text: str, name: str) -> JsonRows:
    """Read one object a line, or objects by id. Another value over the whole text is no table."""
    try:
        value = read_nested(DECODER.decode, text)
    except ValueError:
        return parse_json_lines(text, name)
    if _is_by_id(value):
        return _table([{ID_COLUMN: key, **row} for key, row in value.items()], name)
    raise InputError(
        f"{name} does not hold an array: write [{{...}}, {{...}}], or one object a line and add "
        "--input-format jsonl"
    )


def _is_by_id(value: Any) -> bool:
    """Whether a value has two objects or more, none of which has an id of its own."""
    return (
        isinstance(value, dict)
        and len(value) > 1
        and all(isinstance(row, dict) and ID_COLUMN not in row for row in value.values())
    )


def parse_json_lines(text: str, name: str) -> JsonRows:
    """Read one object a line. Raises InputError, naming the line, for any other content."""
    numbered = list(object_lines(text.split("\n"), name))
    table = _table([value for _, value in numbered], name)
    return table._replace(lines=[number for number, _ in numbered])


def object_lines(lines: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of each line that is not blank, with the number of the line.

    Raises InputError, naming the line, for any other content.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _object(line.rstrip("\n"), f"{name}, line {number}")


def are_lines(text: str) -> bool:
    """Whether the beginning of a text is that of one value a line, and not of one value alone."""
    first, _, rest = text.strip().partition("\n")
    try:
        load_json(first)
    except ValueError:
        return False
    return bool(rest)


def columns_of(values: Iterable[Any], name: str) -> list[str]:
    """Return the keys of all objects in order of first occurrence; of texts, `LIST_COLUMN`.

    Raises InputError, naming the row, where there are not only objects or only texts.
    """
    columns: dict[str, None] = {}
    number = texts = 0
    for number, value in enumerate(values, 1):
        if isinstance(value, str) and texts == number - 1:
            texts = number
        elif isinstance(value, dict) and not texts:
            columns.update(dict.fromkeys(value))
        else:
            row, kind = (1, "a text") if texts else (number, _kind(value))
            raise InputError(
                f"{name}, row {row} is {kind}, not an object: a JSON array must hold "
                "only objects or only texts"
            )
    return [LIST_COLUMN] if texts == number else list(columns)


def row_of(value: Any, columns: Sequence[str]) -> list[Any]:
    """Return the row of an object or of a text."""
    if isinstance(value, str):
        return [value]
    return [value.get(column, MISSING) for column in columns]


def _table(values: Sequence[Any], name: str) -> JsonRows:
    columns = columns_of(values, name)
    return JsonRows(columns, [row_of(value, columns) for value in values], [])


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        value = read_nested(DECODER.decode, line)
    except ValueError as error:
        raise InputError(f"{place} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InputError(
            f"{place} is not an object: write one JSON object a line (for an array of objects "
            "add --input-format json)"
        )
    return value


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


def write_json(
    file: BinaryIO,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    added: Mapping[str, Sequence[Any]],
    *,
    array: bool,
) -> None:
    """Write rows with the added columns, as an array of one object a line or as JSON Lines."""
    objects = _objects(columns, rows, added)
    if not array:
        for line in objects:
            file.write(line + b"\n")
        return
    file.write(b"[")
    for place, line in enumerate(objects):
        file.write((b",\n" if place else b"\n") + line)
    file.write(b"\n]\n")


def _objects(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], added: Mapping[str, Sequence[Any]]
) -> Iterator[bytes]:
    for place, row in enumerate(rows):
        pairs = zip(columns, row, strict=True)
        value = {name: cell for name, cell in pairs if cell is not MISSING}
        value.update({name: cells[place] for name, cells in added.items()})
        # UTF-8 cannot hold half a surrogate pair; backslashreplace gives JSON's own escape.
        yield to_json(value).encode("utf-8", "backslashreplace")
