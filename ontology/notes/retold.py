"""What a whole note tells in other words than those of a code: an overdose, an act of care.

Such a telling is searched in clinical words, beside the parts of the note, and stands first where
its code is one of those that it may have.
"""

from typing import NamedTuple

from ..combinations import POISONING
from ..reading.overdose import told_overdose
from .births import place_told, told_of_birth
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
        place = next((n for n, part in enumerate(parts) if told_overdose(part.text)), 0)
        told.append(Retold(words, place, POISONING))
    elif birth := told_of_birth(text):
        place = place_told(text, tuple(part.text for part in parts))
        told.append(Retold(birth.words, place, (birth.code,)))
    return tuple(told)
