"""The example data: complete, coded, with the hard cases, and usable by every step."""

from collections import Counter
from typing import Any

import pytest

from dxjudge.agents.step import Step
from dxjudge.agents.steps import find_step
from dxjudge.ontology.tree import load_tree

from .scripted import example_rows

CASES = list(example_rows("cases.jsonl"))
FIELDS: dict[str, Any] = {
    "id": str,
    "specialty": str,
    "language": str,
    "case": str,
    "reference": str,
    "diagnosis": str,
    "codes": list,
    "ddx": list,
    "response": str,
    "response_diagnosis": (str, type(None)),
    "response_ddx": list,
    "correct": (bool, type(None)),
    "features": list,
}


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_every_case_is_complete_and_coded(row: Any) -> None:
    assert list(row) == list(FIELDS)
    assert all(isinstance(row[name], kind) for name, kind in FIELDS.items())
    assert all(len(row[name]) > 60 for name in ("case", "reference") if row["language"] != "zh")
    assert len(row["ddx"]) >= 3
    tree = load_tree()
    codes = [*row["codes"], *(code for entry in row["ddx"] for code in entry["codes"])]
    assert row["codes"] and all(tree.contains(code) for code in codes)
    names = [entry["diagnosis"] for entry in row["ddx"]]
    assert row["diagnosis"] not in names and len(set(names)) == len(names)
    assert (row["correct"] is None) == (row["response_diagnosis"] is None)
    if row["correct"]:
        assert "correct" in row["features"]


def test_there_are_enough_cases_of_enough_kinds() -> None:
    assert len(CASES) >= 44
    assert len({row["id"] for row in CASES}) == len(CASES)
    assert len({row["specialty"] for row in CASES}) >= 15
    features = Counter(feature for row in CASES for feature in row["features"])
    for feature in (
        "hedged",
        "negated",
        "ruled-out",
        "two-finals",
        "non-english",
        "abbreviations",
        "refusal",
        "empty",
        "broken",
        "injection",
        "correct",
        "near-miss",
        "sibling-code",
        "wrong",
        "invented-labs",
        "synonym",
        "lead-in-words",
    ):
        assert features[feature] >= 1, feature
    assert {row["language"] for row in CASES} >= {"en", "es", "de", "fr", "zh"}
    assert features["correct"] >= 20 and features["wrong"] >= 6


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("options.jsonl", "match_option"),
        ("pairs.jsonl", "score_free_answer"),
        ("open_answers.jsonl", "score_open_answer"),
        ("patients.jsonl", "generate_ddx"),
        ("texts.jsonl", "assign_category"),
    ],
)
def test_the_small_files_are_inputs_of_their_steps(name: Any, step: Step[Any, Any]) -> None:
    rows = list(example_rows(name))
    found = find_step(step)
    assert len(rows) >= 8
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        given = {key: row[key] for key in found.input.model_fields if key in row}
        found.read_input(given)


def test_gold_options_and_scores_are_possible() -> None:
    for row in example_rows("options.jsonl"):
        assert set(row["letters"]) <= set(row["options"])
        assert row["multiple"] or len(row["letters"]) <= 1
    assert {row["score"] for row in example_rows("open_answers.jsonl")} == {0, 0.5, 1}
    assert {row["choice"] for row in example_rows("pairs.jsonl")} == {"A", "B", None}
    tree = load_tree()
    for row in example_rows("patients.jsonl"):
        assert all(tree.contains(code) for code in row["codes"])
