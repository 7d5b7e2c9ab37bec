"""What a command says at its end: facts, as sentences or as one JSON object (`--json`)."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TextIO

from ...errors import UsageError
from .printing import print_json


class Fact(NamedTuple):
    """A sentence for people, and the same as values of JSON.

    line: "" where only JSON has the fact. values: a list goes on in the next fact that has one of
    the same name. always: the sentence is told with --quiet too, such as why the exit code is 3.
    """

    line: str
    values: Mapping[str, Any]
    always: bool = False


Facts = Iterable[Fact | str]
"""Facts, and sentences without values, which are notes in JSON."""


def tell(facts: Facts, *, as_json: bool, quiet: bool = False, file: TextIO | None = None) -> None:
    """Print facts: sentences in a file, or one JSON object on standard output.

    quiet: only the sentences that are always told. file: by default standard error.
    """
    if as_json:
        print_json(values_of(facts))
        return
    told = [fact if isinstance(fact, Fact) else Fact(fact, {}) for fact in facts]
    lines = [fact.line for fact in told if fact.line and (fact.always or not quiet)]
    if lines:
        print("\n".join(lines), file=file or sys.stderr, flush=True)


def values_of(facts: Facts) -> dict[str, Any]:
    """Return facts as one object.

    >>> values_of([Fact("2 rows", {"rows": 2}), "the price is unknown", "a second note"])
    {'rows': 2, 'notes': ['the price is unknown', 'a second note']}
    """
    told: dict[str, Any] = {}
    for fact in facts:
        values: Mapping[str, Any] = {"notes": [fact]} if isinstance(fact, str) else fact.values
        for name, value in values.items():
            told[name] = [*told.get(name, ()), *value] if isinstance(value, list) else value
    return told


def named(values: Iterable[tuple[str, object]]) -> Iterator[Fact]:
    """Yield a fact for each file that a command has written: (what it is, its path)."""
    yield from (
        Fact(f"{what}: {path}", {"files": [{"what": what, "path": str(path)}]})
        for what, path in values
    )


def check_output(output: str, *, as_json: bool) -> None:
    """Raise UsageError where rows and JSON would both go to standard output."""
    if as_json and output == "-":
        raise UsageError(
            "--json prints the summary on standard output, where the rows go too: name a file for "
            "the rows with -o"
        )
