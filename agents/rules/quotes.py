"""Find a quote in a text, word for word except for white space and the kind of quote marks."""

import unicodedata
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

_DOUBLE = '"“”„‟«»″「」『』'
_SINGLE = "'‘’‚‛‹›`´′"
_MARKS = dict.fromkeys(map(ord, _DOUBLE + _SINGLE), "'")
_ENDS = " '…"
_FEWEST = 2  # letters or digits; a shorter quote proves nothing


class Span(NamedTuple):
    """Offsets of a passage, in characters of the text; `end` is one past the last."""

    start: int
    end: int


class Quote(BaseModel):
    """A passage of a text with its offsets; `source` names the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    source: str
    start: int
    end: int


def find_quote(quote: str, text: str) -> Span | None:
    """Return the first place of a quote in a text, None if it does not occur.

    Runs of white space count as one space, all kinds of quote marks as the same mark, and
    composed and decomposed letters as the same letter. Quote marks and dots of omission around
    the quote are ignored. Everything else must be equal, including upper and lower case.

    >>> find_quote('“blue  veil”', 'a blue\\nveil is seen')
    Span(start=2, end=11)
    >>> find_quote('red veil', 'a blue veil is seen') is None
    True
    """
    wanted = _fold(quote)[0].strip(_ENDS).removeprefix("...").removesuffix("...").strip(_ENDS)
    if sum(char.isalnum() for char in wanted) < _FEWEST:
        return None
    folded, starts, ends = _fold(text)
    place = folded.find(wanted)
    if place < 0:
        return None
    return Span(starts[place], ends[place + len(wanted) - 1])


def cite(quote: str, source: str, text: str) -> Quote | None:
    """Return the quote in the words of the text, with offsets; None if it does not occur."""
    span = find_quote(quote, text)
    if span is None:
        return None
    return Quote(text=text[span.start : span.end], source=source, start=span.start, end=span.end)


def _fold(text: str) -> tuple[str, list[int], list[int]]:
    """Return the folded text, and the start and end in the text of each folded character."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _letters(text):
        piece = unicodedata.normalize("NFC", text[start:end]).translate(_MARKS)
        if piece.isspace():
            if folded and folded[-1] == " ":
                ends[-1] = end
                continue
            piece = " "
        for char in piece:
            folded.append(char)
            starts.append(start)
            ends.append(end)
    return "".join(folded), starts, ends


def _letters(text: str) -> list[tuple[int, int]]:
    """Return the span of each character, including the combining marks that follow it."""
    spans: list[tuple[int, int]] = []
    for place, char in enumerate(text):
        if spans and unicodedata.combining(char):
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans
