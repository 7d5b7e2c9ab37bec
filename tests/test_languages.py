"""Texts in seven languages are read by their meaning, also those that no table of words knows."""

import importlib
import random
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxjudge import Mapper
from dxjudge.ontology.reading.glossary import gloss
from dxjudge.ontology.reading.normalise import normalise_text
from dxjudge.ontology.reading.query import TRANSLATED
from dxjudge.ontology.search.encode import GRID, packaged_encoder
from dxjudge.ontology.search.languages import LANGUAGES, Languages, bins_of, load_languages
from dxjudge.ontology.search.translated import meant

TRAINING = Path(__file__).parents[1] / "training"

NAMES = [
    ("Lungenembolie beidseits", "pulmonary embolism"),
    ("fièvre typhoïde", "typhoid fever"),
    ("insuficiencia renal aguda", "acute renal failure"),
    ("frattura del femore", "fracture of femur"),
    ("pneumonia bacteriana", "bacterial pneumonia"),
    ("nierstenen", "kidney stones"),
    ("急性阑尾炎", "acute appendicitis"),
]


@pytest.fixture(scope="module")
def mapper() -> Mapper:
    return Mapper(added="none")


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TRAINING))
    yield importlib.import_module("languages")
    for name in ("languages", "translations", "variants"):
        sys.modules.pop(name, None)


def test_a_name_is_nearer_to_its_own_english_than_to_the_others() -> None:
    languages = load_languages()
    theirs = np.stack([languages.read(normalise_text(name)).vector for name, _ in NAMES])
    english = packaged_encoder().encode([english for _, english in NAMES])
    assert (theirs @ english.T).argmax(axis=1).tolist() == list(range(len(NAMES)))


def test_vectors_are_unit_rows_on_the_grid_of_the_packaged_encoder() -> None:
    languages = load_languages()
    assert languages.encoder == packaged_encoder().identity
    vector = languages.read("nierstenen").vector
    assert vector.dtype == np.float32 and vector.shape == (packaged_encoder().dimension,)
    assert abs(float(np.linalg.norm(vector)) - 1) < 0.02
    assert np.array_equal(vector * GRID, np.round(vector * GRID))


def test_english_is_told_from_the_other_languages() -> None:
    languages = load_languages()
    told = [languages.read(normalise_text(name)).english for name, _ in NAMES]
    assert max(told) < 0.1
    for text in ("acute appendicitis", "fracture of femur", "left kidney stone", "chest pain"):
        assert languages.read(text).english > 0.5, text


def test_texts_without_words_or_with_many_are_read() -> None:
    languages = load_languages()
    for text in ("", "x", "12", "niere " * 100):
        assert np.isfinite(languages.read(normalise_text(text)).vector).all()


def test_bins_depend_on_the_letters_only() -> None:
    # The word, then its runs of three letters; longer runs are the word itself.
    runs = ("<ab>", "<ab", "ab>")
    assert bins_of("ab", 1000) == tuple(zlib.crc32(run.encode()) % 1000 for run in runs)
    assert all(0 <= bin_ < 64 for bin_ in bins_of("niere", 64))
    assert len(bins_of("肾结石", 1 << 16)) == len({"<肾结石>", *"肾结石", "肾结", "结石", "肾结石"})


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("tromboflebite superficiale della gamba", "I80"),
        ("Kreuzbandruptur", "S83"),
        ("dermatografismo", "L50"),
    ],
)
def test_what_the_table_of_words_does_not_know_is_read(
    mapper: Mapper, text: str, category: str
) -> None:
    mapping = mapper.map(text)
    categories = [candidate.code[:3] for candidate in mapping.candidates]
    assert category in categories[:5]
    query = mapper.parts.retriever.read(text)
    forms = [form for form in query.forms if form.kind == TRANSLATED]
    assert 1 <= len(forms) <= 3
    assert all(0 < form.weight <= 1 and form.text in query_terms(mapper) for form in forms)
    assert [form.weight for form in forms] == sorted((form.weight for form in forms), reverse=True)


def query_terms(mapper: Mapper) -> Any:
    return mapper.parts.retriever.index.rows.exact


def test_english_texts_are_read_as_before(mapper: Mapper) -> None:
    texts = ("acute appendcitis", "pnuemonia", "Disp fx of R tibia", "HTN, CKD 3", "xyzzy", "")
    for text in texts:
        kinds = [form.kind for form in mapper.parts.retriever.read(text).forms]
        assert TRANSLATED not in kinds, text


def test_another_encoder_gets_no_vectors_of_the_packaged_one(
    mapper: Mapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = packaged_encoder()
    query = mapper.parts.retriever.read("tromboflebite superficiale della caviglia")
    index = mapper.parts.retriever.index
    assert any(form.kind == TRANSLATED for form in query.forms) and meant(query, index)
    monkeypatch.setattr(encoder, "identity", "another")
    assert meant(query, index) is None


def test_a_text_is_read_alike_alone_and_beside_others() -> None:
    texts = [name for name, _ in NAMES] + ["Kreuzbandruptur", "dermatografismo", "fever", ""]
    # A part of this text is a term that the Italian name is near to.
    texts += ["femoral fracture with swelling nearby"]
    mapper = Mapper(added="none")
    together = mapper.map_many(texts)
    assert together == [Mapper(added="none").map(text) for text in texts]
    assert mapper.map_many(texts[::-1])[::-1] == together


def test_the_reason_of_a_candidate_says_how_the_text_was_read(mapper: Mapper) -> None:
    mapping = mapper.map("dermatografismo")
    assert gloss(mapping.text) is None
    assert any("(translated: " in candidate.why for candidate in mapping.candidates)


def test_one_word_that_the_table_knows_is_no_coined_word(mapper: Mapper) -> None:
    for text, code in (("Gicht", "M10"), ("肾结石", "N20.0"), ("gota", "M10")):
        mapping = mapper.map(text)
        assert mapping.code == code and mapping.category_score > 0.9, text
    assert mapper.map("aneuria").category_score <= 0.45  # an English word that no term has


def test_a_test_in_another_language_is_refused(mapper: Mapper) -> None:
    for text in ("radiografía de tórax", "Blutdruckmessung", "electrocardiogramme"):
        mapping = mapper.map(text)
        assert mapping.code is None or mapping.score < 0.5, text


def test_the_signature_names_the_network(mapper: Mapper) -> None:
    assert len(str(mapper.signature["languages"])) >= 12


def test_the_file_that_training_writes_reads_like_its_network(
    training: Any, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    network = training.Network()
    with torch.no_grad():  # as after training: no number is that of its beginning
        for weights in network.parameters():
            weights += 0.02 * torch.randn_like(weights)
    network.eval()
    training.write(network, tmp_path / "languages.npz")
    with np.load(tmp_path / "languages.npz") as content:
        weights = {
            name: content[name].astype(np.float64)
            for name in content.files
            if name not in {"encoder", "rows", "steps"}
        }
        read = Languages(str(content["encoder"]), content["rows"], content["steps"], weights)
    texts = [normalise_text(name) for name, _ in NAMES]
    with torch.no_grad():
        vectors, odds = network(texts, None)
    shares = torch.softmax(odds, 1)[:, 0].tolist()
    for text, vector, english in zip(texts, vectors.numpy(), shares, strict=True):
        meaning = read.read(text)
        # Rounding to int8, float16 and the grid loses a thousandth at most.
        assert float(meaning.vector @ vector) > 0.999
        assert abs(meaning.english - english) < 0.02


def test_names_are_written_for_every_language_and_some_are_held(training: Any) -> None:
    for language in LANGUAGES[1:]:
        train = [n for n in training.written_names("train") if n.language == language]
        held = [n for n in training.written_names("held") if n.language == language]
        assert len(train) > 4000 and len(held) > 500
        assert all(name.text and name.english for name in train + held)
        assert {n.english for n in train}.isdisjoint({n.english for n in held})


def test_names_made_by_rule_keep_to_the_order_of_the_language(training: Any) -> None:
    translations = importlib.import_module("translations")
    made = list(translations.made_names(["chronic renal insufficiency"], random.Random(3)))
    assert {name.language for name in made} >= {"de", "es", "zh"}
    assert all(name.english == "chronic renal insufficiency" for name in made)
