"""The terms that are nearest in meaning to a text in another language, as further forms of it."""

from collections.abc import Iterator
from typing import NamedTuple

from ..reading.query import TRANSLATED, WORD_FOR_WORD, Form, Query
from .encode import Vectors
from .index import Index
from .languages import load_languages
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


class Meant(NamedTuple):
    """The meaning of a text in another language: its vector, and how far a term may be from it.

    `weight` is that of a term with the very vector.
    """

    vector: Vectors
    weight: float
    farthest: float


def meant(query: Query, index: Index) -> Meant | None:
    """Return the meaning of a text in another language, None for a text of English words.

    None too with an encoder other than that of the package, whose vectors the network gives.
    """
    whole = next((form for form in query.forms if form.kind in {"whole", "condition"}), None)
    glossed = [form.text for form in query.forms if form.kind == WORD_FOR_WORD]
    spelling = index.rows.spelling
    if whole is None or not (glossed or spelling.has_unknown(whole.text)):
        return None
    languages = load_languages()
    if languages.encoder != index.encoder.identity:
        return None
    meaning = languages.read(whole.text)
    if meaning.english > (_GLOSSED_ENGLISH if glossed else _ENGLISH):
        return None
    all_known = bool(glossed) and not any(map(spelling.has_unknown, glossed))
    weight = whole.weight * (_ALL_KNOWN if all_known else 1.0)
    return Meant(meaning.vector, weight, _FARTHEST if glossed else _UNKNOWN_FARTHEST)


def nearest_terms(vectors: Vectors, index: Index) -> Places:
    """Return the rows of the terms nearest to each vector, the nearest first."""
    return index.vectors.search.nearest(vectors, _LOOKED_AT)


def translated(query: Query, meaning: Meant, places: Places, index: Index) -> Iterator[Form]:
    """Yield the terms nearest in meaning to a text in another language, the nearest first.

    The weight of a form is the cosine of the two meanings.
    """
    cosines = index.vectors.of(places) @ meaning.vector
    near: dict[str, float] = {}
    for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True):
        if cosine >= meaning.farthest:
            near.setdefault(index.folded[place], cosine)
    known = {form.text for form in query.forms}
    new = [(text, cosine) for text, cosine in near.items() if text not in known]
    for text, cosine in new[:_TERMS]:
        yield Form(text, round(meaning.weight * cosine, 4), TRANSLATED)
