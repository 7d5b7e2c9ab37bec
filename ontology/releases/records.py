"""Make the rows of a release from records of (code, name, parent, terms) in any order."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...errors import InputError
from ..release import Release, Rows

_SEPARATORS = frozenset(";|,")  # tables separate several codes by these


class Record(NamedTuple):
    """One code as a file gives it; `where` names file and row, for messages.

    parent: the code above, "" for a root. terms: other names of the code. level: the name of its
    level, "" where the depth gives it.
    """

    where: str
    code: str
    name: str
    parent: str = ""
    terms: tuple[str, ...] = ()
    level: str = ""


def rows_of(records: Iterable[Record], release: Release, edition: str) -> Rows:
    """Put the records into the order of the tree: each parent before its children.

    Children of one parent stay in the order of the file.

    Raises InputError, which names file and row, for an empty code or name, a code that holds a
    blank or a separator, a code that occurs twice, a parent that is not in the file, a code that
    lies below itself, a level that the release does not have, and a level above the parent's.
    """
    by_code = _by_code(records)
    below: dict[str, list[Record]] = {}
    for record in by_code.values():
        if record.parent and record.parent not in by_code:
            raise InputError(
                f"{record.where}: the parent {record.parent!r} of {record.code} is not in the file"
            )
        below.setdefault(record.parent, []).append(record)
    rows = Rows(edition)
    for record, parent in _in_order(below):
        position = rows.add(_level(record, parent, rows, release), record.code, record.name, parent)
        if record.terms:
            rows.notes[position] = {"inclusion": list(record.terms)}
    if len(rows.codes) < len(by_code):
        _refuse_circle(by_code, set(rows.codes))
    return rows


def _by_code(records: Iterable[Record]) -> dict[str, Record]:
    by_code: dict[str, Record] = {}
    for record in records:
        if not record.code:
            raise InputError(f"{record.where}: no code")
        if any(sign.isspace() or sign in _SEPARATORS for sign in record.code):
            raise InputError(
                f"{record.where}: the code {record.code!r} holds a blank or one of ; | ,"
            )
        if not record.name:
            raise InputError(f"{record.where}: the code {record.code} has no name")
        if record.code in by_code:
            first = by_code[record.code].where
            raise InputError(
                f"{record.where}: the code {record.code} occurs twice, first in {first}"
            )
        by_code[record.code] = record
    return by_code


def _in_order(below: dict[str, list[Record]]) -> Iterator[tuple[Record, int]]:
    """Yield each record with the position of its parent, from the roots down."""
    waiting = [(record, -1) for record in reversed(below.get("", []))]
    position = 0
    while waiting:
        record, parent = waiting.pop()
        yield record, parent
        waiting += [(child, position) for child in reversed(below.get(record.code, []))]
        position += 1


def _level(record: Record, parent: int, rows: Rows, release: Release) -> int:
    above = rows.levels[parent] if parent >= 0 else -1
    if not record.level:
        return min(above + 1, len(release.levels) - 1) if release.levels else above + 1
    if record.level not in release.levels:
        levels = ", ".join(release.levels) or "none"
        raise InputError(
            f"{record.where}: {record.code} is a {record.level!r}; the levels of {release.name} "
            f"are {levels}"
        )
    level = release.levels.index(record.level)
    if level < above:
        raise InputError(
            f"{record.where}: {record.code}, a {record.level}, lies below {rows.codes[parent]}, "
            f"a {release.levels[above]}"
        )
    return level


def _refuse_circle(by_code: dict[str, Record], placed: set[str]) -> None:
    """Raise InputError that names the codes of a circle of parents."""
    code = next(code for code in by_code if code not in placed)
    line: list[str] = []
    while code not in line:
        line.append(code)
        code = by_code[code].parent
    circle = [*line[line.index(code) :], code]
    raise InputError(f"{by_code[code].where}: {code} lies below itself: {_shown(circle)}")


def _shown(circle: Sequence[str]) -> str:
    shown = circle if len(circle) < 12 else [*circle[:10], "…", circle[-1]]
    return " below ".join(shown)
