from dxjudge.agents.generate_ddx import GENERATE_DDX

from .scripted import ask_step, example_rows

PATIENT = {
    "sex": "female",
    "age": 44,
    "evidence": [
        {"question": "Are you short of breath?", "answer": "Yes, suddenly"},
        {"question": "Hormones?", "answer": "The pill"},
    ],
}
FIVE = ["pulmonary embolism", "pneumonia", "pneumothorax", "pericarditis", "asthma"]


def test_five_diagnoses_in_order() -> None:
    outcome, seen = ask_step(GENERATE_DDX, PATIENT, {"diagnoses": FIVE})
    assert outcome.value.diagnoses == tuple(FIVE)
    assert "- Are you short of breath? Yes, suddenly\n- Hormones? The pill" in seen[0].user


def test_temperature_and_token_limit_are_those_of_the_paper() -> None:
    _, seen = ask_step(GENERATE_DDX, PATIENT, {"diagnoses": FIVE})
    assert seen[0].body["temperature"] == 0.1
    assert seen[0].body.get("max_completion_tokens", seen[0].body.get("max_tokens")) == 1024


def test_four_six_repeated_or_blank_diagnoses_go_back() -> None:
    wrong = [
        FIVE[:4],
        [*FIVE, "gout"],
        [*FIVE[:4], "Pulmonary Embolism"],
        [*FIVE[:4], "PE"],
        [*FIVE[:4], " "],
    ]
    for answer in wrong:
        outcome, seen = ask_step(GENERATE_DDX, PATIENT, {"diagnoses": answer}, {"diagnoses": FIVE})
        assert outcome.repairs == 1, answer
        assert len(seen) == 2


def test_without_evidence_there_is_nothing_to_diagnose() -> None:
    outcome, seen = ask_step(GENERATE_DDX, [{**PATIENT, "evidence": []}], {"diagnoses": FIVE})
    assert outcome[0].kind == "input"
    assert seen == []


def test_every_example_patient_is_a_valid_input() -> None:
    for row in example_rows("patients.jsonl"):
        inputs = {name: row[name] for name in GENERATE_DDX.input.model_fields}
        typed = GENERATE_DDX.read_input(inputs)
        GENERATE_DDX.load_prompt().render(GENERATE_DDX.values(typed))
