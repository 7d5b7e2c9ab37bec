"""Every command that asks models says before what it would ask: as many calls as are then asked."""

import json
from pathlib import Path
from typing import Any

import pytest

import dxjudge
from dxjudge.cli.main import run

from .protocol_server import ProtocolServer, Seen, fail

PAIRS = "id,predicted,truth\n" + "".join(f"p{n},illness {n},disease {n}\n" for n in range(3))
CASES = [{"id": f"c{n}", "case": f"Case {n}: a rash.", "diagnosis": "eczema"} for n in range(3)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))


def dxjudge_command(*words: Any) -> int:
    return run([str(word) for word in words])


def calls_of(shown: str) -> list[int]:
    lines = [line.split() for line in shown.splitlines()]
    return [int(words[1]) for words in lines if words[:1] == ["calls"]]


def yes(seen: Seen) -> Any:
    return {"same_disease": "yes"}


def test_stress_says_what_each_judge_would_be_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs.csv").write_text(PAIRS)
    account = tmp_path / "account.json"
    words = ["stress", "judge_equivalence", tmp_path / "pairs.csv", "-o", tmp_path / "t.csv",
             "--perturb", "swap,wording:shorten,order,repeat", "--repeats", "2"]  # fmt: skip
    with ProtocolServer(yes) as one, ProtocolServer(yes) as two:
        judges = ("--judge", one.judge(), "--judge", two.judge())
        assert dxjudge_command(*words, *judges, "--estimate") == 0
        shown = capsys.readouterr().out
        assert not one.seen and not two.seen and not (tmp_path / "t.csv").exists()
        assert "3 rows; nothing is sent" in shown
        assert dxjudge_command(*words, *judges, "--account", account) == 0
        asked = [len(one.seen), len(two.seen)]
    assert calls_of(shown) == asked
    estimated = json.loads(account.read_text())["estimate"]
    assert sum(line["calls"] for line in estimated if line["judge"] == one.judge()) == asked[0]
    # order changes nothing in a pair: no question is counted for it
    assert not any("(order)" in line["step"] for line in estimated)


def test_compare_judges_says_what_only_the_new_judge_would_be_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, responses = tmp_path / "cases.jsonl", tmp_path / "m.jsonl"
    cases.write_text("".join(json.dumps(case) + "\n" for case in CASES))
    rows = [{"id": case["id"], "predicted_diagnosis": f"rash {case['id']}"} for case in CASES]
    responses.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = tmp_path / "settings.yaml"
    settings.write_text("tasks: [judge_equivalence, extract_final_diagnosis]\nresamples: 50\n")
    out, account = tmp_path / "out", tmp_path / "account.json"
    with ProtocolServer(yes) as one, ProtocolServer(yes) as two:
        evaluation = ("evaluate", cases, responses, "-o", out, "--config", settings)
        assert dxjudge_command(*evaluation, "--judge", one.judge(), "--account", account) == 0
        assert sum(line["calls"] for line in json.loads(account.read_text())["estimate"]) == 3
        capsys.readouterr()
        compared = ("compare-judges", out, "--judges", f"{one.judge()},{two.judge()}")
        assert dxjudge_command(*compared, "--estimate") == 0
        assert calls_of(capsys.readouterr().out) == [0, 3]
        assert not two.seen and not (out / "judges").exists()
        assert dxjudge_command(*compared) == 0
        assert (len(one.seen), len(two.seen)) == (3, 3)


def test_answer_from_python_writes_what_the_command_writes(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(case) + "\n" for case in CASES))

    def script(seen: Seen) -> Any:
        if "Case 1" in seen.user:
            return fail(400, "this case is rejected")
        return "It is red.\nFinal diagnosis: eczema"

    with ProtocolServer(script) as server:
        options = ("--form", "dermcase", "--model", f"mine={server.judge()}")
        assert dxjudge_command("answer", cases, "-o", tmp_path / "a.jsonl", *options) == 3
        asked = len(server.seen)
        models = {"mine": server.judge()}
        result = dxjudge.answer(CASES, form="dermcase", models=models)
        assert len(server.seen) == asked + 1  # only the failed one is asked again
        assert (
            result.write(tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
        )
    assert (result.failed, result.budget_reached) == (1, False)
    assert [row["status"] for row in result.rows] == ["done", "failed", "done"]
    assert len(result.table()) == 3
    evaluated = dxjudge.evaluate(CASES, result.rows, tasks=["extract_final_diagnosis"])
    assert list(evaluated.table()["model"]) == ["mine"]


def test_models_with_one_name_are_refused() -> None:
    with pytest.raises(dxjudge.UsageError, match="named twice"):
        dxjudge.answer(CASES, form="dermcase", models=["openai:a", "openai:a"])
    with pytest.raises(dxjudge.UsageError, match="write image or text"):
        dxjudge.answer(CASES, form="dermcase", models="openai:a", presented_as=["video"])
