"""The terms that are nearest in meaning to a text in another language, as further forms of it."""

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as ReadOnly
from types import MappingProxyType
from typing import NamedTuple

from ..reading.query import TRANSLATED, WORD_FOR_WORD, Form, Query
from .encode import Vectors
from .index import Index
from .languages import Meaning, load_languages
from .nearest import Places

# Chosen on names that the network was not trained on (benchmarks/languages.py --part held) and on
# the Spanish development set.
_TERMS = 3
# The least cosine of a term, and that to a text of which the table knows no word: such texts may be
# typing noise.
_FARTHEST, _UNKNOWN_FARTHEST = 0.6, 0.8
_LOOKED_AT = 4 * _TERMS  # several terms may be normalised to one text
_ALL_KNOWN = 0.95  # the weight where the table of words knows every word
_ENGLISH, _GLOSSED_ENGLISH = 0.015, 0.5  # from here a text is English; one that the table reads
_NONE: ReadOnly[str, Meaning] = MappingProxyType({})


class Meant(NamedTuple):
    """The meaning of a text in another language: its vector, and how far a term may be from it.

    `weight` is that of a term with the very vector.
    """

    vector: Vectors
    weight: float
    farthest: float


def read_meanings(queries: Iterable[Query], index: Index) -> dict[str, Meaning]:
    """Return what `meant` needs of many texts, read at once, which takes a third of the time."""
    texts = {text for query in queries if (text := _unknown(query, index)) is not None}
    return load_languages().read_all(sorted(texts)) if texts else {}


def meant(query: Query, index: Index, known: ReadOnly[str, Meaning] = _NONE) -> Meant | None:
    """Return the meaning of a text in another language, None for a text of English words.

    known: what `read_meanings` returned for this query and others.
    """
    whole, glossed, text = _whole(query), _glossed(query), _unknown(query, index)
    if whole is None or text is None:
        return None
    meaning = known.get(text) or load_languages().read(text)
    if meaning.english > (_GLOSSED_ENGLISH if glossed else _ENGLISH):
        return None
    all_known = bool(glossed) and not any(map(index.rows.spelling.has_unknown, glossed))
    weight = whole.weight * (_ALL_KNOWN if all_known else 1.0)
    return Meant(meaning.vector, weight, _FARTHEST if glossed else _UNKNOWN_FARTHEST)


def _unknown(query: Query, index: Index) -> str | None:
    """Return the text whose meaning is read, None for a text of English words.

    None too with an encoder other than that of the package, whose vectors the network gives.
    """
    whole = _whole(query)
    if whole is None or not (_glossed(query) or index.rows.spelling.has_unknown(whole.text)):
        return None
    return whole.text if load_languages().encoder == index.encoder.identity else None


def _whole(query: Query) -> Form | None:
    return next((form for form in query.forms if form.kind in {"whole", "condition"}), None)


def _glossed(query: Query) -> list[str]:
    return [form.text for form in query.forms if form.kind == WORD_FOR_WORD]


def nearest_terms(vectors: Vectors, index: Index) -> Places:
    """Return the rows of the terms nearest to each vector, the nearest first."""
    return index.vectors.search.nearest(vectors, _LOOKED_AT)


def translated(query: Query, meaning: Meant, places: Places, index: Index) -> Iterator[Form]:
    """Yield the terms nearest in meaning to a text in another language, the nearest first.

    The weight of a form is the cosine of the two meanings.
    """
    cosines = index.vectors.cosines(places, meaning.vector)
    near: dict[str, float] = {}
    for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True):
        if cosine >= meaning.farthest:
            near.setdefault(index.folded[place], cosine)
    known = {form.text for form in query.forms}
    new = [(text, cosine) for text, cosine in near.items() if text not in known]
    for text, cosine in new[:_TERMS]:
        yield Form(text, round(meaning.weight * cosine, 4), TRANSLATED)
