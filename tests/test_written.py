"""Codes that stand in a text are recognised before its words are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxjudge.graphs.mapper import Mapper
from dxjudge.ontology import load_tree
from dxjudge.ontology.written import written_codes

CM = load_tree()
OWN = f"{Path(__file__).parent}/data/releases/own.py"


@pytest.mark.parametrize(
    ("text", "sure", "words"),
    [
        ("K35.80", ("K35.80",), ""),
        ("k3580", ("K35.80",), ""),
        ("Gout M10.9", ("M10.9",), "Gout"),
        ("J18.9: Pneumonia", ("J18.9",), "Pneumonia"),
        ("ICD10CM:J18.9", ("J18.9",), ""),
        ("ICD-10: I10", ("I10",), ""),
        ("ICD-10-CM J45909 asthma", ("J45.909",), "asthma"),
        ("hypertension (I10)", ("I10",), "hypertension"),
        ("E11.9, I10", ("E11.9", "I10"), ""),
        ("J44.9 COPD, J44.9", ("J44.9",), "COPD"),
        ("vitamin B12 deficiency", (), "vitamin B12 deficiency"),
        ("S100 positive melanoma", (), "S100 positive melanoma"),
        ("A15-A19", (), "A15-A19"),
        ("HbA1c 7.5", (), "HbA1c 7.5"),
    ],
)
def test_codes_are_told_from_words(text: str, sure: tuple[str, ...], words: str) -> None:
    found = written_codes(text, CM)
    assert (found.sure, found.words) == (sure, words)


def test_what_only_looks_like_a_code_is_likely() -> None:
    assert written_codes("S100 positive melanoma", CM).likely == ("S10.0",)
    assert written_codes("G43909 Migraine", CM).likely == ("G43.909",)


@pytest.mark.parametrize(
    ("release", "text", "sure"),
    [
        ("ICD11", "STEMI BA41.0", ("BA41.0",)),
        ("ICD11", "ICD11:8A80 migraine", ("8A80",)),
        ("MONDO", "diabetes MONDO:0005148", ("MONDO:0005148",)),
        ("NUMBERS", "0070", ("0070",)),
        ("NUMBERS", "NUMBERS: 0070 fever", ("0070",)),
        ("NUMBERS", "fever for 1230 hours", ()),
    ],
)
def test_codes_of_other_grammars_are_recognised(
    release: str, text: str, sure: tuple[str, ...]
) -> None:
    assert written_codes(text, load_tree(f"{OWN}:{release}")).sure == sure


PLANTS = load_tree(f"{OWN}:PLANTS")


@given(
    st.sampled_from([node.code for node in PLANTS.nodes]),
    st.sampled_from(["{}", " {} ", "PLANTDEMO:{}", "plantdemo: {}"]),
    st.booleans(),
)
def test_a_cell_that_is_a_code_is_that_code(code: str, form: str, is_small: bool) -> None:
    text = form.format(code.lower() if is_small else code)
    assert written_codes(text, PLANTS) == ((code,), (), "")


@pytest.mark.parametrize(
    ("text", "sure", "likely", "words"),
    [
        ("bacterial wilt #B2", ("#B2",), (), "bacterial wilt"),
        ("Wilt, f+1!, in May", ("F+1!",), (), "Wilt, , in May"),
        ("(#B2), F+1!", ("#B2", "F+1!"), (), "(),"),
        ("wilt PLANTDEMO:$9", ("$9",), (), "wilt"),
        ("spotted wilt $9", (), ("$9",), "spotted wilt $9"),
        ("leaf spot s/a", (), ("S/A",), "leaf spot s/a"),
        ("the root has a wilt", (), (), "the root has a wilt"),
        ("B2 wilt", (), (), "B2 wilt"),
    ],
)
def test_codes_with_signs_are_recognised_in_longer_texts(
    text: str, sure: tuple[str, ...], likely: tuple[str, ...], words: str
) -> None:
    found = written_codes(text, PLANTS)
    assert (found.sure, found.likely) == (sure, likely)
    assert found.words == words or not any(map(str.isalnum, found.words + words))


def test_a_mapper_takes_the_code_that_a_cell_is(tmp_path: Path) -> None:
    mapper = Mapper(f"{OWN}:PLANTS", folder=tmp_path)
    cells = ["#b2", "plantdemo:ROOT", "S/A", "$9", "Fusarium wilt F+1!"]
    mappings = list(mapper.map_many(cells))
    assert [each.code for each in mappings] == ["#B2", "ROOT", "S/A", "$9", "F+1!"]
    assert {(each.source, each.score) for each in mappings} == {("code", 1.0)}


@given(st.sampled_from([node.code for node in CM.nodes if CM.is_code(node)]))
def test_every_code_is_recognised_however_it_is_written(code: str) -> None:
    bare = code.replace(".", "")
    for text in (code, bare.lower(), f"ICD10CM:{code}", f"ICD-10: {bare}", f"({code}) pain"):
        assert written_codes(text, CM).sure == (code,)


@pytest.mark.parametrize(
    ("text", "code", "score", "reason"),
    [
        ("K35.80", "K35.80", 1.0, None),
        ("Gout M10.9", "M10.9", 1.0, None),
        ("G43909 Migraine", "G43.909", 1.0, None),
        ("J18.9: Pneumonia", "J18.9", 1.0, None),
        ("Z00.00 checkup", "Z00.00", 1.0, None),
        ("I10 hypertension", "I10", 1.0, None),
        ("asthma (J18.9)", "J18.9", 0.5, "the words beside the code J18.9 mean J45 (Asthma)"),
        ("E11.9, I10", "E11.9", 1.0, "2 codes in one text: E11.9, I10"),
        ("no J18.9", None, 0.0, "says that it is not there: J18.9"),
    ],
)
def test_a_code_in_a_text_comes_before_its_words(
    mapper: Mapper, text: str, code: str | None, score: float, reason: str | None
) -> None:
    mapping = mapper.map(text)
    assert (mapping.code, mapping.score, mapping.reason) == (code, score, reason)
    if code:
        assert (mapping.decided_by, mapping.source, mapping.candidates[0].code) == (
            "exact",
            "code",
            code,
        )
        assert mapping.band == ("exact" if score == 1 else "low")


def test_a_code_does_not_change_with_the_specificity_that_says_less(mapper: Mapper) -> None:
    assert Mapper(specificity="category").map("Gout M10.9").code == "M10"
