"""Contamination: what a model answers by the question alone, and what it knows by heart."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run as dxjudge
from dxjudge.curation.probes import longest_run

from .protocol_server import ProtocolServer, Seen, fail, say

FIRST = (
    "A potter of forty had burning eyes for two years and a dry mouth that kept her awake at night"
)
REST = (
    "until a swelling before the left ear came and went with meals and the glands on both sides "
    "were enlarged"
)


def rows() -> list[dict[str, Any]]:
    questions = [
        {"id": f"q{n}", "question": f"Which is it, {n}?", "A": "x", "B": "y", "answer": "AB"[n % 2]}
        for n in range(8)
    ]
    several = {"id": "q8", "question": "Which of them?", "A": "x", "B": "y", "answer": "A,B"}
    text = {"id": "t", "case": f"{FIRST} {REST}"}
    return [*questions, several, text, {"id": "short", "case": "Too short."}]


def probe(folder: Path, script: Any, *options: str) -> tuple[int, list[dict[str, str]], list[Seen]]:
    (folder / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    with ProtocolServer(script) as server:
        words = ["curate", "probe", str(folder / "q.jsonl"), "-o", str(folder / "p.csv")]
        words += ["--model", server.judge(), "--cache", str(folder / "c.sqlite"), *options]
        code = dxjudge(words)
    with (folder / "p.csv").open(encoding="utf-8", newline="") as file:
        return code, list(csv.DictReader(file)), server.seen


def test_a_model_that_knows_the_data_is_told_from_one_that_guesses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def knows(seen: Seen) -> Any:
        if "How does it go on?" in seen.user:
            assert FIRST.split()[-1] in seen.user
            return say({"continuation": "and then, " + " ".join(REST.split()[2:])})
        number = int(seen.user.split("Which is it, ")[1][0])
        return say({"letters": ["AB"[number % 2]]})

    code, table, seen = probe(tmp_path, knows)
    assert code == 0 and len(seen) == 9  # the question with two right options is not asked
    assert [row["solved_alone"] for row in table[:9]] == ["true"] * 8 + [""]
    assert table[9]["words_by_heart"] == str(len(REST.split()) - 2)
    assert table[10]["words_by_heart"] == ""
    told = " ".join(capsys.readouterr().err.split())
    # 8 of 8: Wilson's lower bound 8 / (8 + 1.96^2) = 67.6 %, above 1/2.
    assert "100.0% [67.6%, 100.0%] of 8 questions are solved, more often than by chance" in told
    assert "by heart: 1 of 1 texts are continued with 12 words or more" in told


def test_one_that_guesses_is_not_above_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def guesses(seen: Seen) -> Any:
        if "How does it go on?" in seen.user:
            return say({"continuation": "until she saw a doctor, who gave her drops."})
        return say({"letters": ["A"]})

    code, table, _ = probe(tmp_path, guesses)
    assert code == 0 and [row["solved_alone"] for row in table[:4]] == ["true", "false"] * 2
    told = " ".join(capsys.readouterr().err.split())
    assert "not more often than by chance (50.0%)" in told and "by heart: 0 of 1" in told


def test_a_probe_that_failed_is_told_and_counted_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(seen: Seen) -> Any:
        if "Which is it, 3?" in seen.user or "How does it go on?" in seen.user:
            return fail(400, "too long")
        return say({"letters": ["A"]})

    code, table, _ = probe(tmp_path, breaks)
    assert code == 3
    assert table[3]["solved_alone"] == "" and "too long" in table[3]["probe_failed"]
    assert table[9]["words_by_heart"] == "" and "too long" in table[9]["probe_failed"]
    told = capsys.readouterr().err
    assert "of 7 questions" in told and "failed: 2 rows" in told


def test_the_estimate_counts_both_probes_and_sends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    words = ["curate", "probe", str(tmp_path / "q.jsonl"), "-o", str(tmp_path / "p.csv")]
    assert dxjudge([*words, "--model", "openai:m@http://127.0.0.1:9/v1", "--estimate"]) == 0
    told = capsys.readouterr().out.split()
    assert told[told.index("calls") + 1] == "9" and not (tmp_path / "p.csv").exists()


def test_rows_without_anything_to_probe_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.csv").write_text("id,note\n1,x\n", "utf-8")
    words = ["curate", "probe", str(tmp_path / "q.csv"), "-o", str(tmp_path / "p.csv")]
    assert dxjudge([*words, "--model", "openai:m@http://127.0.0.1:9/v1"]) == 4
    assert "no row has a question with one right option" in capsys.readouterr().err


def test_the_longest_run_ignores_case_and_marks() -> None:
    assert longest_run("The SKIN, of the back", "skin of the back, too") == 4
    assert longest_run("", "a b") == 0
