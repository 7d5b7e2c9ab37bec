"""The lexical index."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from dxjudge.ontology.search.encode import GRID
from dxjudge.ontology.search.lexical import build_lexical

TERMS = ["acute appendicitis", "asthma", "a b c", "multiple sclerosis", "acute acute asthma"]
INDEX = build_lexical(TERMS)
LIBRARY = TfidfVectorizer(
    analyzer="char_wb", ngram_range=(3, 3), sublinear_tf=True, lowercase=False
).fit(TERMS)


@settings(deadline=None)
@given(st.text(alphabet="acutesmhpndi bl", max_size=40))
def test_a_query_is_weighed_as_the_library_weighs_it(text: str) -> None:
    ours = INDEX.weigh([text]).toarray()
    theirs = LIBRARY.transform([text]).toarray()
    assert np.allclose(ours, theirs, atol=0.5 / GRID + 1e-9)


def test_an_equal_term_scores_one_and_an_unlike_one_nothing() -> None:
    scores = INDEX.scores(["asthma", "zzz"])
    assert scores.shape == (2, len(TERMS))
    assert np.isclose(scores[0, 1], 1.0, atol=1e-3)
    assert scores[0].argmax() == 1
    assert not scores[1].any()
