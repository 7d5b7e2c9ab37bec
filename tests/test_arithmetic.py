"""The same numbers on every machine: no vector or score depends on neighbours or the processor."""

import os
import platform
import random
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxjudge import Mapper
from dxjudge.ontology.search.encode import GRID, OnnxEncoder, in_steps, on_grid, packaged_encoder
from dxjudge.ontology.search.highest import highest
from dxjudge.ontology.search.integers import LEVELS, Product
from dxjudge.ontology.search.nearest import TermVectors

TEXTS = [
    "asthma",
    "flu",
    "acute myocardial infarction of the anterior wall",
    "type 2 diabetes mellitus",
    "nstemi",
    "closed fracture of the neck of the left femur",
    "",
]


def test_the_shipped_network_multiplies_no_integers() -> None:
    content = (resources.files("dxjudge.ontology") / "data/encoder/model.onnx").read_bytes()
    assert b"MatMulInteger" not in content and b"DynamicQuantizeLinear" not in content
    assert len(content) < 24e6  # int8 is what is stored


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    encoder = packaged_encoder()
    many = [f"{text} stage {number}" for text in TEXTS for number in range(9)] + TEXTS
    together = encoder.encode(many)
    alone = np.concatenate([encoder.encode([text]) for text in many])
    assert np.array_equal(together, alone)
    order = random.Random(1).sample(range(len(many)), len(many))
    assert np.array_equal(encoder.encode([many[row] for row in order]), together[order])


def test_a_mapping_does_not_depend_on_its_neighbours() -> None:
    texts = [text for text in TEXTS if text]
    mapper = Mapper(added="none")
    assert mapper.map_many(texts) == [mapper.map(text) for text in texts]
    assert Mapper(added="none").map_many(texts[::-1])[::-1] == mapper.map_many(texts)


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([2, 7, 384, 1536]))
def test_products_on_the_grid_are_exact_sums(seed: int, dimension: int) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(2, dimension))
    first, second = on_grid(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    steps = np.round(np.stack([first, second]) * GRID).astype(np.int64)
    exact = int(steps[0] @ steps[1]) / GRID**2
    order = draw.permutation(dimension)
    assert float(first @ second) == float(first[order] @ second[order]) == exact
    terms = TermVectors(in_steps(np.stack([first, second])))
    assert np.array_equal(terms.of(slice(None)), [first, second])


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40), st.integers(1, 45))
def test_the_highest_come_first_and_ties_by_place(numbers: list[int], k: int) -> None:
    # sorted() is stable: equal numbers stay in the order of their places.
    expected = sorted(range(len(numbers)), key=lambda place: -numbers[place])[:k]
    assert highest(np.array(numbers, np.float32), k).tolist() == expected


def test_the_highest_of_a_long_row_are_those_of_a_sort() -> None:
    # 40 blocks and a rest; few different numbers, so that many ties lie across the blocks
    numbers = np.random.default_rng(3).integers(0, 900, 40 * 512 + 7).astype(np.float32)
    ordered = np.argsort(-numbers, kind="stable")
    for k in (1, 15, 40, 41, 64):
        assert highest(numbers, k).tolist() == ordered[:k].tolist()


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(0, 70), st.integers(1, 70), st.sampled_from([8, 384]))
def test_the_nearest_terms_are_those_of_all_cosines(
    seed: int, terms: int, k: int, dimension: int
) -> None:
    draw = np.random.default_rng(seed)
    # Few different rows, of few different numbers: many cosines are equal or nearly so.
    few = draw.integers(-3, 4, (7, dimension)) + draw.normal(0, 0.01, (7, dimension))
    few = np.concatenate([few, np.zeros((1, dimension))])
    rows = on_grid(few / np.maximum(np.linalg.norm(few, axis=1, keepdims=True), 1e-9))
    vectors = rows[draw.integers(0, len(rows), terms)]
    cosines = np.round(rows * GRID).astype(np.int64) @ np.round(vectors * GRID).astype(np.int64).T
    found = TermVectors(in_steps(vectors)).search.nearest(rows, k)
    assert np.array_equal(found, np.argsort(-cosines, axis=1, kind="stable")[:, :k])


def test_products_of_whole_numbers_fit_in_sixteen_bits_and_are_exact() -> None:
    # The highest number that stands for a text's, twice, times a term's: 127 * 127 * 2 = 32,258.
    assert (2 * LEVELS + 1) * 127 * 2 < 2**15
    texts = np.array([[LEVELS] * 384, [-LEVELS] * 384, [LEVELS, -LEVELS] * 192], np.float64)
    terms = np.array([[127] * 384, [-127] * 384, [127, -127] * 192], np.int8)
    exact = texts.astype(np.int64) @ terms.astype(np.int64).T
    assert np.array_equal(Product(np.ascontiguousarray(terms.T)).of(texts), exact)


_ENCODE = """
import sys
import numpy as np
from dxjudge.ontology.search.encode import in_steps, packaged_encoder
from dxjudge.ontology.search.nearest import TermVectors
rows = packaged_encoder().encode(sys.argv[3:])
terms = TermVectors(np.concatenate([in_steps(rows), np.load(sys.argv[2])]))
np.save(sys.argv[1], np.concatenate([rows, terms.search.nearest(rows, 64)], axis=1))
"""


@pytest.mark.skipif(
    not os.environ.get("DXJUDGE_EMULATE")
    or platform.machine() != "x86_64"
    or not shutil.which("qemu-x86_64"),
    reason="takes minutes: `make emulated` runs it, with qemu-user on an x86-64 machine",
)
def test_a_processor_without_avx512_and_vnni_gives_the_same_vectors_and_nearest_terms(
    tmp_path: Path,
) -> None:
    texts = TEXTS[:5]  # an emulated processor takes a second for each
    draw = np.random.default_rng(1).normal(size=(2000, 384))
    others = in_steps(on_grid(draw / np.linalg.norm(draw, axis=1, keepdims=True)))
    np.save(tmp_path / "terms.npy", others)
    emulated = ["qemu-x86_64", "-cpu", "Haswell", sys.executable, "-c", _ENCODE]
    done = subprocess.run(
        [*emulated, str(tmp_path / "rows.npy"), str(tmp_path / "terms.npy"), *texts],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows = packaged_encoder().encode(texts)
    nearest = TermVectors(np.concatenate([in_steps(rows), others])).search.nearest(rows, 64)
    assert np.array_equal(np.load(tmp_path / "rows.npy"), np.concatenate([rows, nearest], axis=1))


def test_the_identity_of_the_encoder_names_its_arithmetic(tmp_path: Path) -> None:
    folder = Path(str(resources.files("dxjudge.ontology"))) / "data" / "encoder"
    identity = OnnxEncoder(folder).identity
    assert identity.startswith("onnx:") and identity.endswith(f":float32:{GRID}")
    shutil.copytree(folder, tmp_path / "encoder")
    words = tmp_path / "encoder" / "tokenizer.json"
    words.write_text(words.read_text("utf-8") + "\n", "utf-8")
    assert OnnxEncoder(tmp_path / "encoder").identity != identity
