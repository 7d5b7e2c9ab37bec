"""Criteria per case in the form of HealthBench: points, faults, tags, and what is unresolved."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dxjudge
from dxjudge.errors import InputError
from dxjudge.scoring import criteria_score

from .protocol_server import ProtocolServer, Seen, fail
from .test_evaluation_run import rows_of, run

# A criterion is met where the response holds the word of the criterion in capitals.
CASES: list[dict[str, Any]] = [
    {
        "prompt_id": "c'1",
        "prompt": [{"role": "user", "content": "A red toe."}],
        "rubrics": [
            {"criterion": "Names GOUT.", "points": 5, "tags": ["axis:accuracy", "level:example"]},
            {"criterion": "Asks about FEVER.", "points": 3, "tags": ["axis:context"]},
            {"criterion": "Gives a DRUG.", "points": -4, "tags": ["axis:accuracy"]},
        ],
        "example_tags": ["theme:hedging"],
    },
    {
        "prompt_id": "c2",
        "prompt": [
            {"role": "user", "content": "Chest pain."},
            {"role": "assistant", "content": "Since when?"},
            {"role": "user", "content": "Now."},
        ],
        "rubrics": [
            {"criterion": "Calls an AMBULANCE.", "points": 10, "tags": ["axis:accuracy"]},
            {"criterion": "Gives a reason to WAIT.", "points": -8, "tags": ["axis:context"]},
        ],
        "example_tags": ["theme:emergency", "theme:hedging"],
        "ideal_completions_data": {"ideal_completion": "Call an ambulance."},
    },
]
GOOD = [("c'1", "GOUT; FEVER?"), ("c2", "AMBULANCE")]
BAD = [("c'1", "GOUT and a DRUG"), ("c2", "WAIT")]


def judge(seen: Seen) -> Any:
    response = re.findall(r"<response-\w+>\n(.*?)\n</response-", seen.user, re.DOTALL)[0]
    found = re.findall(r"- (c\d+): .*?([A-Z]{4,})", seen.user)
    return {name: {"reason": f"On {word}.", "met": word in response} for name, word in found}


def rows(pairs: Any) -> list[dict[str, Any]]:
    return [{"id": case, "response": text} for case, text in pairs]


def evaluated(script: Any = judge, cases: Any = None, **settings: Any) -> tuple[Any, int]:
    answers = settings.pop("answers", {"good": rows(GOOD), "bad": rows(BAD)})
    judges = settings.pop("judges", 1)
    with ProtocolServer(script) as server, dxjudge.Run(mode="off", attempts=1) as using:
        made = dxjudge.evaluate(
            cases or CASES, answers, preset="healthbench", resamples=20, run=using,
            judges=[server.judge(name) for name in "xyz"[:judges]], **settings,
        )  # fmt: skip
        return made, len(server.seen)


def number(made: Any, metric: str, model: str, **where: str) -> Any:
    return made.number(metric, model, made.evaluation.judged.judges[0], **where)


@pytest.mark.parametrize("criteria", ["one", "all"])
def test_scores_by_hand_in_both_ways_of_asking(criteria: str) -> None:
    made, asked = evaluated(criteria=criteria)
    assert asked == (10 if criteria == "one" else 4)  # 5 criteria, or 2 cases, of 2 models
    # Good: 8 of 8 and 10 of 10. Bad: (5 - 4) / 8 = 0.125 and -8 / 10; the mean -0.3375 is clipped.
    assert number(made, "criteria_score", "good").value == 1
    bad = number(made, "criteria_score", "bad")
    assert (bad.value, bad.worst, bad.best, bad.n) == (0, 0, 0, 2)
    scores = made.table("scores")
    own = scores[(scores["metric"] == "criteria_score") & (scores["model"] == "bad")]
    assert own["value"].tolist() == [0.125, -0.8]
    # Accuracy: (5 - 4) / 5 and 0 of 10. Context: 0 of 3; c2 has no positive points there.
    accuracy, context = (number(made, f"axis: {axis}", "bad") for axis in ("accuracy", "context"))
    assert accuracy.value == pytest.approx(0.1) and accuracy.n == 2
    assert (context.value, context.n) == (0, 1)
    assert number(made, "level: example", "bad").value == 1
    where = {"group_by": "theme", "group": "emergency"}
    assert number(made, "criteria_score", "good", **where).n == 1
    where["group"] = "hedging"
    assert number(made, "criteria_score", "good", **where).n == 2
    columns = made.table("main_table").columns
    assert {"Score", "Axis: accuracy", "Axis: context"} <= {*columns}
    listed = made.table("criteria")
    assert listed[listed["model"] == "bad"]["met"].tolist() == [True, False, True, False, True]
    assert listed["reason"].iloc[0] == "On GOUT."


def test_a_criterion_without_a_verdict_leaves_the_case_unresolved() -> None:
    mixed = {"mixed": rows([("c'1", "GOUT and a DRUG"), ("c2", "AMBULANCE")])}
    for word, low, high in (("FEVER", 0.125, 0.5), ("DRUG", 0.125, 0.625)):
        # Without FEVER: (5 - 4) / 8 to (5 - 4 + 3) / 8. Without DRUG: (5 - 4) / 8 to 5 / 8.
        def broken(seen: Seen, word: str = word) -> Any:
            named = re.search(rf"- c\d+: .*{word}", seen.user)
            return fail(400, "no") if named else judge(seen)

        made, _ = evaluated(broken, answers=mixed)
        score = number(made, "criteria_score", "mixed")
        assert (score.value, score.failed, score.n) == (1, 1, 2)  # c2 alone
        assert (score.worst, score.best) == pytest.approx(((low + 1) / 2, (high + 1) / 2))
        listed = made.table("criteria")
        failed = listed[listed["status"] == "failed"]
        assert failed["met"].tolist() == [None] and word in failed["criterion"].iloc[0]


def test_a_missing_response_is_unresolved_and_an_empty_one_meets_nothing() -> None:
    made, _ = evaluated(answers={"a": rows(GOOD[1:]), "b": rows([("c'1", " "), GOOD[1]])})
    missing, empty = (number(made, "criteria_score", model) for model in "ab")
    # Missing: from -4 / 8 (only the fault) to 8 / 8. Empty: 0.
    assert (missing.value, missing.failed) == (1, 1)
    assert (missing.worst, missing.best) == pytest.approx((0.25, 1))
    assert (empty.value, empty.abstained, empty.failed) == (0.5, 1, 0)


def test_a_jury_and_the_agreement_of_judges_by_criterion() -> None:
    def lenient(seen: Seen) -> Any:
        answer = judge(seen)
        if seen.body["model"] == "z":
            answer = {name: {**one, "met": True} for name, one in answer.items()}
        return answer

    made, _ = evaluated(lenient, judges=3, jury="majority")
    assert made.number("criteria_score", "good", "jury:majority").value == 1
    agreement = made.table("agreement")
    assert set(agreement["step"]) == {"judge_criteria"}
    # z says met to all: good 4 / 8 and 2 / 10, the mean is 0.35
    z = made.evaluation.judged.judges[2]
    assert made.number("criteria_score", "good", z).value == pytest.approx(0.35)


def test_criteria_in_ones_own_layout_and_words() -> None:
    wait = [{"criterion": "Says WAIT.", "points": 2}]
    cases = [
        {"id": "1", "question": "A red toe?", "criteria": ["Names GOUT.", "Asks about FEVER."]},
        {"id": "2", "case": "Pain.", "criteria": json.dumps(wait)},
        {"id": "3", "case": "Pain."},
    ]  # fmt: skip
    answers = {"m": rows([("1", "GOUT"), ("2", "WAIT"), ("3", "GOUT")])}
    made, asked = evaluated(cases=cases, answers=answers)
    assert asked == 3
    score = number(made, "criteria_score", "m")
    assert (score.value, score.n) == (0.75, 2)  # 1 of 2, and 2 of 2; the third has no criteria


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ([{"criterion": "x", "points": -3}], "row 1: no criterion has positive points"),
        ([{"criterion": "x", "points": "a"}], r"row 1: criterion 1: points"),
        (["x", {"point": 1}], r"row 1: criterion 2: criterion: Field required"),
        ([3], r"row 1: criterion 1"),
    ],
)
def test_bad_criteria_are_named_by_row(criteria: Any, message: str) -> None:
    cases = [{"id": "1", "case": "x", "criteria": criteria}]
    with pytest.raises(InputError, match=message):
        evaluated(cases=cases, answers={"m": rows([("1", "x")])})


def test_a_row_of_the_public_form_that_cannot_be_read_is_named() -> None:
    for change, message in (
        ({"prompt_id": ""}, "row 1: the prompt_id is missing"),
        ({"prompt": [{"role": "user"}]}, "row 1: prompt is not a list of messages"),
    ):
        with pytest.raises(InputError, match=message):
            evaluated(cases=[{**CASES[0], **change}])


# Completion, criterion, and what two or three physicians said.
META: list[tuple[str, str, list[bool]]] = [
    ("GOUT", "Names GOUT.", [True, True]),
    ("GOUT", "Asks about FEVER.", [True, False]),
    ("FEVER?", "Asks about FEVER.", [True, False, False]),
    ("", "Names GOUT.", [False]),
]


def test_a_judge_is_held_against_physicians() -> None:
    rows = [
        {"prompt_id": "p", "prompt": CASES[0]["prompt"], "completion": text, "rubric": criterion,
         "completion_id": str(n), "category": "ca't", "binary_labels": labels,
         "anonymized_physician_ids": ["x"] * len(labels)}
        for n, (text, criterion, labels) in enumerate(META)
    ]  # fmt: skip
    made, _ = evaluated(cases=rows, answers={"meta": rows})
    # The judge says met, not met, met, not met. Met: TP 2 + 1, FP 2, FN 1: 6 / 9. Not met: TN
    # 1 + 1, FN (a physician says met) 1, FP 2: 4 / 7. The mean is 0.6190.
    score = number(made, "physician_f1", "meta")
    assert score.value == pytest.approx((6 / 9 + 4 / 7) / 2)
    where = {"group_by": "category", "group": "ca't"}
    assert number(made, "physician_f1", "meta", **where).value == pytest.approx(score.value)
    assert "Physicians" in made.table("main_table").columns

    def broken(seen: Seen) -> Any:
        return fail(400, "no") if "FEVER?" in seen.user else judge(seen)

    made, _ = evaluated(broken, cases=rows, answers={"meta": rows})
    # Without the third: TP 2, FN 1, FP 0: 4 / 5; TN 2, 1 and 0: 4 / 5.
    score = number(made, "physician_f1", "meta")
    assert (score.value, score.failed, score.n) == (pytest.approx(0.8), 1, 4)
    rows[0]["binary_labels"] = ["maybe"]
    with pytest.raises(InputError, match="row 1: physicians has 'maybe'"):
        evaluated(cases=rows, answers={"meta": rows})


def test_the_formula() -> None:
    assert criteria_score([-3, -1], [True, False]) is None  # nothing to reach
    score = criteria_score([5, 3, -4], [False, None, None])
    # worst -4 / 8, best 3 / 8
    assert score is not None
    assert (score.value, score.worst, score.best, score.unresolved) == (None, -0.5, 0.375, 2)


def test_the_command_on_the_example(tmp_path: Path) -> None:
    examples = Path(__file__).parents[1] / "examples" / "evaluate"
    files = [examples / f"healthbench_{name}.jsonl" for name in ("cases", "careful", "hasty")]
    whole = {"c1": {"reason": "So.", "met": True}}
    with ProtocolServer([whole]) as server:
        done = run(*files, "-o", tmp_path / "out", "--preset", "healthbench", "--judge",
                   server.judge(), "--cache-mode", "off", "--resamples", 20)  # fmt: skip
        assert len(server.seen) == 2 * 17
    assert done.exit_code == 0, done.output
    (row, _) = rows_of(tmp_path / "out" / "main_table.csv")
    # Everything met: 12/19, 8/16, 4/10, 8/13 and 8/10; the mean is 0.5894
    expected = (12 / 19 + 8 / 16 + 4 / 10 + 8 / 13 + 8 / 10) / 5
    assert float(row["Score"]) == pytest.approx(expected)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Score by theme" in page
