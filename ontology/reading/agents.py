"""Names of what causes a condition: organisms and drugs, with the codes that stand beside it."""

from functools import lru_cache

from ..packaged import packaged_rows
from .normalise import normalise_text

_UNTELLING = frozenset("sp spp species the".split())


def organism(text: str) -> str | None:
    """Return the code of an organism's name, in any order of words, else None.

    >>> organism("Staphylococcus aureus, methicillin-resistant")
    'B95.62'
    """
    return _named("organisms.tsv").get(_bag(text))


def agent(text: str) -> str | None:
    """Return the code of the name of an organism or of a drug, else None.

    The code of a drug is that of its adverse effect.

    >>> agent("coumadin"), agent("E. coli"), agent("asthma")
    ('T45.515', 'B96.20', None)
    """
    return organism(text) or _named("drugs.tsv").get(_bag(text))


@lru_cache(maxsize=2)
def _named(file: str) -> dict[frozenset[str], str]:
    return {_bag(name): code for name, code in packaged_rows(file)}


def _bag(name: str) -> frozenset[str]:
    return frozenset(normalise_text(name).split()) - _UNTELLING
