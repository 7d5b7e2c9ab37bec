"""The lexical index."""

from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.ontology.search.encode import GRID
from dxjudge.ontology.search.lexical import build_lexical

TERMS = ["acute appendicitis", "asthma", "a b c", "multiple sclerosis", "acute acute asthma"]
INDEX = build_lexical(TERMS)


@cache
def library() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    options = {"analyzer": "char_wb", "sublinear_tf": True, "lowercase": False}
    return TfidfVectorizer(ngram_range=(3, 3), **options).fit(TERMS)


@settings(deadline=None)
@given(st.text(alphabet="acutesmhpndi bl", max_size=40))
def test_a_query_is_weighed_as_the_library_weighs_it(text: str) -> None:
    ours = INDEX.weigh([text]).toarray()
    theirs = library().transform([text]).toarray()
    assert np.allclose(ours, theirs, atol=0.5 / GRID + 1e-9)


def test_an_equal_term_scores_one_and_an_unlike_one_nothing() -> None:
    scores = INDEX.scores(["asthma", "zzz"])
    assert scores.shape == (2, len(TERMS))
    assert np.isclose(scores[0, 1], 1.0, atol=1e-3)
    assert scores[0].argmax() == 1
    assert not scores[1].any()


@settings(deadline=None)
@given(st.lists(st.text(alphabet="acutesmhpndi bl", max_size=40), max_size=3))
def test_scores_are_the_products_of_the_weights_of_texts_and_terms(texts: list[str]) -> None:
    products = (INDEX.weigh(texts) @ INDEX.by_feature).toarray()
    assert np.array_equal(INDEX.scores(texts), products)
