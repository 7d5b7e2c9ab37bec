"""What a whole note tells in other words than those of a code: an overdose, an act of care.

Such a telling is searched in clinical words, beside the parts of the note, and stands first where
its code is one of those that it may have.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..combinations import POISONING
from ..reading.overdose import told_overdose
from .infarctions import infarction_in
from .parts import NotePart


class Retold(NamedTuple):
    """What a note tells: in clinical words, the place of the part that says it, codes it may have.

    The codes are prefixes.
    """

    words: str
    place: int
    codes: tuple[str, ...]


def retold(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what a note with these parts tells as a whole; a text of one part has none.

    >>> from .parts import read_note
    >>> text = "took 40 tylenol tabs to kill self, NAC"
    >>> retold(text, read_note(text))[0].words
    'intentional overdose of tylenol'
    """
    told = []
    if parts and (words := told_overdose(text)):
        # The drug and why it was taken may stand in two parts.
        told.append(Retold(words, _place(parts, told_overdose), POISONING))
    if words := infarction_in(text):
        codes = ("I22",) if words.startswith("subsequent") else ("I21.0", "I21.1", "I21.2")
        told.append(Retold(words, _place(parts, infarction_in), codes))
    return tuple(told)


def _place(parts: Sequence[NotePart], told: Callable[[str], str]) -> int:
    """Return the place of the first part that tells it by itself, else 0."""
    return next((n for n, part in enumerate(parts) if told(part.text)), 0)
