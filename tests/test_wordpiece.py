"""Texts have the tokens that the library `tokenizers` gives them."""

import unicodedata
from typing import Any

import pytest

from dxjudge.ontology.base import default_terms
from dxjudge.ontology.packaged import packaged
from dxjudge.ontology.search.encode import packaged_encoder
from dxjudge.ontology.tree import load_tree

tokenizers = pytest.importorskip("tokenizers")
ODD = (
    "", " ", "Ménière’s  disease", "ΣΊΣΥΦΟΣ", "İstanbul", "ß", "肾结石 stone", "a\tb\nc\x00d\x85e",
    "\u200bzero\u200dwidth", "[CLS] gout [MASK]", "x" * 101, "x" * 100, "1,25-(OH)2", "½ µg", "ﬁ",
    "a\u0301e\u0308", "한국어", "\u2028line", "😀 pain", "word " * 80,
)  # fmt: skip


@pytest.fixture(scope="module")
def library() -> Any:
    tokenizer = tokenizers.Tokenizer.from_str(packaged("encoder/tokenizer.json").read_text("utf-8"))
    tokenizer.enable_truncation(64)
    tokenizer.no_padding()
    return tokenizer


def test_every_term_and_odd_text_has_the_tokens_of_the_library(
    library: Any,
) -> None:
    texts = [*ODD, *(term.text for term in default_terms(load_tree())[::10])]
    ours = packaged_encoder()._tokenizer
    for text, theirs in zip(texts, library.encode_batch(texts), strict=True):
        assert ours.encode(text) == theirs.ids, text


def test_every_character_is_read_as_the_library_reads_it(library: Any) -> None:
    known = [  # since Unicode 3.2, as what they are today: the library's tables are older
        one
        for one in map(chr, range(0x3000))
        if unicodedata.ucd_3_2_0.category(one) == unicodedata.category(one)
    ]
    texts = [f"a{one}b" for one in known]
    assert len(texts) > 8000
    ours = packaged_encoder()._tokenizer
    theirs = (one.ids for one in library.encode_batch(texts))
    others = [text for text, ids in zip(texts, theirs, strict=True) if ours.encode(text) != ids]
    assert others == []
