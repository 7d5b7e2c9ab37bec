from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.agents.rules.quotes import cite, find_quote


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("blue veil", "a blue veil is seen", "blue veil"),
        ("blue  \n veil", "a blue veil", "blue veil"),
        ("blue veil", "a blue\n\t veil", "blue\n\t veil"),
        ('"halo" sign', "the “halo” sign", "halo” sign"),  # outer marks are not part of it
        ("the 'halo' sign", "the «halo» sign", "the «halo» sign"),
        ("...blue veil…", "a blue veil", "blue veil"),
        ("“blue veil”", "a blue veil", "blue veil"),
        ("Sézary", "Se\u0301zary syndrome", "Se\u0301zary"),
        ("重症肌无力", "诊断：重症肌无力。", "重症肌无力"),
        ("CRP 142 mg/L", "CRP 142\u00a0mg/L was high", "CRP 142\u00a0mg/L"),
    ],
)
def test_verbatim_but_for_space_marks_and_composition(quote: Any, text: Any, found: Any) -> None:
    span = find_quote(quote, text)
    assert span is not None and text[span.start : span.end] == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("Blue veil", "a blue veil"),  # another case is another text
        ("blue veils", "a blue veil"),
        ("blue ... seen", "blue veil seen"),
        ("a", "a blue veil"),  # too short to prove anything
        ("", "a blue veil"),
        ("  ''", "it's a blue veil"),
        ("blue veil", ""),
        ("12.5", "12 5"),
    ],
)
def test_anything_else_is_no_quote(quote: Any, text: Any) -> None:
    assert find_quote(quote, text) is None


def test_a_citation_keeps_the_words_of_the_text() -> None:
    found = cite("the “halo”", "response", 'See the  "halo" here')
    assert found is not None
    assert (found.text, found.source, found.start, found.end) == ('the  "halo', "response", 4, 14)


TEXTS = st.text("ab \n\"'“é\u0301重", max_size=40)


@given(TEXTS, st.data())
def test_every_passage_of_a_text_is_found_in_it(text: Any, data: Any) -> None:
    start = data.draw(st.integers(0, len(text)))
    passage = text[start : data.draw(st.integers(start, len(text)))]
    if passage[:1] == "\u0301" or text[start + len(passage) :][:1] == "\u0301":
        return  # a letter cut in two is no passage
    span = find_quote(passage, text)
    if sum(char.isalnum() for char in passage) >= 2:
        assert span is not None
        assert 0 <= span.start < span.end <= len(text)


@given(TEXTS, TEXTS)
def test_what_is_found_is_found_again_as_it_stands(quote: Any, text: Any) -> None:
    span = find_quote(quote, text)
    if span is not None:
        again = find_quote(text[span.start : span.end], text)
        assert again == span
