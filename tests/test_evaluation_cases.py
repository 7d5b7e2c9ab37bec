"""Cases, responses and the layouts of DDXPlus and VLMEvalKit."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.errors import InputError, UsageError
from dxjudge.evaluation.cases import Source, read_cases, read_responses
from dxjudge.evaluation.cells import read_list
from dxjudge.evaluation.layouts import from_ddxplus, from_vlmevalkit, layout_of
from dxjudge.evaluation.read import hashes_of, load_cases, load_responses, read_rows

FOLDER = Path(__file__).parents[1] / "examples" / "evaluate"


@pytest.mark.parametrize(
    ("cell", "entries"),
    [
        (["a", "b"], ["a", "b"]),
        ('["a, with comma", "b"]', ["a, with comma", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("a; b ;", ["a", "b"]),
        ("a\nb", ["a", "b"]),
        ("", []),
        (None, []),
        (float("nan"), []),
        ("[]", []),
    ],
)
def test_a_list_may_come_in_many_forms(cell: object, entries: list[str]) -> None:
    assert read_list(cell, "row 1") == entries


def test_a_list_literal_holds_data_only() -> None:
    with pytest.raises(InputError, match="row 3: .* begins like a list"):
        read_list("[__import__('os').getcwd()]", "row 3")


def test_our_own_cases_have_codes_groups_and_both_diagnoses() -> None:
    row = {
        "id": 7.0,  # a spreadsheet's whole number
        "diagnosis": "pneumonia",
        "codes": "J17; J18",
        "ddx": [{"diagnosis": "bronchitis", "codes": ["J40"]}, "asthma"],
        "specialty": ["Pulmonology", "Pediatrics"],
    }
    (case,) = read_cases(Source("f", [row]))
    assert case.id == "7"
    assert case.diagnosis is not None and case.diagnosis.codes == ("J17", "J18")
    assert [(d.text, d.codes) for d in case.ddx] == [("bronchitis", ("J40",)), ("asthma", ())]
    assert case.groups == {"specialty": ("Pulmonology", "Pediatrics")}


def test_letters_of_the_answer_follow_the_options() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1", "A": "x", "B": "y", "C": "z", "answer": "C, A"},
        {"id": "2", "A": "x", "B": "y", "C": "z", "answer": "BC"},
        {"id": "3", "options": ["x", "y"], "answer": "B"},
    ]
    assert [case.letters for case in read_cases(Source("f", rows))] == [
        ("A", "C"), ("B", "C"), ("B",)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "f has no case"),
        ([{"diagnosis": "x"}], "f, row 1: the id is missing"),
        ([{"id": "1"}, {"id": "1"}], "f, row 2: the id '1' occurs twice"),
        ([{"id": "1", "A": "x", "B": "y", "answer": "D"}], "row 1: the answer 'D' is none of"),
        ([{"id": "1", "ddx": [{"codes": ["J40"]}]}], "row 1: an entry of the ddx has no diagnosis"),
    ],
)
def test_bad_cases_name_their_row(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("'", ".")):
        read_cases(Source("f", rows))


def test_a_missing_group_column_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="no group column 'ward'; it has id, sex"):
        read_cases(Source("f", [{"id": "1", "sex": "F"}]), ["ward"])


def test_given_diagnoses_are_kept_once_by_their_name() -> None:
    cases = {case.id: case for case in read_cases(Source("f", [{"id": "1"}]))}
    row = {"id": "1", "predicted_ddx": ["Asthma", "asthma", "Croup"]}
    found = read_responses(Source("m", [row]), cases)["1"][0]
    assert found.ddx == ("Asthma", "Croup")
    assert found.text is None and found.diagnosis is None


def test_an_empty_response_is_a_response() -> None:
    cases = {case.id: case for case in read_cases(Source("f", [{"id": "1"}]))}
    found = read_responses(Source("m", [{"id": "1", "response": ""}]), cases)["1"][0]
    assert found.text == ""


def test_the_layouts_are_told_apart_by_their_columns() -> None:
    assert layout_of(read_rows(FOLDER / "ddxplus_patients.csv")) == "ddxplus"
    assert layout_of(read_rows(FOLDER / "vlmevalkit_model.tsv")) == "vlmevalkit"
    assert layout_of(read_rows(FOLDER / "careful.jsonl")) == "own"


def test_ddxplus_patients_become_cases_with_codes() -> None:
    cases = load_cases(
        FOLDER / "ddxplus_patients.csv",
        ("sex",),
        conditions=FOLDER / "ddxplus_conditions.json",
        evidences=FOLDER / "ddxplus_evidences.json",
    )
    first = cases[0]
    assert first.id == "0" and first.groups == {"sex": ("F",)}
    assert first.diagnosis is not None
    assert (first.diagnosis.text, first.diagnosis.codes) == ("Bronchitis", ("J40",))
    # Six conditions in the file, the five likeliest are kept; pneumonia has two codes.
    assert [d.text for d in first.ddx] == [
        "Bronchitis", "Pneumonia", "Tuberculosis", "Bronchiectasis", "Acute pulmonary edema"
    ]  # fmt: skip
    assert first.ddx[1].codes == ("J17", "J18")
    assert first.case == (
        "Sex: F. Age: 45. Evidence: Is your temperature raised? yes; Are you coughing? yes."
    )
    assert "Where does it hurt? right calf" in cases[2].case


def test_ddxplus_orders_the_differential_by_probability() -> None:
    row = {
        "PATHOLOGY": "b", "EVIDENCES": "[]", "SEX": "M", "AGE": 3,
        "DIFFERENTIAL_DIAGNOSIS": "[['a', 0.1], ['b', 0.7], ['c', 0.2]]",
    }  # fmt: skip
    conditions = {name: {"icd10-id": "J40"} for name in "abc"}
    made = from_ddxplus(Source("f", [row]), conditions, most=2)
    assert [entry["diagnosis"] for entry in made.rows[0]["ddx"]] == ["b", "c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"PATHOLOGY": "Gout"}, "f, row 1: no condition 'Gout'"),
        ({"DIFFERENTIAL_DIAGNOSIS": "[['a']]"}, "not .condition, probability"),
        ({"DIFFERENTIAL_DIAGNOSIS": "{'a': 1}"}, "DIFFERENTIAL_DIAGNOSIS is not a list"),
        ({"EVIDENCES": "['E_1'"}, "EVIDENCES is not a list"),
    ],
)
def test_bad_patients_name_their_row(change: dict[str, str], message: str) -> None:
    row = {"PATHOLOGY": "a", "EVIDENCES": "[]", "DIFFERENTIAL_DIAGNOSIS": "[['a', 1.0]]"} | change
    with pytest.raises(InputError, match=message):
        from_ddxplus(Source("f", [row]), {"a": {"icd10-id": "J40"}})


def test_ddxplus_without_conditions_says_which_file_is_missing() -> None:
    with pytest.raises(UsageError, match="release_conditions.json with --conditions"):
        load_cases(FOLDER / "ddxplus_patients.csv")


def test_vlmevalkit_tables_become_cases_and_responses() -> None:
    cases = load_cases(FOLDER / "vlmevalkit_questions.tsv")
    assert cases[0].options == {"A": "liver", "B": "spleen", "C": "kidney", "D": "lung"}
    assert cases[0].letters == ("D",) and cases[0].groups == {"category": ("anatomy",)}
    responses = load_responses([f"vl={FOLDER / 'vlmevalkit_model.tsv'}"], cases)
    # The right answer that stands in the same row is not taken for the model's.
    assert responses["vl"]["2"][0].answer == "The answer is C."
    model = FOLDER / "vlmevalkit_model.tsv"
    files = hashes_of(FOLDER / "vlmevalkit_questions.tsv", [("vl", model)])
    assert list(files) == ["vlmevalkit_model.tsv", "vlmevalkit_questions.tsv"]


def test_a_spreadsheet_of_vlmevalkit_reads_as_its_text_form(tmp_path: Path) -> None:
    import openpyxl

    with (FOLDER / "vlmevalkit_model.tsv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append([int(cell) if cell.isdigit() else cell for cell in line])
    path = tmp_path / "model.xlsx"
    book.save(path)
    cases = load_cases(path)
    assert cases == load_cases(FOLDER / "vlmevalkit_model.tsv")
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04 no book")
    with pytest.raises(InputError, match="bad.xlsx cannot be read as a spreadsheet"):
        read_rows(tmp_path / "bad.xlsx")


def test_images_of_vlmevalkit_stay_for_the_models_under_test() -> None:
    made = from_vlmevalkit(Source("f", [{"index": 1, "question": "q", "image": "/9j/4AAQ"}]))
    assert made.rows == [{"question": "q", "id": 1, "image": "/9j/4AAQ"}]
    [case] = read_cases(made)
    assert "9j" not in repr(case)


def test_a_column_model_tells_several_models_in_one_file_apart(tmp_path: Path) -> None:
    (case,) = read_cases(Source("f", [{"id": "1"}]))
    path = tmp_path / "both.json"
    rows = [{"id": "1", "model": name, "response": name} for name in ("x", "y")]
    path.write_text(json.dumps(rows))
    responses = load_responses([str(path)], (case,))
    assert list(responses) == ["x", "y"]
    with pytest.raises(UsageError, match="two response files for the model 'x'"):
        load_responses([str(path), str(path)], (case,))
