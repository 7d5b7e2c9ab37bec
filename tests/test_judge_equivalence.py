from typing import Any

import pytest

from dxjudge.agents.judge_equivalence import (
    JUDGE_EQUIVALENCE,
    JUDGE_EQUIVALENCE_CORRECT,
    MappedCode,
    with_ontology,
)
from dxjudge.agents.outcome import Failed, read_outcome, write_outcome
from dxjudge.graphs.step import run_step_sync

from .scripted import ask_step, settle

PAIR = {"predicted": "shingles", "truth": "herpes zoster"}
CODES = {
    "shingles": MappedCode("B02.9", "Zoster without complications"),
    "herpes zoster": MappedCode("B02.9", "Zoster without complications"),
    "gout": MappedCode("M10.9", "Gout, unspecified"),
    "embolism": MappedCode("I26", "Pulmonary embolism"),
    "acute embolism": MappedCode("I26.99", "Other pulmonary embolism"),
    "necrolytic migratory erythema": MappedCode("L53.8", "Other specified erythematous conditions"),
    "erythema gyratum repens": MappedCode("L53.8", "Other specified erythematous conditions"),
}


@pytest.mark.parametrize(("said", "verdict"), [("yes", True), ("no", False)])
def test_yes_and_no(said: Any, verdict: Any) -> None:
    outcome, seen = ask_step(JUDGE_EQUIVALENCE, PAIR, {"same_disease": said})
    assert outcome.value.equivalent is verdict
    assert "the causing organism" in seen[0].texts[0]
    assert "synonym, eponym" in seen[0].texts[0]


@pytest.mark.parametrize(("said", "verdict"), [("Correct", True), ("Incorrect", False)])
def test_correct_and_incorrect(said: Any, verdict: Any) -> None:
    outcome, seen = ask_step("judge_equivalence.correct", PAIR, {"verdict": said})
    assert outcome.value.equivalent is verdict
    assert outcome.step == "judge_equivalence"
    assert "Mark the candidate's diagnosis." in seen[0].user


def test_the_two_styles_have_different_prompts() -> None:
    assert JUDGE_EQUIVALENCE.load_prompt().hash != JUDGE_EQUIVALENCE_CORRECT.load_prompt().hash


@pytest.mark.parametrize("answer", [{"same_disease": "maybe"}, {"same_disease": None}, {}, "yes!"])
def test_anything_else_is_no_verdict(answer: Any) -> None:
    outcome, _ = ask_step(JUDGE_EQUIVALENCE, PAIR, answer)
    assert outcome.status == "failed"


@pytest.mark.parametrize(
    ("predicted", "truth"),
    [
        ("Gout", "gout."),
        ("Crohn's disease", "Crohn disease"),
        ("TTP", "thrombotic thrombocytopenic purpura"),
        ("haemolytic anaemia", "Hemolytic Anemia"),
        ("Guillain–Barré syndrome", "guillain barre syndrome"),
    ],
)
def test_equal_wording_is_equivalent_without_a_model(predicted: Any, truth: Any) -> None:
    outcome = settle(JUDGE_EQUIVALENCE, {"predicted": predicted, "truth": truth})
    assert (outcome.value.equivalent, outcome.decided_by) == (True, "rules")


def test_different_wording_decides_nothing() -> None:
    assert settle(JUDGE_EQUIVALENCE, PAIR).kind == "undecided"


def test_an_empty_prediction_is_not_a_wrong_one() -> None:
    outcome, seen = ask_step(
        JUDGE_EQUIVALENCE, {"predicted": " ", "truth": "gout"}, {"same_disease": "no"}
    )
    assert outcome.status == "abstained"
    assert seen == []


def test_the_same_code_is_equivalent() -> None:
    step = with_ontology(JUDGE_EQUIVALENCE, CODES.get)
    outcome = settle(step, PAIR, "auto")
    assert (outcome.value.equivalent, outcome.decided_by) == (True, "ontology")


def test_different_codes_decide_only_where_asked() -> None:
    pair = {"predicted": "gout", "truth": "herpes zoster"}
    assert settle(with_ontology(JUDGE_EQUIVALENCE, CODES.get), pair, "ontology").kind == "undecided"
    both_ways = with_ontology(JUDGE_EQUIVALENCE, CODES.get, decide_different=True)
    assert settle(both_ways, pair, "ontology").value.equivalent is False


def test_a_code_for_other_diseases_decides_nothing() -> None:
    pair = {"predicted": "erythema gyratum repens", "truth": "necrolytic migratory erythema"}
    step = with_ontology(JUDGE_EQUIVALENCE, CODES.get, decide_different=True)
    assert settle(step, pair, "ontology").kind == "undecided"


def test_a_code_and_one_above_it_decide_nothing() -> None:
    step = with_ontology(JUDGE_EQUIVALENCE, CODES.get, decide_different=True)
    pair = {"predicted": "acute embolism", "truth": "embolism"}
    assert settle(step, pair, "ontology").kind == "undecided"


def test_a_diagnosis_without_a_code_decides_nothing() -> None:
    step = with_ontology(JUDGE_EQUIVALENCE, CODES.get, decide_different=True)
    pair = {"predicted": "zebra disease", "truth": "gout"}
    assert settle(step, pair, "ontology").kind == "undecided"
    outcome, _ = ask_step(step, pair, {"same_disease": "no"}, engine="auto")
    assert (outcome.value.equivalent, outcome.decided_by) == (False, "llm")


def test_a_failed_item_has_no_decider_also_in_a_record_of_an_earlier_version() -> None:
    inputs = {"predicted": "gout", "truth": "flu"}
    failed = run_step_sync("judge_equivalence", inputs, engine="rules")
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.decided_by) == ("undecided", "none")
    assert failed.reasons == ("code and rules did not decide, and no judge was given",)
    record = {**write_outcome(failed), "decided_by": "rules"}
    assert read_outcome(record) == failed
