"""What the release and the project's table say about two codes that stand beside each other."""

import re
from functools import lru_cache
from typing import NamedTuple

from .packaged import packaged
from .reading.normalise import normalise_text
from .tree import Tree

_UNTELLING = frozenset("sp spp species the".split())
_NOTES = ("use_additional_code", "code_also")
_RANGE = re.compile(
    r"\b([A-Z]\d[\dA-Z](?:\.[\dA-Z]*)?)-?(?:(?<=-)([A-Z]\d[\dA-Z](?:\.[\dA-Z]*)?))?"
)


class Combination(NamedTuple):
    """One line of the table: two conditions by prefixes, their code, what stands beside it."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    code: str
    further: str


def find_combination(first: str, second: str) -> Combination | None:
    """Return the line for two codes in this order, that with the longest prefixes, else None."""
    fitting = [
        (length, line)
        for line in _combinations()
        if (length := _longest(first, line.first) * _longest(second, line.second))
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def organism(text: str) -> str | None:
    """Return the code of an organism's name, in any order of words, else None.

    >>> organism("Staphylococcus aureus, methicillin-resistant")
    'B95.62'
    """
    return _organisms().get(_bag(text))


def note_for(code: str, further: str, tree: Tree) -> str | None:
    """Return the note by which a code asks for a further one, or the further one for the code.

    Notes of the codes above count as well. Returns None where there is no such note.
    """
    if note := asks_for(code, further, tree):
        return note
    for node in (tree.node(further), *tree.ancestors(further)):
        for note in tree.notes(node).get("code_first", ()):
            if _covers(note, code):
                return f"code first: {note.strip(' ,.')}"
    return None


def asks_for(code: str, further: str, tree: Tree) -> str | None:
    """Return the note by which a code, or one above it, asks for a further code; else None."""
    for node in (tree.node(code), *tree.ancestors(code)):
        for kind in _NOTES:
            for note in tree.notes(node).get(kind, ()):
                if _covers(note, further):
                    return f"{kind.replace('_', ' ')}: {note.strip(' ,.').removeprefix('code ')}"
    return None


def _covers(note: str, code: str) -> bool:
    """Return whether a note names a code: alone, above it ("N18.-"), or in a range ("B95-B97")."""
    for low, high in _RANGE.findall(note):
        low, high = low.rstrip("."), (high or low).rstrip(".")
        if low <= code[: len(low)] and code[: len(high)] <= high:
            return True
    return False


def _longest(code: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)


@lru_cache(maxsize=1)
def _combinations() -> tuple[Combination, ...]:
    lines = _lines("combinations.tsv")
    return tuple(
        Combination(tuple(first.split()), tuple(second.split()), code, further)
        for first, second, code, further in lines
    )


@lru_cache(maxsize=1)
def _organisms() -> dict[frozenset[str], str]:
    return {_bag(name): code for name, code in _lines("organisms.tsv")}


def _bag(name: str) -> frozenset[str]:
    return frozenset(normalise_text(name).split()) - _UNTELLING


def _lines(name: str) -> list[list[str]]:
    lines = packaged(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")][1:]
