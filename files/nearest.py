"""Finds the name that was likely meant by a misspelt one."""

import difflib
from collections.abc import Iterable, Sequence

# A column that nothing reads may be right as it is, so only a name that is very like a known one
# counts. A name that was asked for and does not exist is wrong in any case.
CLEAR = 0.75


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the known name that is most like a name, in any case; "" if none is like it.

    likeness: the smallest ratio of `difflib` that counts, from 0 to 1.
    """
    by_folded = {other.casefold(): other for other in reversed([*known])}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=likeness)
    return by_folded[near[0]] if near else ""


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return "did you mean NAME?", or the other text if no known name is like this one."""
    near = nearest(name, known)
    return f"did you mean {near}?" if near else otherwise


def no_such(what: str, path: Sequence[str | int], known: Iterable[str]) -> str:
    """Return the message for a name that does not exist, with the likely one or all of them.

    path: the way to the name, as in pydantic's errors. known: the names at the top; below them none
    is offered.
    """
    name = ".".join(map(str, path))
    names = list(known)
    hint = did_you_mean(name, names, f"there are {', '.join(names)}")
    return f"there is no {what} {name}" + (f"; {hint}" if len(path) == 1 else "")


def unread_column(column: str, known: Iterable[str], meant: str = "") -> str:
    """Return a column that nothing reads, with the known name that was likely meant.

    meant: the likely name where a table of usual mistakes has it.
    """
    likely = meant or nearest(column, known, CLEAR)
    return f"{column} (did you mean {likely}?)" if likely else column


def lacking(where: str, missing: Sequence[str], columns: Sequence[str]) -> str:
    """Return the start of a message: the needed columns that a table lacks, with likely ones.

    columns: the columns that may be meant; those that are needed and present may not.
    """
    likely = {name: nearest(name, columns) for name in missing}
    names = [f"{name} (did you mean {near}?)" if near else name for name, near in likely.items()]
    return f"{where} has no column {', '.join(names)}"


def no_column(where: str, column: str, columns: Sequence[str]) -> str:
    """Return the message for a column that a table does not have: the likely one, and all."""
    near = nearest(column, columns)
    likely = f"did you mean {near}? " if near else ""
    return f"{where} has no column {column!r}; {likely}there are: {listed(columns)}"


def listed(columns: Iterable[str]) -> str:
    """Return the names of columns for a message; one without letters is quoted, to be seen."""
    return ", ".join(name if name.strip() else repr(name) for name in columns)
