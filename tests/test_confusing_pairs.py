"""The exact search for confusing pairs, the vectors it reads, and how a set is split."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge.curation.mediconfusion.confusing import (
    ConfusingPair,
    find_confusing_pairs,
    spread_pairs,
)
from dxjudge.curation.mediconfusion.images import read_images
from dxjudge.curation.mediconfusion.pair_settings import PairSettings
from dxjudge.curation.mediconfusion.vectors import vectors_of
from dxjudge.curation.paths import seen_from
from dxjudge.curation.split import Cluster, joined, split_clusters
from dxjudge.errors import DxjudgeError, UsageError


def test_a_pair_is_alike_to_one_encoder_and_unlike_to_the_other_bounds_included() -> None:
    # Medical: rows 0 and 1 have the cosine 0.9 exactly, (1, 0) . (0.9, sqrt(0.19)); 0 and 2 have 0.
    medical = np.array([[2.0, 0.0], [0.9, 0.19**0.5], [0.0, 1.0]])
    # General: 0 and 1 have 0.75 exactly.
    general = np.array([[1.0, 0.0], [0.75, 0.4375**0.5], [1.0, 0.0]])
    found = find_confusing_pairs(medical, general)
    assert found.pairs == (ConfusingPair(0, 1, 0.9, 0.75),) and found.count == 1
    assert not find_confusing_pairs(medical, general, least_medical=0.9001).pairs
    assert not find_confusing_pairs(medical, general, most_general=0.7499).pairs


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), images=st.integers(2, 60))
def test_all_pairs_are_those_of_a_plain_count(seed: int, images: int) -> None:
    drawn = np.random.default_rng(seed)
    medical, general = drawn.normal(size=(images, 3)), drawn.normal(size=(images, 3))
    found = find_confusing_pairs(medical, general, least_medical=0.5, most_general=0.2)
    plain = {
        (i, j)
        for i in range(images)
        for j in range(i + 1, images)
        if _cosine(medical[i], medical[j]) >= 0.5 and _cosine(general[i], general[j]) <= 0.2
    }
    assert {pair[:2] for pair in found.pairs} == plain and found.count == len(plain)
    gaps = [pair.gap for pair in found.pairs]
    assert gaps == sorted(gaps, reverse=True)
    few = find_confusing_pairs(medical, general, least_medical=0.5, most_general=0.2, most=3)
    assert few.pairs == found.pairs[:3] and few.count == found.count


def _cosine(one: Any, two: Any) -> float:
    return float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))


def test_images_of_different_blocks_are_compared() -> None:
    # 5,000 images are three blocks; only images 10 and 4,990 are alike, and only 3,000 and 3,001.
    drawn = np.random.default_rng(0)
    medical = drawn.normal(size=(5000, 64))
    medical[4990], medical[3001] = medical[10], medical[3000] * 7
    found = find_confusing_pairs(medical, drawn.normal(size=(5000, 32)), least_medical=0.95)
    assert sorted(pair[:2] for pair in found.pairs) == [(10, 4990), (3000, 3001)]
    assert {pair.medical for pair in found.pairs} == {1.0}


def test_an_image_stands_in_so_many_pairs() -> None:
    pairs = tuple(ConfusingPair(*ends, 1.0, 0.0) for ends in ((0, 1), (0, 2), (2, 3), (0, 3)))
    assert [pair[:2] for pair in spread_pairs(pairs, 1)] == [(0, 1), (2, 3)]
    assert [pair[:2] for pair in spread_pairs(pairs, 2)] == [(0, 1), (0, 2), (2, 3)]


@pytest.mark.parametrize(
    ("medical", "words"),
    [
        ([[1.0, 0.0], [0.0, 0.0]], "medical vector 2 is zero or not finite"),
        ([[1.0, 0.0], [float("nan"), 0.0]], "medical vector 2 is zero or not finite"),
        ([[1.0, 0.0]], "1 medical but 2 general vectors"),
        ([1.0, 2.0], "the medical vectors have 1 axes"),
    ],
)
def test_vectors_without_a_direction_are_refused(medical: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_confusing_pairs(np.array(medical), np.eye(2))


IDS = ["a", "b"]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)


def test_vectors_come_from_a_file_of_each_form_in_the_order_of_the_images(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", ROWS)
    np.savez(tmp_path / "v.npz", vectors=ROWS[::-1], ids=np.array(["b", "a"]))
    pq.write_table(
        pa.table({"id": ["x", "b", "a"], "vector": [[9.0, 9.0], [3.0, 4.0], [1.0, 2.0]]}),
        tmp_path / "v.parquet",
    )
    (tmp_path / "own.py").write_text(
        "def encode(paths):\n    return [[float(len(path)), 1.0] for path in paths]\n", "utf-8"
    )
    for name in ("v.npy", "v.npz", "v.parquet"):
        assert (vectors_of(str(tmp_path / name), IDS, ["1", "2"]) == ROWS).all(), name
    own = vectors_of(f"{tmp_path / 'own.py'}:encode", IDS, ["1.png", "22.png"])
    assert own.tolist() == [[5, 1], [6, 1]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("few.npy", "has 1 vectors for 2 images"),
        ("other.npz", "has no array 'vectors'; it has x"),
        ("twice.npz", "the id 'a' occurs twice"),
        ("lacks.npz", "has no vector of 'b' [(]1 are missing"),
        ("torn.npy", "cannot be read as an array"),
        ("v.csv", "vectors are in a file .npy, .npz"),
        ("own.py:encode", "has 1 vectors for 2 images"),
        ("own.py:nothing", "has no function 'nothing'"),
        ("texts.parquet", "the vectors are not lists of one length"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(tmp_path: Path, name: str, words: str) -> None:
    np.save(tmp_path / "few.npy", ROWS[:1])
    np.savez(tmp_path / "other.npz", x=ROWS)
    np.savez(tmp_path / "twice.npz", vectors=ROWS, ids=np.array(["a", "a"]))
    np.savez(tmp_path / "lacks.npz", vectors=ROWS, ids=np.array(["a", "c"]))
    (tmp_path / "torn.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "own.py").write_text("def encode(paths):\n    return [[1.0]]\n", "utf-8")
    table = pa.table({"id": ["a", "b"], "vector": [[1.0], [2.0, 3.0]]})
    pq.write_table(table, tmp_path / "texts.parquet")
    with pytest.raises(DxjudgeError, match=words):
        vectors_of(str(tmp_path / name), IDS, ["1", "2"])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("id,image,caption\na,1.png,x\na,2.png,y\n", "row 2 .*: the id 'a' occurs twice"),
        ("id,image,caption\na+b,1.png,x\n", "the id is 'a[+]b', with [+]"),
        ("id,image,caption\n,1.png,x\n", "the id is missing"),
        ("id,picture,caption\na,1.png,x\n", "one column of image, images, image_path must name"),
        ("id,image,caption\na,1.png,x\n", "has 1 images; a pair needs two"),
    ],
)
def test_a_table_of_images_with_a_fault_is_refused_by_row(
    tmp_path: Path, rows: str, words: str
) -> None:
    (tmp_path / "i.csv").write_text(rows, "utf-8")
    with pytest.raises(DxjudgeError, match=words):
        read_images(str(tmp_path / "i.csv"))


def test_a_path_leads_to_the_same_image_from_another_folder() -> None:
    assert seen_from("in/images/a.png", Path("out/deep")) == "../../in/images/a.png"
    assert seen_from("https://host/a.png", Path("out")) == "https://host/a.png"


@pytest.mark.parametrize(
    "fault", [{"least_medical": 1.1}, {"tries": 0}, {"pairs": 0}, {"validation": 2.0}]
)
def test_settings_outside_their_bounds_are_refused(fault: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(fault))):
        PairSettings(**fault)


@given(
    sizes=st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 4)), min_size=1, max_size=40),
    share=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_a_split_keeps_clusters_whole_and_has_its_share(
    sizes: list[tuple[str, int]], share: float, seed: int
) -> None:
    clusters = [
        Cluster(stratum, tuple(f"{place}/{item}" for item in range(size)))
        for place, (stratum, size) in enumerate(sizes)
    ]
    splits = split_clusters(clusters, share, seed)
    for cluster in clusters:
        assert len({splits[item] for item in cluster.items}) == 1
    validating = sum(split == "validation" for split in splits.values())
    # Rounded to whole clusters of at most four items, the first of which may be half too many.
    assert abs(validating - share * len(splits)) <= 4
    assert splits == split_clusters(clusters[::-1], share, seed)


def test_pairs_that_share_an_image_also_through_others_are_one_group() -> None:
    pairs = {"p": ["a", "b"], "q": ["c", "d"], "r": ["e", "b"], "s": ["e", "f"]}
    assert joined(pairs) == [("p", "r", "s"), ("q",)]
