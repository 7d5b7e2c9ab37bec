"""What a whole note tells in other words than those of a code: an overdose, an act of care.

Such a telling is searched in clinical words, beside the parts of the note, and stands first where
its code is one of those that it may have.
"""

from ..combinations import POISONING
from ..reading.overdose import told_overdose
from .parts import NotePart
from .stroke import old_stroke_in
from .tellings import Retold, told_in
from .values import value_in
from .valves import valves_in


def retold(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what a text with these parts tells as a whole; one of a single part has none.

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
    told += filter(None, (read(text, parts) for read in (old_stroke_in, valves_in, value_in)))
    return tuple(told) or told_in(text, parts)
