"""What an evaluation must not pass over in silence: columns, codes, probabilities, commas."""

import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run as run_command
from dxjudge.errors import InputError, NoVerdict
from dxjudge.evaluation.cases import Source, read_cases, read_responses
from dxjudge.evaluation.cells import read_predictions
from dxjudge.evaluation.unread import unread_in_responses

from .protocol_server import ProtocolServer, fail
from .test_evaluation_run import responses, rows_of, run

pytestmark = pytest.mark.usefixtures("one_picture")

CASES = [{"id": f"c{n}", "diagnosis": "asthma", "ddx": ["asthma", "gout"]} for n in range(3)]


def test_a_column_that_nothing_reads_is_named_with_the_likely_one(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", CASES)
    wrong = [{"id": f"c{n}", "predictions": ["asthma"]} for n in range(3)]
    done = run(cases, responses(tmp_path, "m", wrong), "-o", tmp_path / "out")
    assert isinstance(done.exception, InputError)
    assert "predictions (did you mean predicted_ddx?)" in str(done.exception)
    assert not (tmp_path / "out").exists()
    extra = [{"id": f"c{n}", "predicted_ddx": ["asthma"], "respons": "x"} for n in range(3)]
    done = run(cases, responses(tmp_path, "m", extra), "-o", tmp_path / "out", "--resamples", 20)
    assert done.exit_code == 0, done.output
    assert "m.jsonl: nothing reads the column respons (did you mean response?)" in done.stderr
    assert "nothing reads the column respons" in (tmp_path / "out" / "report.html").read_text()


def test_a_model_without_any_number_ends_with_an_error(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", CASES)
    good = responses(tmp_path, "good", [{"id": f"c{n}", "response": "Asthma."} for n in range(3)])
    config = tmp_path / "c.yaml"
    config.write_text("tasks: [judge_equivalence]\n")
    with ProtocolServer(lambda seen: fail(400, "rejected")) as server:
        done = run(
            cases, good, "-o", tmp_path / "out", "--config", config, "--judge", server.judge(),
            "--cache-mode", "off",
        )  # fmt: skip
    assert isinstance(done.exception, NoVerdict)
    assert "there is no number for good" in str(done.exception)
    assert done.exception.exit_code == 3  # not 1: nothing is wrong inside dxjudge
    named = {Path(name) for name in str(done.exception).partition("; see ")[2].split(" and ")}
    written = {tmp_path / "out" / name for name in ("verdicts.csv", "predictions.csv")}
    assert named == {path for path in written if path.exists()} != set()
    unread = responses(tmp_path, "unread", [{"id": "c0", "response": "Perhaps this, perhaps that"}])
    done = run(cases, unread, "-o", tmp_path / "rules", "--config", config)
    assert "rules alone decided: name a model with --judge" in str(done.exception)


def test_an_encoding_is_read_as_the_error_advises(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes("id,diagnosis\nc0,Ménière disease\n".encode("cp1252"))
    model = responses(tmp_path, "m", [{"id": "c0", "predicted_ddx": ["asthma"]}])
    done = run(path, model, "-o", tmp_path / "out")
    assert "--encoding cp1252" in str(done.exception)
    done = run(path, model, "-o", tmp_path / "out", "--encoding", "cp1252", "--resamples", 20)
    assert done.exit_code in (0, 3), done.output
    truth = {row["text"] for row in rows_of(tmp_path / "out" / "predictions.csv")}
    assert "Ménière disease" in truth


OPTIONS = {"A": "x", "B": "y", "C": "z"}


def distributions(sums: list[float]) -> list[dict[str, Any]]:
    rows = []
    for n, total in enumerate(sums):
        rows.append({"id": f"c{n}", "probabilities": {"A": 0.5, "B": 0.25, "C": total - 0.75}})
        rows.append({"id": f"c{n}", "probabilities": {"A": 1.0}, "withheld": "image"})
    return rows


def test_rounded_probabilities_are_scaled_and_worse_ones_fail_alone(tmp_path: Path) -> None:
    cases = [{"id": f"c{n}", "diagnosis": "asthma", "options": OPTIONS, "answer": "A"}
             for n in range(3)]  # fmt: skip
    config = tmp_path / "c.yaml"
    config.write_text("tasks: [evidence_sensitivity]\n")
    done = run(
        responses(tmp_path, "cases", cases),
        responses(tmp_path, "m", distributions([1.0, 0.9999, 0.9])),
        "-o", tmp_path / "out", "--config", config, "--preset", "medsyn", "--resamples", 20,
    )  # fmt: skip
    assert done.exit_code == 3, done.output
    assert "in 1 response the probabilities do not sum to 1 exactly, but within 0.01" in done.stderr
    assert "1 response, the first to case c2: its probabilities sum to 0.9, not to 1" in done.stderr
    scores = {row["unit"]: row["status"] for row in rows_of(tmp_path / "out" / "scores.csv")}
    assert scores == {"c0": "done", "c1": "done", "c2": "failed"}


def test_a_sum_within_a_hundredth_is_what_rounding_leaves() -> None:
    case = read_cases(Source("f", [{"id": "c", "options": OPTIONS, "answer": "A"}]))[0]
    row = {"id": "c", "probabilities": {"A": 0.33, "B": 0.33, "C": 0.33}}
    held = read_responses(Source("m", [row]), {"c": case})["c"][0]
    # 0.33 / 0.99 is a third.
    assert held.probabilities == pytest.approx({"A": 1 / 3, "B": 1 / 3, "C": 1 / 3})
    assert held.scaled and not held.fault


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ('{"diagnoses": ["Gout", "Asthma, allergic"]}', ["Gout", "Asthma, allergic"]),
        ("Gout | Asthma | Croup", ["Gout", "Asthma", "Croup"]),
        ("Gout; Asthma, allergic", ["Gout", "Asthma, allergic"]),
        ('["Asthma, allergic"]', ["Asthma, allergic"]),
        (["Asthma, allergic"], ["Asthma, allergic"]),
        ("1. Gout 2. Asthma", ["Gout", "Asthma"]),
        ("Gout", ["Gout"]),
    ],
)
def test_predictions_are_read_in_the_forms_of_the_papers(cell: Any, names: list[str]) -> None:
    assert read_predictions(cell, "row 1") == names


def test_commas_alone_are_a_question_to_the_user() -> None:
    rows = [{"id": "c0", "predicted_ddx": "gout, asthma"}]
    case = read_cases(Source("f", CASES[:1]))[0]
    with pytest.raises(InputError, match="row 1, predicted_ddx: 'gout, asthma' has commas"):
        read_responses(Source("m.csv", rows), {"c0": case})


def test_what_a_step_wrote_about_differentials_is_read(tmp_path: Path) -> None:
    said = {"c0": ["asthma", "gout"], "c1": None, "c2": []}  # c1 failed, c2 has no diagnosis
    table = tmp_path / "texts.csv"
    table.write_text("id,text\n" + "".join(f"{case},the text of {case}\n" for case in said))

    def model(seen: Any) -> Any:
        names = next(names for case, names in said.items() if case in seen.user)
        return "no" if names is None else {"diagnoses": names}

    with ProtocolServer(model) as server:
        judged = ["judge", "extract_ddx", str(table), "-o", str(tmp_path / "m.csv"), "-q"]
        assert run_command([*judged, "--judge", server.judge(), "--cache-mode", "off"]) == 3
    written = rows_of(tmp_path / "m.csv")
    assert [row["status"] for row in written] == ["done", "failed", "abstained"]
    known = {one.id: one for one in read_cases(Source("f", CASES))}
    read = read_responses(Source("m.csv", written), known)
    assert [read[case][0].ddx for case in said] == [("asthma", "gout"), None, ()]
    assert unread_in_responses(Source("m.csv", [{"id": "c0", "diagnoses": "gout"}]), ()) == ""


def test_a_response_that_is_a_list_of_diagnoses_needs_no_extraction(tmp_path: Path) -> None:
    said = json.dumps({"diagnoses": ["Asthma", "Gout"]})
    model = responses(tmp_path, "m", [{"id": f"c{n}", "response": said} for n in range(3)])
    done = run(responses(tmp_path, "cases", CASES), model, "-o", tmp_path / "out", "--preset",
               "hddx", "--resamples", 20)  # fmt: skip
    assert done.exit_code == 0, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    assert (row["HDF1"], row["Top-1"]) == ("1.0", "1.0")


def test_a_true_code_that_does_not_exist_is_an_error_or_a_listed_exclusion(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "diagnosis": "asthma", "codes": ["J45", "XX9"][n == 1]}
            for n in range(3)]  # fmt: skip
    cases = responses(tmp_path, "cases", rows)
    model = responses(
        tmp_path, "m", [{"id": f"c{n}", "predicted_ddx": ["asthma"]} for n in range(3)]
    )
    config = tmp_path / "settings.yaml"
    config.write_text("tasks: [map_to_icd10]\n")
    done = run(cases, model, "-o", tmp_path / "out")
    assert isinstance(done.exception, InputError)
    assert "case 'c1', row 2: 'XX9' is not a code of" in str(done.exception)
    assert not (tmp_path / "out").exists()
    done = run(
        cases, model, "-o", tmp_path / "out", "--unknown-codes", "exclude", "--resamples", 20,
        "--config", config,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "left out: case c1: 'XX9' is not a code of" in done.stderr
    assert rows_of(tmp_path / "out" / "main_table.csv")[0]["n"] == "2"


def test_an_answer_of_probabilities_alone_is_the_likeliest_option(tmp_path: Path) -> None:
    cases = [
        {"id": f"{pair}{half}", "pair": pair, "question": "Which?", "A": "x", "B": "y",
         "answer": "AB"[half]}
        for pair in ("p", "q", "r") for half in (0, 1)
    ]  # fmt: skip
    likely = {"p0": 0.9, "p1": 0.2, "q0": 0.8, "q1": 0.7, "r0": 0.5, "r1": 0.4}
    rows = [{"id": name, "probabilities": {"A": a, "B": 1 - a}} for name, a in likely.items()]
    done = run(
        responses(tmp_path, "cases", cases), responses(tmp_path, "m", rows), "-o",
        tmp_path / "out", "--preset", "mediconfusion", "--resamples", 20,
    )  # fmt: skip
    assert done.exit_code == 3, done.output  # r0 has no likeliest option
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # Pairs: p both right, q A and A, r unresolved half and B right. Items: 2 + 1 + 1 of 5.
    assert (row["Set accuracy"], row["Individual accuracy"]) == ("0.5", "0.8")
    assert row["Confusion"] == "0.5"  # one of the two pairs with two valid choices
