"""A rubric and a taxonomy asked one dimension a call: the same result, in more, shorter calls."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.steps import find_step
from dxjudge.cli.main import run as dxjudge
from dxjudge.graphs.step import run_step

from .protocol_server import ProtocolServer, Seen, refuse

RUBRIC, ERRORS = find_step("score_rubric"), find_step("label_errors")
CASE = {
    "case": "A painful toe.",
    "reference": "Gout, because of the crystals.",
    "response": "The toe is red. It is sepsis.",
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def scored(seen: Seen) -> Any:
    """A level by the dimension's name, whether it is asked alone or with others."""
    assert seen.schema is not None
    return {
        name: {"quotes": ["The toe is red."], "invented": [], "justification": f"About {name}.",
               "level": len(name) % 4 + 1}
        for name in seen.schema["properties"]
    }  # fmt: skip


def categories_of(seen: Seen) -> list[str]:
    assert seen.schema is not None
    field = seen.schema["$defs"]["FoundError"]["properties"]["category"]
    return [field["const"]] if "const" in field else list(field["enum"])


def labelled(seen: Seen) -> Any:
    """An error of each category whose name has an even number of letters."""
    quote = {"reference": "because of the crystals", "response": "It is sepsis."}
    by_name = {one.name: one for one in ERRORS.read_input(CASE).taxonomy.judged}
    return {
        "errors": [
            {"quote": quote.get(by_name[name].evidence, "It is sepsis."),
             "reasoning_step": "end", "explanation": f"It is {name}.", "category": name}
            for name in categories_of(seen) if len(name) % 2 == 0
        ]
    }  # fmt: skip


def outcome_of(step: Any, script: Any, **options: Any) -> tuple[Any, list[Seen]]:
    with ProtocolServer(script) as server, Run(mode="off", **options) as run:
        asked = run_step(step, CASE, judge=server.judge(), run=run, engine="llm")
        return asyncio.run(asked), server.seen


def test_a_rubric_has_the_same_result_in_a_call_for_each_dimension() -> None:
    whole, asked_once = outcome_of(RUBRIC, scored)
    split, asked = outcome_of(RUBRIC, scored, one_dimension=True)
    assert len(asked_once) == 1 and len(asked) == 5
    assert split.value == whole.value and split.value.best == 100
    assert list(split.value.dimensions) == list(whole.value.dimensions)
    for seen in asked:
        assert seen.schema is not None
        [name] = seen.schema["properties"]
        assert seen.texts[0].count("\n## ") == 1 and f"## {name}:" in seen.texts[0]
    assert (split.calls, split.tokens_in, split.tokens_out) == (5, 500, 100)
    assert (split.status, split.step, split.judge.model) == ("done", whole.step, "double")


def test_errors_have_the_same_result_in_a_call_for_each_category() -> None:
    whole, _ = outcome_of(ERRORS, labelled)
    split, asked = outcome_of(ERRORS, labelled, one_dimension=True)
    judged = ERRORS.read_input(CASE).taxonomy.judged
    assert sorted(name for seen in asked for name in categories_of(seen)) == sorted(
        category.name for category in judged
    )
    assert split.value == whole.value and split.value.errors
    empty = {**CASE, "response": ""}
    with Run(one_dimension=True) as run:
        outcome = asyncio.run(run_step(ERRORS, empty, judge="openai:x", run=run))
    assert outcome.decided_by == "code"  # code decides for all categories at once


def test_a_dimension_that_fails_fails_the_item_and_alone_is_asked_again(tmp_path: Path) -> None:
    last = list(RUBRIC.read_input(CASE).rubric.dimensions)[-1].name
    answers: dict[str, Any] = {"well": False}

    def script(seen: Seen) -> Any:
        is_last = f"## {last}:" in seen.texts[0]
        return scored(seen) if answers["well"] or not is_last else refuse()

    with ProtocolServer(script) as server, Run(one_dimension=True) as run:

        def ask() -> Any:
            asked = run_step(RUBRIC, [CASE], judge=server.judge(), run=run, engine="llm")
            return asyncio.run(asked)[0]

        failed = ask()
        assert (failed.status, failed.kind) == ("failed", "refused")
        assert failed.reasons[0].startswith(f"{last}: refused")
        before, answers["well"] = len(server.seen), True
        done = ask()
        assert len(server.seen) == before + 1 and done.status == "done"
        again = ask()
        assert again.cached and again.calls == 0 and again.value == done.value


def cases_file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "c1", "diagnosis": "gout", **CASE}) + "\n", "utf-8")
    return path


def test_the_command_says_the_cost_and_writes_the_same_columns(tmp_path: Path, capsys: Any) -> None:
    split = "--one-dimension-a-call"
    with ProtocolServer(scored) as server:
        words = ["judge", "score_rubric", cases_file(tmp_path), "--judge", server.judge()]

        def judged(name: str, *more: str) -> int:
            return dxjudge([str(word) for word in (*words, "-o", tmp_path / name, *more)])

        for more, calls in (((), 1), ((split,), 5)):
            assert judged("e.jsonl", "--estimate", *more) == 0
            assert re.search(rf"calls +{calls}\n", capsys.readouterr().out)
        assert judged("whole.jsonl") == 0 and judged("split.jsonl", split) == 0
        assert len(server.seen) == 6
    whole, one_by_one = (
        json.loads((tmp_path / name).read_text("utf-8")) for name in ("whole.jsonl", "split.jsonl")
    )
    assert one_by_one == whole
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("predicted,truth\ngout,podagra\n", "utf-8")
    other = ["judge", "judge_equivalence", str(pairs), "-o", "o.csv", "--judge", "openai:x", split]
    assert dxjudge(other) == 2
    assert "judge_equivalence has no dimensions" in capsys.readouterr().err


def test_an_evaluation_asks_one_dimension_a_call_and_keeps_both_apart(tmp_path: Path) -> None:
    config = tmp_path / "s.yaml"
    config.write_text("tasks: [score_rubric]\nresamples: 20\n", "utf-8")
    model = tmp_path / "m.jsonl"
    model.write_text(json.dumps({"id": "c1", "response": CASE["response"]}) + "\n", "utf-8")
    with ProtocolServer(scored) as server:
        words = [
            "evaluate",
            cases_file(tmp_path),
            model,
            "-o",
            tmp_path / "out",
            "--config",
            config,
        ]
        words += ["--judge", server.judge(), "-q"]
        totals = []
        for more, calls in (((), 1), (("--one-dimension-a-call",), 6), ((), 6)):
            assert dxjudge([str(word) for word in (*words, *more)]) == 0
            assert len(server.seen) == calls
            totals.append((tmp_path / "out" / "main_table.csv").read_text("utf-8").split(",")[:40])
    signature = json.loads((tmp_path / "out" / "signature.json").read_text("utf-8"))
    assert signature["settings"]["one_dimension_a_call"] is False
    assert totals[0] == totals[2]
