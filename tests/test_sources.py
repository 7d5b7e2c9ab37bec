import csv
import doctest
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dxjudge.errors import InputError
from dxjudge.files.delimited import Style
from dxjudge.files.forms import output_format
from dxjudge.files.rows_in import Sheet
from dxjudge.files.rows_out import write_table
from dxjudge.ontology.sources import xref
from dxjudge.ontology.sources.forms import Skipped, read_source
from dxjudge.ontology.terms import Term, build_terms
from dxjudge.ontology.tree import load_tree

DATA = Path(__file__).parent / "data" / "sources"
CM = load_tree("icd10cm")
WHO = load_tree("icd10")


def pairs(name: str, **options: bool) -> list[tuple[str, str]]:
    return [(t.text, t.code) for t in read_source(DATA / name, CM, **options).terms]  # type: ignore[arg-type]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_table_with_a_header_gives_terms_and_says_what_it_skips() -> None:
    reading = read_source(DATA / "clinic.csv", CM)
    assert reading.terms == (
        Term("heart attack", "I21", "clinic"),
        Term("sugar, high, in pregnancy", "O24.4", "clinic"),
        Term("chest infection", "J20.9", "clinic"),
        Term("chest infection", "J22", "clinic"),
    )
    assert reading.skipped == (
        Skipped(
            "line 4",
            "childhood asthma",
            "'J45.0' is not a code of icd10cm; the nearest valid code is J45",
        ),
        Skipped("line 5", "J44.9", "no term"),
        Skipped("line 6", "lung scarring", "no code"),
        Skipped("line 7", "non-infective lung disease", "J40-J4A is a block, not a code"),
    )
    assert reading.inexact == 0


@pytest.mark.parametrize("name", ["mine.xlsx", "mine.parquet", "mine.csv.gz", "mine.csv"])
def test_a_table_of_any_form_is_a_source(tmp_path: Path, name: str) -> None:
    # Before, bars were no separator, and a workbook was a binary file.
    sheet = Sheet("t", "csv", ["term", "code"], [["gout, left", "M10.9"]], style=Style("|"))
    path = str(tmp_path / name)
    write_table(path, output_format(path, None, "csv"), sheet)
    assert read_source(path, load_tree()).terms == (Term("gout, left", "M10.9", "mine"),)


def test_a_row_without_a_source_has_that_of_its_file() -> None:
    reading = read_source(DATA / "plain.tsv", CM)
    assert [term.source for term in reading.terms] == ["plain", "plain", "ward"]
    assert read_source(DATA / "plain.tsv", CM, name="mine").terms[0].source == "mine"


def test_a_table_without_a_header_is_read_by_what_its_columns_hold() -> None:
    assert pairs("plain.tsv") == [
        ("heart attack", "I21"),
        ('John\'s "special" cough', "R05.9"),
        ("water on the lung", "J81.0"),
    ]
    assert pairs("turned.tsv") == [("asthma", "J45"), ("heart attack", "I21")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "ICD10;Name\nJ45;asthma\n"),
        ("a.csv", "# from the ward\n# 2026\nsynonym\tcode\r\nasthma\tj45\r\n\r\n"),
        ("a.txt", "code,term,note\nJ45,asthma,x\n"),
        ("a.tsv", "﻿Text\tICD-10 code\nasthma \t J45\n"),
        ("a.csv", 'concept,label,icd_10_cm\n1,"asthma\n",J45\n'),
    ],
)
def test_delimiters_comments_marks_and_column_names_vary(
    tmp_path: Path, name: str, content: str
) -> None:
    reading = read_source(written(tmp_path, name, content), CM)
    assert [(term.text, term.code) for term in reading.terms] == [("asthma", "J45")]
    assert reading.skipped == ()


def test_an_sssom_set_is_read_in_both_directions_exact_matches_only() -> None:
    reading = read_source(DATA / "mappings.sssom.tsv", CM)
    assert [(term.text, term.code) for term in reading.terms] == [
        ("bronchial asthma", "J45"),
        ("heart infarct", "I21"),
        ("whooping cough", "A37"),
    ]
    assert {term.source for term in reading.terms} == {"mappings"}
    assert [(each.where, each.reason) for each in reading.skipped] == [
        ("line 16", "no term"),
        ("line 17", "'J45.0' is not a code of icd10cm; the nearest valid code is J45"),
    ]
    # rare asthma, lung disorder, papillary muscle infarct, close call
    assert reading.inexact == 4


def test_inexact_mappings_join_on_request_but_not_those_broader_than_the_code() -> None:
    added = set(pairs("mappings.sssom.tsv", exact_only=False)) - set(pairs("mappings.sssom.tsv"))
    assert added == {
        ("rare asthma", "J45"),
        ("papillary muscle infarct", "I21"),
        ("close call", "R05"),
    }


def test_the_who_release_reads_the_who_rows() -> None:
    reading = read_source(DATA / "mappings.sssom.tsv", WHO)
    assert [(term.text, term.code) for term in reading.terms] == [("who asthma", "J45")]


def test_an_ontology_that_marks_equivalence_is_taken_at_its_word() -> None:
    reading = read_source(DATA / "marked.obo", CM)
    assert [(term.text, term.code) for term in reading.terms] == [
        ("asthma", "J45"),
        ("bronchial asthma", "J45"),
        ('the "wheeze"', "J45"),
        ("heart attack", "I21"),
    ]
    assert reading.inexact == 3  # farrier's asthma, airway trouble, unmarked cough
    added = set(pairs("marked.obo", exact_only=False)) - set(pairs("marked.obo"))
    assert added == {("farrier's asthma", "J45"), ("unmarked cough", "R05.9")}


def test_an_ontology_that_marks_nothing_is_taken_whole() -> None:
    reading = read_source(DATA / "unmarked.obo", CM)
    assert [(term.text, term.code) for term in reading.terms] == [
        ("whooping cough", "A37"),
        ("pertussis", "A37"),
    ]
    assert [each[1:] for each in reading.skipped] == [
        ("old asthma", "'J45.0' is not a code of icd10cm; the nearest valid code is J45"),
        ("lower airway disease", "J40-J4A is a block, not a code"),
    ]
    assert reading.skipped[0].where == "line 10"


def test_a_graph_with_plain_icd10_references_serves_both_releases() -> None:
    expected = [("large mouth syndrome", "Q18.4"), ("macrostomia", "Q18.4")]
    assert pairs("graph.json") == expected
    reading = read_source(DATA / "graph.json", WHO)
    assert [(term.text, term.code) for term in reading.terms] == expected
    assert reading.name == "graph"


def test_a_graph_may_mark_equivalence_in_two_ways(tmp_path: Path) -> None:
    def node(label: str, meta: object) -> object:
        return {"id": label, "lbl": label, "meta": meta}

    source = {"basicPropertyValues": [{"pred": "oboInOwl#source", "val": "MONDO:equivalentTo"}]}
    iri = "http://purl.bioontology.org/ontology/ICD10CM/I21"
    nodes = [
        node("asthma", {"xrefs": [{"val": "ICD10CM:J45", "meta": source}]}),
        node("heart attack", {"basicPropertyValues": [{"pred": "skos#exactMatch", "val": iri}]}),
        node("cough", {"xrefs": [{"val": "ICD10CM:R05"}]}),
    ]
    path = written(tmp_path, "a.json", json.dumps({"graphs": [{"nodes": nodes}]}))
    reading = read_source(path, CM)
    assert [(t.text, t.code) for t in reading.terms] == [("asthma", "J45"), ("heart attack", "I21")]
    assert reading.inexact == 1


def test_terms_go_into_the_base_with_their_source() -> None:
    reading = read_source(DATA / "plain.tsv", CM)
    rows = [term for term in build_terms(CM, extra=reading.terms) if term.code == "I21"]
    assert Term("heart attack", "I21", "plain") in rows


def test_a_definition_or_control_characters_do_not_get_in(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.tsv", f"term\tcode\n{'long ' * 100}\tJ45\nas\x07thma\u200b  x\tJ45\n"
    )
    reading = read_source(path, CM)
    assert [term.text for term in reading.terms] == ["as thma x"]
    assert [each.reason for each in reading.skipped] == ["longer than 400 characters"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv: the file is empty"),
        ("a.csv", " \n\n", "a.csv: the file is empty"),
        ("a.csv", "# nothing\n", "a.csv: holds only comments"),
        ("a.csv", b"PK\x03\x04\0\0", "a.csv: is a binary file"),
        ("a.csv", b"term,code\nasthma,J45\nM\xfcll,J45\n", "a.csv, line 3: is not UTF-8 text"),
        ("a.csv", "term,chapter\nasthma,x\n", "name it in dxjudge sources add with --code-column"),
        ("a.csv", "place,code\nasthma,J45\n", "line 1: no column for the term among place, code"),
        (
            "a.tsv",
            'term\tcode\nasthma\tJ45\n"cough\tR05\nx\ty\n',
            "line 3: a quotation mark is never",
        ),
        ("a.csv", f'term,code\n"{"x" * 200_000}",J45\n', "line 2: a cell of more than 131,072"),
        ("a.obo", "[Term]\nid: X:1\nname asthma\n", "a.obo, line 3: is not an OBO tag and value"),
        (
            "a.obo",
            "[Term]\nid: X:1\nxref: ICD9CM:493\n",
            "nothing in it refers to a code of icd10cm",
        ),
        ("a.json", '{"graphs": [\n  {]\n', "a.json, line 2: is not JSON"),
        ("a.json", '{"nodes": []}', "a.json, line 1: is not an OBO graph"),
        ("a.json", '{"graphs": [{"nodes": ["x"]}]}', "a.json: node 1 is not an OBO-graph node"),
        ("a.owl", '<?xml version="1.0"?>\n<rdf:RDF/>', "a.owl, line 1: RDF/XML cannot be read"),
        (
            "a.tsv",
            "#curie_map: [\nsubject_id\tpredicate_id\tobject_id\n",
            "a.tsv, line 1: the metadata is not YAML",
        ),
        (
            "a.tsv",
            "subject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\tICD10CM:J45\tmore\n",
            "a.tsv, line 2: has 4 cells, the header 3",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_source(written(tmp_path, name, content), CM)
    assert message in str(caught.value)


@pytest.mark.parametrize("limit", [10, 10_000_000])
def test_the_limit_of_cells_that_other_code_sets_changes_nothing(
    tmp_path: Path, limit: int
) -> None:
    before = csv.field_size_limit(limit)
    try:
        with pytest.raises(InputError, match="a cell of more than 131,072 characters"):
            read_source(written(tmp_path, "a.csv", f'term,code\n"{"x" * 200_000}",J45\n'), CM)
        # Another thread may be reading long cells, so the limit is never lowered.
        assert csv.field_size_limit() >= limit
    finally:
        csv.field_size_limit(before)


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.tsv", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_source(path, CM)


@given(st.text(max_size=80), st.sampled_from(["a.tsv", "a.csv", "a.obo", "a.json"]))
@example(",", "a.csv")  # a table whose cells are all empty
@example("\t\n\t", "a.tsv")
def test_any_text_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: str, name: str
) -> None:
    path = written(tmp_path_factory.getbasetemp(), name, content.encode("utf-8", "replace"))
    try:
        reading = read_source(path, CM)
    except InputError as refused:
        assert name in str(refused)
    else:
        assert all(CM.contains(term.code) and term.text for term in reading.terms)


@pytest.mark.parametrize(
    ("reference", "release", "found"),
    [
        ("ICD10CM:J45", "icd10cm", ("J45", True)),
        ("icd-10-cm:J45", "icd10cm", ("J45", True)),
        ("http://purl.bioontology.org/ontology/ICD10CM/J45", "icd10cm", ("J45", True)),
        ("http://hl7.org/fhir/sid/icd-10-cm/J45", "icd10cm", ("J45", True)),
        ("ICD10:J45", "icd10cm", ("J45", False)),
        ("ICD-10:A15-A19", "icd10cm", ("A15-A19", False)),
        ("ICD10WHO:J45", "icd10cm", ("J45", False)),
        ("https://icd.who.int/browse10/2019/en#/J45", "icd10cm", ("J45", False)),
        ("ICD10WHO:J45", "icd10", ("J45", True)),
        ("https://icd.who.int/browse10/2019/en#/J45", "icd10", ("J45", True)),
        ("ICD10CM:J45", "icd10", None),
        ("ICD10PCS:0B110F4", "icd10cm", None),
        ("ICD9CM:493", "icd10cm", None),
        ("ICDO:8000/3", "icd10cm", None),
        ("J45", "icd10cm", None),
        ("", "icd10cm", None),
    ],
)
def test_a_reference_tells_its_vocabulary(
    reference: str, release: str, found: tuple[str, bool] | None
) -> None:
    assert xref.code_in(reference, load_tree(release).descriptor) == found


def test_the_docstrings_hold() -> None:
    assert doctest.testmod(xref).failed == 0
