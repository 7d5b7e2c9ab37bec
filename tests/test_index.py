"""The search index: built once, checked, rebuilt, safe under two builders."""

import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dxjudge.errors import IndexFault, UsageError
from dxjudge.ontology.base import default_terms, recipe
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.query import read_query
from dxjudge.ontology.search.chroma import EMBEDDED, open_collection
from dxjudge.ontology.search.encode import GRID, OnnxEncoder, Vectors, open_encoder
from dxjudge.ontology.search.index import Index, index_key, open_index
from dxjudge.ontology.search.nearest import TermVectors
from dxjudge.ontology.search.retrieve import make_retriever
from dxjudge.ontology.search.shipped import encode_terms
from dxjudge.ontology.terms import Term
from dxjudge.ontology.tree import load_tree

TERMS = [
    Term("Acute appendicitis", "K35", "official"),
    Term("Pneumonia, unspecified organism", "J18.9", "official"),
    Term("Asthma", "J45", "official"),
    Term("Acute myocardial infarction", "I21", "official"),
    Term("cardiac infarction", "I21", "includes"),
    Term("Multiple sclerosis", "G35", "official"),
    Term("a term that no base holds", "R69", "mine"),  # so it has to be encoded
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    opened = open_encoder()
    assert isinstance(opened, OnnxEncoder)
    return opened


def open_small(folder: Path, encoder: OnnxEncoder, **options: object) -> Index:
    return open_index("test", lambda: TERMS, encoder, folder, **options)  # type: ignore[arg-type]


def test_vectors_are_unit_rows_on_the_grid(encoder: OnnxEncoder) -> None:
    texts = ["asthma", "acute myocardial infarction of the anterior wall", "", "flu"]
    vectors = encoder.encode(texts)
    assert vectors.shape == (4, encoder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert np.array_equal(vectors, vectors.astype(np.float16))
    assert np.array_equal(vectors * GRID, np.round(vectors * GRID))
    assert encoder.encode_queries([]).shape == (0, encoder.dimension)


def test_vectors_of_queries_are_remembered_within_bounds(
    encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dxjudge.ontology.search.encode._KNOWN", 3)
    monkeypatch.setattr(encoder, "_known", {})  # other tests share the encoder
    runs: list[int] = []
    real = encoder._run

    def counted(ids: list[list[int]]) -> Vectors:
        runs.append(len(ids))
        return real(ids)

    monkeypatch.setattr(encoder, "_run", counted)
    texts = ["croup", "mumps"]
    first = encoder.encode_queries([*texts, "croup"])
    assert sum(runs) == 2 and np.array_equal(first[0], first[2])
    assert np.array_equal(encoder.encode_queries(texts), first[:2])
    assert sum(runs) == 2
    encoder.encode_queries(["gout", "scabies", "rabies", "tetanus", "croup"])
    assert len(encoder._known) == 3 and sum(runs) == 6  # croup was known
    assert np.array_equal(encoder.encode_queries(texts), first[:2])
    assert sum(runs) == 7  # croup was asked for last time, so it is still known


def test_a_second_opening_loads_and_does_not_build(tmp_path: Path, encoder: OnnxEncoder) -> None:
    stages: list[str] = []

    def note(stage: str, done: int, total: int) -> None:
        stages.append(stage)

    first = open_small(tmp_path, encoder, progress=note)
    assert set(stages) == {"encoding"}
    stages.clear()
    second = open_small(tmp_path, encoder, progress=note)
    assert not stages
    assert second.terms == first.terms == tuple(TERMS)


def test_the_terms_of_the_package_are_not_encoded_again(encoder: OnnxEncoder) -> None:
    folded = [normalise_text(term.text) for term in TERMS]
    counted: list[tuple[int, int]] = []
    vectors = encode_terms(encoder, folded, lambda done, total: counted.append((done, total)))
    assert counted == [(1, 1)]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=2e-3)
    # int8 keeps the direction: 127 steps on the largest number of 384. Lengths are within 0.002.
    assert (vectors * encoder.encode_queries(folded)).sum(axis=1).min() > 0.998


def test_a_term_has_one_vector_whether_the_package_carries_it_or_not(
    encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded = [normalise_text(term.text) for term in TERMS]
    carried = encode_terms(encoder, folded)
    none = (np.array([0], np.uint64), np.zeros((1, encoder.dimension), np.int8))
    monkeypatch.setattr("dxjudge.ontology.search.shipped._shipped", lambda encoder: none)
    assert np.array_equal(encode_terms(encoder, folded), carried)


def test_vectors_of_another_encoder_are_not_taken(encoder: OnnxEncoder) -> None:
    class Other:
        identity, dimension = "other", 2

        def encode(self, texts: Sequence[str], progress: object = None) -> Vectors:
            return np.ones((len(texts), 2), np.float32)

        def encode_queries(self, texts: Sequence[str]) -> Vectors:
            return self.encode(texts)

    assert encode_terms(Other(), ["asthma", "multiple sclerosis"]).tolist() == [[1, 1], [1, 1]]


def test_the_package_carries_the_vectors_of_its_default_base(encoder: OnnxEncoder) -> None:
    texts = [normalise_text(term.text) for term in default_terms(load_tree())]
    counted: list[int] = []
    encode_terms(encoder, texts, lambda done, total: counted.append(total))
    # training/vectors.py writes them; a first run should not have to encode many.
    assert not counted or counted[0] <= 500


def test_the_key_changes_with_release_scope_and_sources(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    tree = load_tree()
    mine = tmp_path / "mine.tsv"
    mine.write_text("term\tcode\nwonky ticker\tI51.9\n")
    keys = {
        index_key(recipe(tree), encoder),
        index_key(recipe(load_tree("icd10")), encoder),
        index_key(recipe(tree, scope="everything"), encoder),
        index_key(recipe(tree, sources=[mine]), encoder),
    }
    mine.write_text("term\tcode\nwonky ticker\tI50.9\n")
    keys.add(index_key(recipe(tree, sources=[mine]), encoder))
    assert len(keys) == 5
    assert index_key(recipe(tree), encoder) in keys


@pytest.mark.parametrize("name", ["vectors.npy", "terms.json", "lexical.npz", "manifest.json"])
def test_a_damaged_index_is_rebuilt_with_a_warning(
    tmp_path: Path, encoder: OnnxEncoder, name: str
) -> None:
    key = open_small(tmp_path, encoder).key
    (tmp_path / "index" / key / name).write_bytes(b"\x00damaged")
    with pytest.warns(UserWarning, match="damaged"):
        index = open_small(tmp_path, encoder)
    assert index.terms == tuple(TERMS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_small(tmp_path, encoder)


def test_indexes_of_one_folder_share_their_terms_until_the_files_change(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    first = open_small(tmp_path, encoder)
    assert open_small(tmp_path, encoder).rows is first.rows
    assert open_small(tmp_path / "other", encoder).rows is not first.rows
    terms = tmp_path / "index" / first.key / "terms.json"
    terms.write_text(terms.read_text().replace("Asthma", "Gout"))
    with pytest.warns(UserWarning, match="terms.json has changed"):
        assert open_small(tmp_path, encoder).terms == first.terms


def test_what_a_killed_build_left_is_removed(tmp_path: Path, encoder: OnnxEncoder) -> None:
    key = index_key("test", encoder)
    left = tmp_path / "index" / f"{key}.part-99999999"
    left.mkdir(parents=True)
    (left / "vectors.npy").write_bytes(b"half")
    open_small(tmp_path, encoder)
    assert not left.exists()


_OPEN = """
import sys
from pathlib import Path
from dxjudge.ontology.search.encode import open_encoder
from dxjudge.ontology.search.index import open_index
from dxjudge.ontology.terms import Term
terms = [Term(f"condition number {i}", "J45", "official") for i in range(400)]
print(len(open_index("test", lambda: terms, open_encoder(), Path(sys.argv[1])).terms))
"""


def test_two_processes_may_open_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _OPEN, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == ["400", "400"]
    assert len([path for path in (tmp_path / "index").iterdir() if path.is_dir()]) == 1


_BUILD = (
    _OPEN.rsplit("\n", 2)[0]
    + """
index = open_index("test", lambda: terms, open_encoder(), Path(sys.argv[1]), chroma="embedded")
print(index.collection.count())
"""
)


def test_two_processes_may_build_the_collection_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _BUILD, str(tmp_path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=120)[0].strip() for process in both] == ["400", "400"]
    assert len(list(tmp_path.glob("index/*/chroma-*"))) == 1
    assert not list(tmp_path.glob("index/*/part-*"))


def test_a_folder_that_cannot_be_written_says_what_to_set(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(IndexFault, match="DXJUDGE_CACHE_DIR"):
        open_small(blocked, encoder)


def test_an_index_on_a_disk_that_takes_no_lock_is_used(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    # Before, a complete index on a read-only disk was refused.
    open_small(tmp_path, encoder)
    for lock in tmp_path.glob("index/*.lock"):
        lock.unlink()
    (home,) = (path for path in tmp_path.glob("index/*") if path.is_dir())
    Path(f"{home}.lock").mkdir()  # nobody can open it, not even root
    assert len(open_small(tmp_path, encoder).terms) > 0


def test_no_terms_and_no_server_are_clear_errors(tmp_path: Path, encoder: OnnxEncoder) -> None:
    with pytest.raises(IndexFault, match="hold no term to search"):
        open_index("test", list, encoder, tmp_path)
    with pytest.raises(UsageError, match="http://host:port"):
        open_small(tmp_path, encoder, chroma="localhost")
    with pytest.raises(IndexFault, match="no Chroma server answers"):
        open_small(tmp_path, encoder, chroma="http://127.0.0.1:9")
    open_small(tmp_path, encoder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an index that is whole is not called damaged
        with pytest.raises(IndexFault, match="no Chroma server answers"):
            open_small(tmp_path, encoder, chroma="http://127.0.0.1:9")


def test_search_finds_by_meaning_and_by_spelling(tmp_path: Path, encoder: OnnxEncoder) -> None:
    retriever = make_retriever(open_small(tmp_path, encoder), load_tree())
    heart, typo = retriever.search([read_query("heart attack"), read_query("apendicitis")])
    assert heart[0].code == "I21"
    assert typo[0].code == "K35"
    assert len({hit.code for hit in heart}) == len(heart)


def test_a_text_that_a_term_equals_is_not_encoded(
    tmp_path: Path, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[str] = []
    encode = encoder.encode_queries

    def noted(texts: Sequence[str]) -> Vectors:
        encoded.extend(texts)
        return encode(texts)

    monkeypatch.setattr(encoder, "encode_queries", noted)
    retriever = make_retriever(open_small(tmp_path, encoder), load_tree())
    equal, unlike = map(read_query, ("Acute appendicitis", "croup"))
    assert retriever.look_up(equal) and not retriever.look_up(unlike)
    (first, *_), _ = retriever.search([equal, unlike])
    assert first.dense == pytest.approx(1, abs=2e-3)
    assert encoded == ["croup"]
    # Training seeks a term as if no term equalled it.
    replace(retriever, leave_one_out=True).search([equal])
    assert encoded == ["croup", "acute appendicitis"]


def test_look_up_folds_and_reads_abbreviations(tmp_path: Path, encoder: OnnxEncoder) -> None:
    retriever = make_retriever(open_small(tmp_path, encoder), load_tree())
    assert retriever.look_up(read_query("ACUTE  appendicitis.")) == (0,)
    assert retriever.look_up(read_query("AMI")) == (3,)
    assert retriever.look_up(read_query("something else")) == ()


@pytest.fixture
def chroma_server(tmp_path: Path) -> Iterator[str]:
    """A real Chroma server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--path", str(tmp_path / "c")]
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_a_chroma_server_holds_the_vectors(
    tmp_path: Path, encoder: OnnxEncoder, chroma_server: str
) -> None:
    index = open_small(tmp_path, encoder, chroma=chroma_server)
    assert not list((tmp_path / "index" / index.key).glob("chroma*"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert open_small(tmp_path, encoder).collection.count() == len(TERMS)
    query = encoder.encode_queries(["heart attack"])
    assert index.terms[int(index.collection.nearest(query, 3)[0][0])].code == "I21"
    again = open_small(tmp_path, encoder, chroma=chroma_server)
    assert again.collection.count() == len(TERMS)
    held = again.collection._collection.id
    anew = open_small(tmp_path, encoder, chroma=chroma_server, rebuild=True)
    assert anew.collection.count() == len(TERMS) and anew.collection._collection.id != held


def test_an_index_built_embedded_moves_to_a_server(
    tmp_path: Path, encoder: OnnxEncoder, chroma_server: str
) -> None:
    assert open_small(tmp_path, encoder, chroma=EMBEDDED).collection.count() == len(TERMS)
    assert open_small(tmp_path, encoder, chroma=chroma_server).collection.count() == len(TERMS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert open_small(tmp_path, encoder).collection.count() == len(TERMS)


def test_chroma_is_asked_only_where_a_user_asks_for_it(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    stages: list[tuple[str, int, int]] = []
    index = open_small(tmp_path, encoder)
    home = tmp_path / "index" / index.key
    (home / "part-chroma-left").mkdir()  # of a build that was killed
    vectors = encoder.encode_queries(["heart attack", "appendicitis", "asthma"] * 40_000)
    compared = index.collection.nearest(vectors, len(TERMS))
    assert not list(home.glob("chroma-*"))
    asked = open_small(
        tmp_path, encoder, chroma=EMBEDDED, progress=lambda *stage: stages.append(stage)
    )
    from_chroma = asked.collection.nearest(vectors[:3], len(TERMS))
    assert compared[:3].tolist() == from_chroma.tolist()
    assert stages[-1] == ("indexing", len(TERMS), len(TERMS))
    assert [path.name[:7] for path in home.glob("*chroma-*")] == ["chroma-"]


def test_what_is_near_a_text_does_not_depend_on_the_others(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    collection = open_small(tmp_path, encoder).collection
    vectors = encoder.encode_queries(["heart attack", "appendicitis", "asthma", "flu"] * 400)
    together = collection.nearest(vectors, 3)
    for place in (0, 1, 2, 3, 1599):
        assert collection.nearest(vectors[place : place + 1], 3)[0].tolist() == (
            together[place].tolist()
        )


def test_a_collection_that_lacks_rows_is_built_anew(tmp_path: Path, encoder: OnnxEncoder) -> None:
    index = open_small(tmp_path, encoder)
    home = tmp_path / "index" / index.key
    less = open_collection(home, index.key, TermVectors(index.vectors.steps[:4]), embedded=True)
    assert less.count() == 4
    assert open_small(tmp_path, encoder, chroma=EMBEDDED).collection.count() == len(TERMS)
    assert len(list(home.glob("chroma-*"))) == 1


def test_a_run_does_without_a_damaged_collection_and_says_so(
    tmp_path: Path, encoder: OnnxEncoder
) -> None:
    index = open_small(tmp_path, encoder, chroma=EMBEDDED)
    assert index.collection.count() == len(TERMS)
    (held,) = (tmp_path / "index" / index.key).glob("chroma-*")
    (held / "chroma.sqlite3").write_bytes(b"\x00damaged")
    collection = open_small(tmp_path, encoder, chroma=EMBEDDED).collection
    vectors = encoder.encode_queries(["heart attack"])
    with pytest.warns(UserWarning, match="damaged.*--rebuild"):
        near = collection.nearest(vectors, 3)
    assert index.terms[int(near[0][0])].code == "I21"
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert collection.nearest(vectors, 3).tolist() == near.tolist()
