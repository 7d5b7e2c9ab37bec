"""What a whole note tells in other words than those of a code: an overdose, an act of care.

Such a telling is searched in clinical words, beside the parts of the note, and stands first where
its code is one of those that it may have.
"""

from typing import NamedTuple

from ..combinations import POISONING
from ..reading.normalise import LONGEST
from ..reading.overdose import told_overdose
from .contacts import contact_in
from .excluded import excluded_in
from .followed import followed_in
from .histories import history_in
from .parts import NotePart
from .reasons import reason_in


class Retold(NamedTuple):
    """What a note tells: in clinical words, the place of the part that says it, codes it may have.

    The codes are prefixes.
    """

    words: str
    place: int
    codes: tuple[str, ...]


def retold(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what a note with these parts tells as a whole; an act alone is none.

    >>> from .parts import read_note
    >>> text = "took 40 tylenol tabs to kill self, NAC"
    >>> retold(text, read_note(text))[0].words
    'intentional overdose of tylenol'
    """
    text, names = text[:LONGEST], tuple(part.text for part in parts)
    if telling := excluded_in(text, names):
        return (Retold(*telling),)
    if parts and (words := told_overdose(text)):
        # The drug and why it was taken may stand in two parts.
        place = next((n for n, part in enumerate(parts) if told_overdose(part.text)), 0)
        return (Retold(words, place, POISONING),)
    read = (reads(text, names) for reads in (followed_in, reason_in, contact_in, history_in))
    return tuple(Retold(*telling) for telling in read if telling)[:1]
