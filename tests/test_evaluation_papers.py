"""The output forms of the papers are read by code, without a model and with one."""

import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.errors import InputError
from dxjudge.evaluation.cases import Source, read_cases, read_responses
from dxjudge.evaluation.cells import listed_diagnoses

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer
from .test_evaluation_run import responses, rows_of, run

pytestmark = pytest.mark.usefixtures("one_picture")

SMALL = ("--resamples", 20)


def pairs(names: str) -> list[dict[str, Any]]:
    """Two items for each letter: the true answers are A and B."""
    return [
        {"id": f"{name}{half}", "pair": name, "question": "Which side?", "A": "left",
         "B": "right", "answer": "AB"[half], "category": ["Chest", "O'Neill \"head\""][: 1 + half]}
        for name in names for half in (0, 1)
    ]  # fmt: skip


def answers(of: dict[str, str]) -> list[dict[str, Any]]:
    return [{"id": name, "response": text} for name, text in of.items()]


SENTENCES = {
    "p0": 'A")', "p1": "The answer is B.",  # both right
    "q0": "A: left, since the shadow is there.", "q1": 'The option is ("A").',  # the same option
    "r0": "(A)", "r1": "B",  # the authors' rule reads no letter in (A): invalid
    "s0": "I cannot tell.", "s1": "A. Or B.",  # two invalid answers
}  # fmt: skip


def test_sentences_around_a_letter_are_read_as_the_authors_read_them(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", pairs("pqrs"))
    model = responses(tmp_path, "m", answers(SENTENCES))
    options = ("--preset", "mediconfusion", "--answer-form", "letter", *SMALL)
    done = run(cases, model, "-o", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output  # an invalid answer is no failure
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # Set: p of 4 pairs. Items: p0, p1, q0, r1 of 8. Confusion: q of the pairs p and q.
    assert (row["Set accuracy"], row["Individual accuracy"]) == ("0.25", "0.5")
    assert row["Confusion"] == "0.5"
    numbers = {
        one["metric"]: one
        for one in rows_of(tmp_path / "out" / "summary.csv")
        if not one["group_by"]
    }
    # Invalid counts items: r0, s0 and s1. Confusion is over the pairs without them.
    assert numbers["individual_accuracy"]["n"] == "8"
    assert numbers["set_accuracy"]["n"] == "4"
    assert {numbers[name]["invalid"] for name in ("individual_accuracy", "set_accuracy")} == {"3"}
    assert (numbers["confusion"]["n"], numbers["confusion"]["failed"]) == ("2", "0")


def test_a_judge_is_not_asked_about_a_letter_and_is_asked_about_a_free_answer(
    tmp_path: Path,
) -> None:
    cases = responses(tmp_path, "cases", pairs("pqrs"))
    rows = answers(SENTENCES)
    for row in rows[:6]:
        row["answer_form"] = "letter"
    model = responses(tmp_path, "m", rows)
    with ProtocolServer(make_judge()) as server:
        done = run(
            cases, model, "-o", tmp_path / "out", "--preset", "mediconfusion", *SMALL,
            "--judge", server.judge(),
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        assert len(server.seen) == 2  # s0 and s1
        assert all("cannot tell" in one.user or "Or B" in one.user for one in server.seen)


def test_a_table_of_scores_has_one_row_for_each_pair(tmp_path: Path) -> None:
    cases = responses(tmp_path, "cases", pairs("pqrs"))
    model = responses(tmp_path, "m", answers(SENTENCES))
    options = ("--preset", "mediconfusion", "--answer-form", "letter", *SMALL)
    run(cases, model, "-o", tmp_path / "out", *options)
    rows = rows_of(tmp_path / "out" / "scores.csv")
    units = {
        metric: [row["unit"] for row in rows if row["metric"] == metric]
        for metric in ("set_accuracy", "confusion", "individual_accuracy")
    }
    assert units["set_accuracy"] == ["p", "q", "r", "s"]
    assert units["confusion"] == ["p", "q"]
    assert units["individual_accuracy"] == list(SENTENCES)
    status = {row["unit"]: row["status"] for row in rows if row["metric"] == "set_accuracy"}
    assert status == {"p": "done", "q": "done", "r": "invalid", "s": "invalid"}


def test_the_order_of_the_rows_does_not_change_the_numbers(tmp_path: Path) -> None:
    kept = dict(list(SENTENCES.items())[::2])  # half the answers are missing
    for name, order in (("one", 1), ("two", -1)):
        folder = tmp_path / name
        folder.mkdir()
        cases = responses(folder, "cases", pairs("pqrs")[::order])
        model = responses(folder, "m", answers(kept)[::order])
        run(
            cases, f'it"s={model}', "-o", folder / "out", "--preset", "mediconfusion",
            "--answer-form", "letter", *SMALL,
        )  # fmt: skip
    for table in ("main_table.csv", "groups.csv"):
        first, second = (
            [{**row, "signature": ""} for row in rows_of(tmp_path / name / "out" / table)]
            for name in ("one", "two")
        )
        assert first == second, table


def test_prefix_scores_need_no_sum_of_one(tmp_path: Path) -> None:
    # The score of an option is the geometric mean of its tokens' probabilities: any numbers.
    scores = {"p0": (0.3, 0.2), "p1": (0.1, 0.4), "q0": (-12.5, -14.0), "q1": (-3.0, -9.0)}
    rows = [{"id": name, "scores": {"A": a, "B": b}} for name, (a, b) in scores.items()]
    cases = responses(tmp_path, "cases", pairs("pq"))
    out = tmp_path / "out"
    done = run(cases, responses(tmp_path, "m", rows), "-o", out, "--preset", "mediconfusion")
    assert done.exit_code == 0, done.output
    row = rows_of(out / "main_table.csv")[0]
    # p: A and B, both right. q: A and A. Items: 3 of 4.
    assert [row[name] for name in ("Set accuracy", "Individual accuracy", "Confusion")] == [
        "0.5", "0.75", "0.5",
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ['{"A": "high"}', "A", {"A": float("nan"), "B": 1}])
def test_scores_that_are_not_numbers_are_an_error_that_names_the_row(cell: Any) -> None:
    case = read_cases(Source("cases", [{"id": "1", "question": "q", "answer": "x"}]))[0]
    with pytest.raises(InputError, match="m, row 1"):
        read_responses(Source("m", [{"id": "1", "scores": cell}]), {"1": case})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("psoriasis | lichen planus | eczema", ["psoriasis", "lichen planus", "eczema"]),
        ('{"diagnoses": ["gout, acute", "asthma"]}', ["gout, acute", "asthma"]),
        ('["gout", "Crohn\'s disease"]', ["gout", "Crohn's disease"]),
        ('```json\n{"diagnoses": ["gout", "asthma"]}\n```', ["gout", "asthma"]),
        ('```\n["gout"]\n```', ["gout"]),
        ("psoriasis", None),
        ("gout, asthma", None),
        ("It is gout. | It may be asthma.", None),
        ("| case | diagnosis |\n|---|---|\n| 1 | gout |", None),
        ("Differential: gout | asthma", None),
        ("gout |", None),
        ("[1, 2]", None),
        ("[gout", None),
        ("", None),
        (None, None),
    ],
)
def test_a_response_that_is_only_a_list_needs_no_extraction(text: Any, names: Any) -> None:
    assert listed_diagnoses(text) == names


CASE = {
    "id": "1", "case": "A scaly plaque on the elbow.", "reference": "Psoriasis, by its scale.",
    "diagnosis": "psoriasis", "ddx": ["psoriasis", "eczema"], "question": "Which lesion?",
    "A": "plaque", "B": "wheal", "C": "scale", "answer": "A", "ability": "lesions",
}  # fmt: skip
FORMS: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "hddx": ([CASE], '{"diagnoses": ["psoriasis", "eczema"]}', "HDF1"),
    "dermcase": ([CASE], "psoriasis | eczema", "F1"),
    "medsyn": ([CASE], "The answer is A because of the border.", "FDx accuracy"),
    "mediconfusion": (pairs("p"), "The answer is A.", "Set accuracy"),
    "medlesionvqa": ([{**CASE, "answer": "A,C"}], "Answer: AC", "Choice"),
}


@pytest.mark.parametrize("judged", [False, True], ids=["without a model", "with a model"])
@pytest.mark.parametrize("preset", FORMS)
def test_the_five_presets_read_what_the_papers_models_wrote(
    tmp_path: Path, preset: str, judged: bool
) -> None:
    cases, text, column = FORMS[preset]
    rows = [{"id": case["id"], "response": text} for case in cases]
    files = (responses(tmp_path, "cases", cases), responses(tmp_path, "m", rows))
    with ProtocolServer(make_judge()) as server:
        judge = ("--judge", server.judge()) if judged else ()
        done = run(*files, "-o", tmp_path / "out", "--preset", preset, *SMALL, *judge)
    # Without a model no rule finds the final diagnosis of DermCase, or the differential of MEDSYN.
    allowed = (0, 3) if preset in ("dermcase", "medsyn") else (0,)
    assert done.exit_code in allowed, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    assert float(row[column]) == (0 if preset == "mediconfusion" else 1)
    if preset in ("hddx", "dermcase"):
        rows = rows_of(tmp_path / "out" / "predictions.csv")
        texts = [one["text"] for one in rows if (one["model"], one["kind"]) == ("m", "ddx")]
        assert texts == ["psoriasis", "eczema"]


def test_the_table_of_mediconfusion_needs_no_conversion(tmp_path: Path) -> None:
    shared = {"question": "Which side?", "option_A": "left", "option_B": "right", "cap_1": "x"}
    rows = [
        {"id": 7, **shared, "im_1_correct": "B", "im_2_correct": "A",
         "category_1": "['Head', 'Chest']", "category_2": "['Chest']"},
        {"id": 8, **shared, "im_1_correct": "A", "im_2_correct": "B",
         "category_1": "['Head']", "category_2": "['Spine']"},
    ]  # fmt: skip
    cases = responses(tmp_path, "dataset", rows)
    model = responses(tmp_path, "m", answers({"7-1": "B", "7-2": "A", "8-1": "A", "8-2": "A"}))
    done = run(cases, model, "-o", tmp_path / "out", "--preset", "mediconfusion", *SMALL)
    assert done.exit_code == 0, done.output
    assert "nothing reads" not in done.stderr
    numbers = {
        (row["metric"], row["group"]): (float(row["value"]), row["n"])
        for row in rows_of(tmp_path / "out" / "groups.csv")
    }
    # Images: 7-1 in Head and Chest, 7-2 in Chest, 8-1 in Head, 8-2 (wrong) in Spine.
    assert numbers["individual_accuracy", "Chest"] == (1, "2")
    assert numbers["individual_accuracy", "Head"] == (1, "2")
    assert numbers["individual_accuracy", "Spine"] == (0, "1")
    # A pair counts once for each of its images in the category: Head has 7 (right), 8 (wrong).
    assert numbers["set_accuracy", "Chest"] == (1, "1")
    assert numbers["set_accuracy", "Head"] == (0.5, "2")
    assert numbers["confusion", "Spine"] == (1, "1")


def test_what_the_scripts_of_mediconfusion_write_needs_no_conversion(tmp_path: Path) -> None:
    shared = {"question": "Which side?", "option_A": "left", "option_B": "right"}
    half = {"category_1": ["Head"], "category_2": ["Spine"]}
    dataset = {
        "7": {**shared, **half, "im_1_correct": "B", "im_2_correct": "A"},
        "8": {**shared, **half, "im_1_correct": "A", "im_2_correct": "B"},
    }
    texts = {"7": ("B.", "A"), "8": ('B")', "It's B.")}
    written: dict[str, Any] = {
        pair: {"answer": {f"im{at}": {"full_answer": text, "A": 0, "B": 0}
                          for at, text in enumerate(both, 1)},
               "score": {"set_score": {"total": 0}}}
        for pair, both in texts.items()
    }  # fmt: skip
    cases, model = tmp_path / "dataset.json", tmp_path / "gpt_mc.json"
    cases.write_text(json.dumps(dataset))
    model.write_text(json.dumps(written))
    options = ("--preset", "mediconfusion", "--answer-form", "letter", *SMALL)
    done = run(cases, model, "-o", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output
    row = rows_of(tmp_path / "out" / "main_table.csv")[0]
    # 7 is right, 8 is B twice: one of two pairs, three of four items.
    assert (row["Set accuracy"], row["Individual accuracy"]) == ("0.5", "0.75")
    written["8"]["answer"].pop("im2")
    model.write_text(json.dumps(written))
    done = run(cases, model, "-o", tmp_path / "out", *options)
    assert isinstance(done.exception, InputError)
    assert "row 2: im2 has no full_answer" in str(done.exception)


def test_a_pair_of_mediconfusion_without_an_id_names_its_row(tmp_path: Path) -> None:
    row = {"id": "", "question": "q", "option_A": "x", "option_B": "y", "im_1_correct": "A",
           "im_2_correct": "B", "category_1": "[]", "category_2": "[]"}  # fmt: skip
    cases = responses(tmp_path, "dataset", [row])
    done = run(cases, cases, "-o", tmp_path / "out", "--preset", "mediconfusion")
    assert isinstance(done.exception, InputError)
    assert "row 1: the id is missing" in str(done.exception)
