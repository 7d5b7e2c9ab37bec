"""Which criteria of its case a response meets: one a call, or all in one."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dxjudge.agents.judge_criteria import JUDGE_CRITERIA, CriteriaInput, conversation_text
from dxjudge.agents.perturb import Perturbed, perturb
from dxjudge.cli.main import app
from dxjudge.errors import UsageError
from dxjudge.graphs.jury.run_jury import run_jury_sync

from .protocol_server import ProtocolServer, Seen
from .scripted import ask_step

CHAT = [
    {"role": "user", "content": "My toe's red."},
    {"role": "assistant", "content": "Since when?"},
    {"role": "user", "content": "Last night."},
]
CRITERIA = [
    {"criterion": "Names gout.", "points": 5.0, "tags": ["axis:accuracy"]},
    {"criterion": "Recommends an antibiotic.", "points": -4, "tags": ["axis:accuracy"]},
    {"criterion": "Asks about fever.", "points": 2},
]
INPUTS: dict[str, Any] = {"conversation": CHAT, "response": "It is gout.", "criteria": CRITERIA}
YES, NO = {"reason": "It does.", "met": True}, {"reason": "It does not.", "met": False}


def test_points_are_those_of_the_criteria_that_are_met() -> None:
    outcome, seen = ask_step(JUDGE_CRITERIA, INPUTS, {"c1": YES, "c2": YES, "c3": NO})
    # 5 for gout, -4 for the antibiotic
    assert (outcome.value.met, outcome.value.points) == ((True, True, False), 1.0)
    assert outcome.value.reason == "c1: It does. c2: It does. c3: It does not."
    shown = seen[0].user
    assert "user: My toe's red." in shown and "assistant: Since when?" in shown
    assert "- c2: Recommends an antibiotic." in shown
    assert "-4" not in shown and "axis" not in shown  # neither points nor tags are shown


def test_one_criterion_is_one_verdict() -> None:
    outcome, _ = ask_step(JUDGE_CRITERIA, {**INPUTS, "criteria": "Names gout."}, {"c1": YES})
    assert (outcome.value.met, outcome.value.points, outcome.value.reason) == (
        (True,), 1.0, "It does.",
    )  # fmt: skip
    verdict = JUDGE_CRITERIA.demand_verdict()
    one = CriteriaInput(**{**INPUTS, "criteria": ["Names gout."]})
    assert verdict.of(one, outcome.value)[""] == (True, "It does.")


@pytest.mark.parametrize(
    "answer",
    [
        {"c1": YES, "c2": YES},
        {"c1": YES, "c2": YES, "c3": YES, "c4": YES},
        {"c1": YES, "c2": YES, "c3": {"reason": "x", "met": "perhaps"}},
        {"c1": YES, "c2": YES, "c3": {"reason": " ", "met": True}},
    ],
)
def test_a_criterion_without_a_verdict_is_repaired_or_failed(answer: Any) -> None:
    outcome, _ = ask_step(JUDGE_CRITERIA, INPUTS, answer, {"c1": YES, "c2": NO, "c3": NO})
    assert (outcome.value.met, outcome.repairs) == ((True, False, False), 1)
    outcome, _ = ask_step(JUDGE_CRITERIA, INPUTS, answer)
    assert (outcome.status, outcome.kind) == ("failed", "invalid")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"criteria": []}, "criteria"),
        ({"criteria": [{"criterion": "", "points": 1}]}, r"criteria\.0\.criterion"),
        ({"criteria": [{"criterion": "x", "points": "many"}]}, r"criteria\.0\.points"),
        ({"criteria": [{"criterion": "x", "points": float("nan")}]}, r"criteria\.0\.points"),
        ({"criteria": [{"criterion": "x", "point": 1}]}, r"criteria\.0\.point"),
        ({"conversation": [{"role": "user"}]}, "conversation"),
    ],
)
def test_bad_criteria_are_named(change: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask_step(JUDGE_CRITERIA, {**INPUTS, **change}, {"c1": YES})


def test_an_empty_response_abstains() -> None:
    outcome, seen = ask_step(JUDGE_CRITERIA, {**INPUTS, "response": " "}, {"c1": YES})
    assert outcome.status == "abstained" and not seen


def test_a_jury_decides_each_criterion() -> None:
    def script(seen: Seen) -> Any:
        third = YES if seen.body["model"] == "x" else NO
        return {"c1": YES, "c2": NO, "c3": third}

    with ProtocolServer(script) as server:
        judges = [server.judge(name) for name in "xyz"]
        jury: Any = run_jury_sync(JUDGE_CRITERIA, INPUTS, judges)
    assert jury.value["met"] == [True, False, False] and jury.value["points"] == 5.0
    assert {vote.step for vote in jury.votes} == {f"judge_criteria.c{n}" for n in (1, 2, 3)}


def test_criteria_in_another_order_are_put_back() -> None:
    typed = CriteriaInput(**INPUTS)
    changed = perturb(JUDGE_CRITERIA, typed, "order", 1)
    assert isinstance(changed, Perturbed)
    moved: Any = changed.inputs
    answer = {
        f"c{n}": YES if "gout" in one.criterion else NO for n, one in enumerate(moved.criteria, 1)
    }
    outcome, _ = ask_step(JUDGE_CRITERIA, moved, answer)
    assert changed.restore(outcome.value).met == (True, False, False)


def test_messages_are_shown_after_their_roles() -> None:
    assert conversation_text(CHAT[:2]) == "user: My toe's red.\n\nassistant: Since when?"


def test_the_command_reads_the_public_form(tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    row = {"prompt_id": "p1", "prompt": CHAT, "rubrics": CRITERIA, "completion": "It is gout."}
    source.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with ProtocolServer([{"c1": YES, "c2": NO, "c3": NO}]) as server:
        arguments = [
            "judge", "judge_criteria", source, "-o", tmp_path / "out.csv", "--set",
            "conversation=prompt", "--set", "criteria=rubrics", "--set", "response=completion",
            "--judge", server.judge(), "--cache-mode", "off",
        ]  # fmt: skip
        done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        (written,) = csv.DictReader(file)
    assert written["points"] == "5.0" and json.loads(written["met"]) == [True, False, False]
