"""Term sources in XML: the CMS index and neoplasm table, Orphanet's nomenclature."""

import doctest
from pathlib import Path

import pytest

from dxjudge.errors import InputError
from dxjudge.ontology.sources import cms as sources_cms
from dxjudge.ontology.sources.cms import spoken
from dxjudge.ontology.sources.forms import read_source
from dxjudge.ontology.tree import load_tree

DATA = Path(__file__).parent / "data" / "sources"
CM = load_tree("icd10cm")
WHO = load_tree("icd10")


def test_an_index_entry_is_worded_as_one_would_say_it() -> None:
    reading = read_source(DATA / "index.xml", CM)
    assert reading.format == "cms-index"
    assert [(term.text, term.code) for term in reading.terms] == [
        ("Aarskog's syndrome", "Q87.19"),
        ("acute abdomen", "R10.0"),
        ("Abscess", "L02.91"),
        ("lung abscess", "J85.2"),
        ("amebic lung abscess", "A06.5"),
        ("lung abscess with pneumonia", "J85.1"),
        # "see Abscess, lung" leads to a code; "see category N15" to none.
        ("pulmonary abscess", "J85.2"),
        ("Arthritis", "M19.90"),
        # The code of the disease, without the mark that it is to be completed; not the `manif`.
        ("arthritis in Crohn's disease", "K50.9"),
    ]
    # "specified site NEC" is a place in the book and gives no row.
    assert [(each.where, each.text) for each in reading.skipped] == [
        ("entry Atrophy > unknown", "unknown atrophy")
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("Abortion", "missed"), "missed abortion"),
        (("Fracture", "femur", "neck"), "neck femur fracture"),
        (("HIV", "disease"), "disease HIV"),
        (("Diabetes", "due to", "underlying condition"), "diabetes due to underlying condition"),
        (("Pneumonia", "viral", "with", "influenza"), "viral pneumonia with influenza"),
    ],
)
def test_links_follow_the_main_term_and_other_words_precede_it(
    path: tuple[str, ...], said: str
) -> None:
    assert spoken(path) == said


def test_a_neoplasm_is_worded_by_its_column() -> None:
    reading = read_source(DATA / "neoplasms.xml", CM)
    assert reading.format == "cms-neoplasms"
    found = {(term.text, term.code) for term in reading.terms}
    assert {
        ("malignant neoplasm of adrenal", "C74.9"),
        ("adrenal cancer", "C74.9"),
        ("secondary malignant neoplasm of adrenal", "C79.7"),
        ("metastasis to adrenal", "C79.7"),
        ("carcinoma in situ of adrenal", "D09.3"),
        ("benign neoplasm of adrenal", "D35.0"),
        ("neoplasm of uncertain behavior of adrenal", "D44.1"),
        ("neoplasm of unspecified behavior of adrenal", "D49.7"),
        ("malignant neoplasm of adrenal, medulla", "C74.1"),
        ("ankle cancer", "C76.5"),
    } <= found
    # Dashes and empty cells are no code: of the medulla two columns with two wordings each.
    assert sum("medulla" in text for text, _ in found) == 4
    assert reading.skipped == ()


def test_the_columns_are_known_by_their_headings(tmp_path: Path) -> None:
    text = (DATA / "neoplasms.xml").read_text("utf-8")
    swapped = text.replace('<head col="2">Malignant Primary', '<head col="2">Benign').replace(
        '<head col="5">Benign', '<head col="5">Malignant Primary'
    )
    path = tmp_path / "neoplasms.xml"
    path.write_text(swapped, encoding="utf-8")
    assert ("adrenal cancer", "D35.0") in {
        (term.text, term.code) for term in read_source(path, CM).terms
    }


@pytest.mark.parametrize("name", ["index.xml", "neoplasms.xml"])
def test_the_codes_of_cms_are_of_no_other_release(name: str) -> None:
    with pytest.raises(InputError, match="nothing in it refers to a code of icd10"):
        read_source(DATA / name, WHO)


def test_orphanet_says_which_match_is_exact() -> None:
    reading = read_source(DATA / "orphanet.xml", CM)
    assert [(term.text, term.code) for term in reading.terms] == [
        ("Guillain-Barré syndrome", "G61.0"),
        ("Acute inflammatory polyradiculoneuropathy", "G61.0"),
    ]
    assert (reading.format, reading.rows, reading.inexact) == ("orphanet", 3, 1)
    wider = read_source(DATA / "orphanet.xml", CM, exact_only=False)
    assert [term.text for term in wider.terms][-1] == "Miller Fisher syndrome"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<!DOCTYPE html><html><body>sign in</body></html>", "is a web page"),
        ("<root/>", "XML of an unknown kind"),
        ("<rdf:RDF/>", "RDF/XML cannot be read"),
        ("<ICD10CM.index><mainTerm><title>A</title>", "line 1: is not valid XML"),
        ("<ICD10CM.index><mainTerm><code>J45</code></mainTerm></ICD10CM.index>", "has no title"),
        ("<ICD10CM.index></ICD10CM.index>", "nothing in it refers to a code"),
    ],
)
def test_xml_of_another_kind_or_broken_is_an_error(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "a.xml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_source(path, CM)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(sources_cms).failed == 0
