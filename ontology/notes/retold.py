"""What a whole note tells in other words than those of a code: an overdose, an act of care.

Such a telling is searched in clinical words, beside the parts of the note, and stands first where
its code is one of those that it may have.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from ..combinations import POISONING
from ..reading.normalise import LONGEST
from ..reading.overdose import told_overdose
from .births import place_told, told_of_birth
from .burns import burn_in
from .contacts import contact_in
from .excluded import excluded_in
from .followed import followed_in
from .histories import history_in
from .infarctions import infarction_in
from .parts import NotePart, Retold
from .reasons import reason_in
from .stage import injury_cared_for
from .stroke import old_stroke_in
from .tellings import told_in
from .together import told_together
from .values import value_in
from .valves import valves_in

_READ = 1024  # notes whose telling is kept: each is asked for twice


@lru_cache(_READ)
def retold(text: str, parts: tuple[NotePart, ...]) -> tuple[Retold, ...]:
    """Return what a text with these parts tells as a whole; an act alone is none.

    Where it tells several things, only what the guidelines put first: what was excluded, an
    overdose, a disease or an injury with what belongs to it, and then the reason of a visit.

    >>> from .parts import read_note
    >>> text = "took 40 tylenol tabs to kill self, NAC"
    >>> retold(text, read_note(text))[0].words
    'intentional overdose of tylenol'
    """
    return next(filter(None, _tellings(text[:LONGEST], parts)), ())


def _tellings(text: str, parts: tuple[NotePart, ...]) -> Iterator[tuple[Retold, ...]]:
    names = tuple(part.text for part in parts)
    if telling := excluded_in(text, names):
        yield (telling,)
    if parts and (words := told_overdose(text)):
        # The drug and why it was taken may stand in two parts.
        yield (Retold(words, _place(parts, told_overdose), POISONING),)
    if birth := told_of_birth(text):
        yield (Retold(birth.words, place_told(text, names), (birth.code,)),)
    if words := infarction_in(text):
        codes = ("I22",) if words.startswith("subsequent") else ("I21.0", "I21.1", "I21.2")
        yield (Retold(words, _place(parts, infarction_in), codes),)
    for reads_parts in (old_stroke_in, valves_in, value_in):
        if one := reads_parts(text, parts):
            yield (one,)
    if burn := burn_in(text):
        yield (Retold(burn.words, 0, burn.codes),)
    if injury := injury_cared_for(text):
        yield (Retold(injury, 0, ("S",)),)
    yield told_together(text, parts)
    yield told_in(text, parts)
    for reads in (followed_in, reason_in, contact_in, history_in):
        if telling := reads(text, names):
            yield (telling,)


def _place(parts: Sequence[NotePart], told: Callable[[str], str]) -> int:
    """Return the place of the first part that tells it by itself, else 0."""
    return next((n for n, part in enumerate(parts) if told(part.text)), 0)
