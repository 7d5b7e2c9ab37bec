"""Mappings leave in the forms of other tools, and come back as reviewed rows."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.ontology.table import read_table
from dxjudge.ontology.tree import load_tree

_SIGNED = "icd10cm-0123456789ab"
TABLE = f"""text,rows,code,score,decided_by,status,term,source,reviewed,reviewer,note,signature
heart attack,12,I21.9,1,exact,mapped,heart attack,dxjudge,no,,,{_SIGNED}=I21.9
"Gout, unspecified",3,M10.9,1,exact,mapped,"Gout, unspecified",official,no,,,{_SIGNED}=M10.9
sore knee,7,M25.569,0.41,embedded,mapped,pain in knee,dxjudge,no,,,{_SIGNED}=M25.569
"water ""pills"", daily",40,,,none,unmapped,,,no,,,{_SIGNED}=
podagra,9,M10.9,,,mapped,,,yes,A. Reviewer,asked the ward,
"""
CONCEPTS = """\
concept_id|concept_name|domain_id|vocabulary_id|standard_concept|concept_code|invalid_reason
35207702|Acute myocardial infarction, unspecified|Condition|ICD10CM||I21.9|
35208745|Gout, unspecified|Condition|ICD10CM||M10.9|
312327|Acute myocardial infarction|Condition|SNOMED|S|57054005|
440674|Gout "tophaceous"|Condition|SNOMED|S|90560007|
45554439|Gone|Condition|ICD10CM||M25.569|U
""".replace("|", "\t")
MAPS_TO = """\
concept_id_1|concept_id_2|relationship_id|invalid_reason
35207702|312327|Maps to|
35208745|440674|Maps to|
35208745|312327|Is a|
""".replace("|", "\t")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE, "utf-8")
    Path("athena").mkdir()
    Path("athena/CONCEPT.csv").write_text(CONCEPTS, "utf-8")
    return Path("t.csv")


def exported(table: Path, *options: str) -> str:
    assert run(["table", "export", str(table), *options, "--quiet"]) == 0
    return Path(options[1]).read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("m.fhir.json", "fhir.resources.R4B.conceptmap"),
        ("m.fhir-r5.json", "fhir.resources.conceptmap"),
    ],
)
def test_a_concept_map_is_valid_for_the_official_profile(
    table: Path, name: str, module: str
) -> None:
    resource = json.loads(exported(table, "-o", name))
    valid = pytest.importorskip(module).ConceptMap.model_validate(resource)
    assert len(valid.group[0].element) == 5
    assert resource["status"] == "draft"  # people reviewed one text of five


def test_a_concept_map_says_how_each_code_stands_to_its_text(table: Path) -> None:
    def relations(name: str, key: str) -> dict[str, Any]:
        elements = json.loads(exported(table, "-o", name))["group"][0]["element"]
        return {
            element["display"]: element["target"][0][key] if "target" in element else "no map"
            for element in elements
        }

    assert relations("m.fhir.json", "equivalence") == {
        "heart attack": "wider",
        "Gout, unspecified": "equivalent",
        "sore knee": "relatedto",
        'water "pills", daily': "unmatched",
        "podagra": "relatedto",
    }
    assert relations("m.fhir-r5.json", "relationship") == {
        "heart attack": "source-is-narrower-than-target",
        "Gout, unspecified": "equivalent",
        "sore knee": "related-to",
        'water "pills", daily': "no map",
        "podagra": "related-to",
    }


def test_omop_rows_hold_standard_concepts_where_the_folder_has_them(table: Path) -> None:
    def targets(name: str) -> list[tuple[str, str, str]]:
        rows = csv.DictReader(exported(table, "-o", name, "--concepts", "athena").splitlines())
        return [
            (row["source_code_description"], row["target_concept_id"], row["target_vocabulary_id"])
            for row in rows
        ]

    assert targets("own.omop.csv") == [
        ("heart attack", "35207702", "ICD10CM"),
        ("Gout, unspecified", "35208745", "ICD10CM"),
        ("sore knee", "0", "None"),
        ('water "pills", daily', "0", "None"),
        ("podagra", "35208745", "ICD10CM"),
    ]
    Path("athena/CONCEPT_RELATIONSHIP.csv").write_text(MAPS_TO, "utf-8")
    assert targets("standard.omop.csv")[:2] == [
        ("heart attack", "312327", "SNOMED"),
        ("Gout, unspecified", "440674", "SNOMED"),
    ]


def test_omop_rows_fit_the_columns_of_the_common_data_model(table: Path) -> None:
    # The lengths of the DDL of CDM 5.4.
    long = TABLE + f"{'pain ' * 90},,R52,1,exact,mapped,pain,official,no,,,icd10cm-x=R52\n"
    table.write_text(long, "utf-8")
    rows = list(
        csv.DictReader(exported(table, "-o", "m.omop.csv", "--concepts", "athena").splitlines())
    )
    most = {"source_code": 50, "source_vocabulary_id": 20, "source_code_description": 255}
    assert all(len(row[name]) <= longest for row in rows for name, longest in most.items())
    assert all(row["target_concept_id"].isdigit() for row in rows)


@pytest.mark.parametrize("concepts", [(), ("--concepts", "athena")])
def test_usagi_gives_back_what_people_approved(table: Path, concepts: tuple[str, ...]) -> None:
    written = exported(table, "-o", "m.usagi.csv", *concepts)
    rows = list(csv.DictReader(written.splitlines()))
    assert [row["sourceFrequency"] for row in rows] == ["40", "12", "9", "7", "3"]
    assert [row["mappingStatus"] for row in rows].count("APPROVED") == 1
    for row in rows:  # a person approves the heart attack and that water pills have no code
        if row["sourceName"] in ("heart attack", 'water "pills", daily'):
            row["mappingStatus"], row["statusSetBy"] = "APPROVED", "B. Coder"
    with Path("done.usagi.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    assert run(["table", "import", "done.usagi.csv", "-o", "back.tsv", *concepts, "--quiet"]) == 0
    entries = read_table(Path("back.tsv"), load_tree()).entries
    assert {text: (row.mapping.code, row.reviewer) for text, row in entries.items()} == {
        'water "pills", daily': (None, "B. Coder"),
        "heart attack": ("I21.9", "B. Coder"),
        "podagra": ("M10.9", "A. Reviewer"),
    }
    assert all(row.reviewed for row in entries.values())


def test_a_text_that_usagi_cannot_read_as_it_is_comes_back_whole(table: Path) -> None:
    # Usagi reads a file line by line, so that no cell may hold a line end.
    text = 'gout \\ "the kings\'\ndisease"'
    row = [text.replace('"', '""'), "M10.9", "yes", "two\nlines"]
    table.write_text("text,code,reviewed,note\n" + ",".join(f'"{cell}"' for cell in row), "utf-8")
    written = exported(table, "-o", "m.usagi.csv")
    assert len(written.splitlines()) == 2
    assert run(["table", "import", "m.usagi.csv", "-o", "back.tsv", "--quiet"]) == 0
    assert list(read_table(Path("back.tsv"), load_tree()).entries) == [text]


def test_an_sssom_set_gives_back_its_curated_rows(table: Path) -> None:
    exported(table, "-o", "m.sssom.tsv")
    assert run(["table", "import", "m.sssom.tsv", "-o", "back.tsv", "--quiet"]) == 0
    entries = read_table(Path("back.tsv"), load_tree()).entries
    assert [(text, row.mapping.code) for text, row in entries.items()] == [("podagra", "M10.9")]


def test_an_active_concept_map_gives_back_all_its_rows(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = json.loads(exported(table, "-o", "m.fhir.json"))
    assert run(["table", "import", "m.fhir.json", "-o", "back.tsv"]) == 4
    assert "'draft'" in capsys.readouterr().err
    Path("m.fhir.json").write_text(json.dumps({**resource, "status": "active"}), "utf-8")
    assert run(["table", "import", "m.fhir.json", "-o", "back.tsv", "--quiet"]) == 0
    entries = read_table(Path("back.tsv"), load_tree()).entries
    assert [row.mapping.code for row in entries.values()] == [
        "I21.9", "M10.9", "M25.569", None, "M10.9",
    ]  # fmt: skip


def test_an_imported_code_never_replaces_a_reviewed_one_without_a_word(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported(table, "-o", "m.sssom.tsv")
    Path("own.csv").write_text("text,code,reviewed\npodagra,M10.00,yes\n", "utf-8")
    assert run(["table", "import", "m.sssom.tsv", "-o", "own.csv"]) == 3
    assert "'podagra' stays M10.00, not M10.9" in capsys.readouterr().err
    assert read_table(Path("own.csv"), load_tree()).entries["podagra"].mapping.code == "M10.00"


def test_texts_that_failed_are_left_out_and_said(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text(TABLE + "asthma,2,,,none,failed,,,no,,,icd10cm-0123456789ab=\n", "utf-8")
    assert run(["table", "export", "t.csv", "-o", "m.fhir.json"]) == 3
    assert "left out: 1 text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["export", "t.csv", "-o", "m.omop.csv"], 2, "--concepts FOLDER"),
        (["export", "t.csv", "-o", "m.fhir.json", "--concepts", "athena"], 2, "has no effect"),
        (["export", "t.csv", "-o", "m.csv"], 2, ".sssom.tsv"),
        (["export", "t.csv", "-o", "m.omop.csv", "--concepts", "."], 4, "has no CONCEPT.csv"),
        (["export", "none.csv", "-o", "m.fhir.json"], 4, "there is no such file"),
        (["import", "t.csv", "-o", "back.tsv"], 2, "what is t.csv?"),
        (["merge", "t.csv", "-o", "back.tsv"], 2, "at least two tables"),
        (["diff", "t.csv", "none.csv"], 4, "there is no such file"),
    ],
)
def test_what_cannot_be_done_is_said(
    table: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    assert run(["table", *arguments]) == code
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_difference_says_how_far_a_text_moved_and_why(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = (
        TABLE.replace("M25.569,0.41", "M25.561,0.44")
        .replace("heart attack,12,I21.9", "heart attack,12,I22.9")
        .replace("=I21.9", "=I22.9")
        .replace("=M25.569", "=M25.561")
        .replace("podagra,9,M10.9", "podagra,9,E79.0")
        .replace("pain in knee", "pain in right knee")
    )
    Path("later.csv").write_text(later + "asthma,2,J45.909,,,,,,yes,,,\n", "utf-8")
    assert run(["table", "diff", "t.csv", "later.csv", "-o", "moved.csv"]) == 0
    rows = list(csv.DictReader(Path("moved.csv").read_text("utf-8").splitlines()))
    seen = [(row["text"], row["change"], row["same_level"], row["why"]) for row in rows]
    assert seen == [
        ("heart attack", "moved", "block", ""),
        ("podagra", "moved", "", "a person decided in both"),
        (
            "sore knee",
            "moved",
            "subcategory",
            "matched 'pain in knee', then 'pain in right knee'; score 0.41, then 0.44",
        ),
        ("asthma", "added", "", ""),
    ]
    # 12 + 9 + 7 + 2 rows
    assert "4 of 6 texts differ (30 rows): 3 moved, 1 added" in capsys.readouterr().err


def test_tables_merge_where_reviewers_agree(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("two.csv").write_text("text,code,reviewed,ward\nsore knee,M25.561,yes,4\n", "utf-8")
    assert run(["table", "merge", "t.csv", "two.csv", "-o", "all.csv", "--quiet"]) == 0
    entries = read_table(Path("all.csv"), load_tree()).entries
    assert len(entries) == 5 and entries["sore knee"].mapping.code == "M25.561"
    assert "ward" in Path("all.csv").read_text("utf-8").splitlines()[0]
    Path("two.csv").write_text("text,code,reviewed\npodagra,E79.0,yes\n", "utf-8")
    assert run(["table", "merge", "t.csv", "two.csv", "-o", "more.csv"]) == 4
    assert "reviewers disagree on 1 text" in capsys.readouterr().err
    assert not Path("more.csv").exists()


def test_map_writes_the_same_forms_and_counts_rows(table: Path) -> None:
    Path("in.csv").write_text("dx\ngout\ngout\nasthma\n", "utf-8")
    assert run(["map", "in.csv", "-o", "m.usagi.csv", "--table", "new.tsv", "--quiet"]) == 0
    rows = list(csv.DictReader(Path("m.usagi.csv").read_text("utf-8").splitlines()))
    assert [(row["sourceName"], row["sourceFrequency"]) for row in rows] == [
        ("gout", "2"), ("asthma", "1"),
    ]  # fmt: skip
    assert [entry.rows for entry in read_table(Path("new.tsv"), load_tree()).entries.values()] == [
        2, 1,
    ]  # fmt: skip


def test_the_help_of_an_export_names_the_forms_of_an_export(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["table", "export", "--help"]) == 0
    form = capsys.readouterr().out.partition("--output-format")[2].partition("--concepts")[0]
    assert "sssom" in form and "usagi" in form and "parquet" not in form


def test_a_code_without_a_concept_comes_back_from_usagi(table: Path) -> None:
    # M25.569 has no concept in the folder, other codes have: Usagi has nothing to offer for it.
    written = exported(table, "-o", "m.usagi.csv", "--concepts", "athena")
    Path("m.usagi.csv").write_text(written.replace("UNCHECKED", "APPROVED"), "utf-8")
    options = ["-o", "back.tsv", "--concepts", "athena", "--quiet"]
    assert run(["table", "import", "m.usagi.csv", *options]) == 0
    entries = read_table(Path("back.tsv"), load_tree()).entries
    assert entries["sore knee"].mapping.code == "M25.569"
    assert entries['water "pills", daily'].mapping.code is None


def test_texts_of_every_kind_come_back_as_they_were(table: Path) -> None:
    texts = ["gout\n#2 of the list", "=cmd()", "-gout", "Gout", "gout", "go\tut", "Ménière 痛風"]
    texts += ["x" * 9000, 'a "b", c', "'gout'", *(f"gout of day {day}" for day in range(2000))]
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = [[text, "M10.9" if text != "Gout" else "M10.00", "yes"] for text in texts]
        csv.writer(file).writerows([["text", "code", "reviewed"], *rows])
    rows_read = read_table(table, load_tree()).entries
    expected = {text: row.mapping.code for text, row in rows_read.items()}
    assert len(expected) == len(texts)
    for name in ("m.sssom.tsv", "m.usagi.csv", "m.fhir.json", "m.fhir-r5.json"):
        exported(table, "-o", name)
        assert run(["table", "import", name, "-o", f"{name}.tsv", "--quiet"]) == 0
        entries = read_table(Path(f"{name}.tsv"), load_tree()).entries
        assert {text: row.mapping.code for text, row in entries.items()} == expected, name


@pytest.mark.parametrize(
    ("relation", "value"),
    [("equivalence", "disjoint"), ("equivalence", "unmatched"), ("relationship", "not-related-to")],
)
def test_a_code_that_is_said_not_to_fit_is_never_imported(
    table: Path, capsys: pytest.CaptureFixture[str], relation: str, value: str
) -> None:
    resource = {**json.loads(exported(table, "-o", "m.fhir.json")), "status": "active"}
    resource["group"][0]["element"][0]["target"] = [{"code": "I21.9", relation: value}]
    Path("m.fhir.json").write_text(json.dumps(resource), "utf-8")
    assert run(["table", "import", "m.fhir.json", "-o", "back.tsv"]) == 4
    assert f"element 1: says that I21.9 is '{value}'" in capsys.readouterr().err


def test_a_file_with_two_codes_for_a_text_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = {**json.loads(exported(table, "-o", "m.fhir.json")), "status": "active"}
    elements = resource["group"][0]["element"]
    elements[0]["display"] = elements[1]["display"]
    Path("m.fhir.json").write_text(json.dumps(resource), "utf-8")
    assert run(["table", "import", "m.fhir.json", "-o", "back.tsv"]) == 4
    assert "'Gout, unspecified': I21.9 and M10.9" in capsys.readouterr().err
    assert not Path("back.tsv").exists()


def test_differences_never_replace_a_table(table: Path) -> None:
    before = table.read_bytes()
    assert run(["table", "diff", str(table), str(table), "-o", str(table)]) == 2
    assert table.read_bytes() == before


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    ("form", "options"),
    [("sssom.tsv", ()), ("usagi.csv", ()), ("usagi.csv", ("--concepts", "athena"))],
)
def test_codes_beside_the_first_rows_and_notes_come_back(
    table: Path, form: str, options: tuple[str, ...], linked: bool
) -> None:
    if linked:  # the codes of the first text share one standard concept
        maps = MAPS_TO.replace("440674\tMaps", "312327\tMaps")
        Path("athena/CONCEPT_RELATIONSHIP.csv").write_text(maps, "utf-8")
    table.write_text(
        "text,rows,code,reviewed,reviewer,note\n"
        "gouty MI,7,M10.9; I21.9,yes,Ann,two codes\n"
        "sore gouty knee,3,M10.9; M25.569,yes,Ann,the second has no concept\n"
        "MI after a sore knee,2,M25.569; I21.9,yes,,\n"
        "no illness,1,,yes,Ann,\n",
        "utf-8",
    )
    before = read_table(table, load_tree()).entries
    exported(table, "-o", f"m.{form}", *options)
    assert run(["table", "import", f"m.{form}", "-o", "back.tsv", *options, "--quiet"]) == 0
    after = read_table(Path("back.tsv"), load_tree()).entries

    def told(entries: Any) -> dict[str, tuple[Any, ...]]:
        return {
            text: (row.mapping.code, row.mapping.additional_codes, row.rows, row.note)
            for text, row in entries.items()
        }

    assert told(before) == told(after)


def test_a_concept_that_a_person_took_away_takes_its_code_away(table: Path) -> None:
    table.write_text("text,code,reviewed\ngouty MI,M10.9; I21.9,yes\n", "utf-8")
    options = ("--concepts", "athena")
    lines = exported(table, "-o", "m.usagi.csv", *options).splitlines()
    assert len(lines) == 3
    Path("m.usagi.csv").write_text("\n".join(lines[:2]), "utf-8")
    assert run(["table", "import", "m.usagi.csv", "-o", "back.tsv", *options, "--quiet"]) == 0
    (row,) = read_table(Path("back.tsv"), load_tree()).entries.values()
    assert (row.mapping.code, row.mapping.additional_codes) == ("M10.9", None)
    rows = csv.DictReader(exported(table, "-o", "m.omop.csv", *options).splitlines())
    assert [row["target_concept_id"] for row in rows] == ["35208745", "35207702"]


def test_tables_that_differ_in_further_codes_alone_differ(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, one = "text,code,reviewed,reviewer\n", "gouty MI,M10.9; I21.9; R52,yes,{}\n"
    table.write_text(head + one.format("Ann"), "utf-8")
    Path("turned.csv").write_text(head + "gouty MI,M10.9; R52; I21.9,yes,Bob\n", "utf-8")
    Path("less.csv").write_text(head + "gouty MI,M10.9; R52,yes,Bob\n", "utf-8")
    assert run(["table", "diff", "t.csv", "turned.csv"]) == 0
    assert "0 of 1 texts differ" in capsys.readouterr().err
    assert run(["table", "diff", "t.csv", "less.csv", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["differences"]
    assert found["change"] == "beside" and "further codes I21.9; R52, then R52" in found["why"]
    assert run(["table", "merge", "t.csv", "turned.csv", "-o", "all.csv"]) == 0
    (row,) = csv.DictReader(Path("all.csv").read_text("utf-8-sig").splitlines())
    # A person gave neither score nor way, so none is made up.
    assert (row["score"], row["decided_by"], row["additional_codes"]) == (
        "", "reviewed", "I21.9; R52",
    )  # fmt: skip
    assert run(["table", "merge", "t.csv", "less.csv", "-o", "no.csv"]) == 4
    assert "M10.9; I21.9; R52 and, in less.csv, M10.9; R52" in capsys.readouterr().err
    exported(Path("less.csv"), "-o", "less.sssom.tsv")
    assert run(["table", "import", "less.sssom.tsv", "-o", "t.csv"]) == 3
    assert "stays M10.9; I21.9; R52, not M10.9; R52" in capsys.readouterr().err
