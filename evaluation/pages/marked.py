"""Texts with the judges' quotes marked in them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel


class Quote(NamedTuple):
    """A quote of a judge: in which text, where it begins and ends, and what it is quoted for."""

    source: str
    start: int
    end: int
    note: str


class Segment(BaseModel):
    """A piece of a text; `notes` say who quotes it for what, empty without a quote."""

    text: str
    notes: list[str]


def quotes_of(value: str) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Yield what each quote of a verdict is for, the quote itself, and whether it is invented.

    value: the verdict as JSON, as verdicts.csv has it.
    """
    plain = json.loads(value) if value else None
    if not isinstance(plain, dict):
        return
    for error in plain.get("errors") or ():
        if isinstance(error, dict) and isinstance(error.get("quote"), dict):
            yield str(error.get("category", "")), error["quote"], False
    dimensions = plain.get("dimensions")
    for name, dimension in dimensions.items() if isinstance(dimensions, dict) else ():
        for kind in ("quotes", "invented"):
            for quote in dimension.get(kind) or ():
                yield name, quote, kind == "invented"


def marked(text: str, quotes: Iterable[Quote]) -> list[Segment]:
    """Cut a text where quotes begin and end.

    >>> [s.text for s in marked("a red rash", [Quote("", 2, 5, "x"), Quote("", 2, 10, "y")])]
    ['a ', 'red', ' rash']
    """
    inside = [one for one in quotes if 0 <= one.start < min(one.end, len(text))]
    cuts = sorted(
        {0, len(text), *(q.start for q in inside), *(min(q.end, len(text)) for q in inside)}
    )
    return [
        Segment(text=text[start:end], notes=_notes(inside, start, end))
        for start, end in zip(cuts, cuts[1:], strict=False)
    ]


def _notes(quotes: Sequence[Quote], start: int, end: int) -> list[str]:
    covering = (one.note for one in quotes if one.start <= start and end <= one.end)
    return list(dict.fromkeys(covering))
