"""Several models are asked side by side, and what is written does not show it."""

import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.steps import find_step
from dxjudge.cli.main import run as command
from dxjudge.evaluation.judging import Item, Panel

from .protocol_server import ProtocolServer, Seen, say

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

CASES = [{"id": f"c{n}", "case": f"Case {n}: an itchy rash of the elbows."} for n in range(4)]


def slow_first(text: str) -> Any:
    """A script whose very first answer takes so long that another model can be asked."""

    def script(seen: Seen) -> Any:
        return say(text, delay=0.5 if seen.number == 1 else 0.0)

    return script


def test_answers_of_two_models_are_asked_for_at_the_same_time_and_written_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(case) + "\n" for case in CASES), "utf-8")

    def answer(out: str, *models: str) -> bytes:
        options = [word for model in models for word in ("--model", model)]
        words = ["answer", str(cases), "-o", str(tmp_path / out), "--form", "dermcase", *options]
        assert command([*words, "--concurrency", "1", "--cache", str(tmp_path / out) + ".db"]) == 0
        return (tmp_path / out).read_bytes()

    with ProtocolServer(slow_first("It is red.\nFinal diagnosis: psoriasis")) as server:
        one, two = f"a={server.judge('one')}", f"b={server.judge('two')}"
        both = answer("both.jsonl", one, two)
        asked = [seen.body["model"] for seen in server.seen]
        assert sorted(asked) == ["one"] * 4 + ["two"] * 4
        assert asked[:2] in (["one", "two"], ["two", "one"])
        assert both == answer("a.jsonl", one) + answer("b.jsonl", two)
        assert server.peak == 2  # one request of each model, as --concurrency says


def test_the_judges_of_an_evaluation_are_asked_at_the_same_time(tmp_path: Path) -> None:
    step = find_step("judge_equivalence")
    items = [
        Item("equivalence", "m", f"c{n}", 0, 0, {"truth": f"disease {n}", "predicted": f"rash {n}"})
        for n in range(3)
    ]

    def script(seen: Seen) -> Any:
        yes = seen.body["model"] == "one"
        return say({"same_disease": "yes" if yes else "no"}, delay=0.5 * (seen.number == 1))

    with ProtocolServer(script) as server:
        judges = (server.judge("one"), server.judge("two"))
        with Run(cache=tmp_path / "r.sqlite", concurrency=1) as run:
            judged = Panel(judges, run).ask(step, items)
    assert {seen.body["model"] for seen in server.seen[:2]} == {"one", "two"}
    assert [(one.judge, one.case) for one in judged] == [
        (judge, f"c{n}") for judge in judges for n in range(3)
    ]
    assert [one.outcome.status for one in judged] == ["done"] * 6
    values = [str(one.value) for one in judged]
    assert values[:3] == values[:1] * 3 and values[3:] == values[3:4] * 3
    assert values[0] != values[3]
