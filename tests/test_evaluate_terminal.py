"""What a stranger reads in the terminal: whole names, and true sentences on ranks."""

import json
from pathlib import Path

import pytest

from dxjudge.cli.main import run


def write(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_models_without_a_common_case_and_with_long_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [{"id": str(n), "question": "?", "A": "x", "B": "y", "answer": "A"} for n in range(12)]
    first = [{"id": str(n), "answered": "A"} for n in range(6)]
    second = [{"id": str(n), "answered": "A"} for n in range(6, 11)]
    long = "a" * 180
    code = run(
        ["evaluate", write(tmp_path / "cases.jsonl", cases),
         f"{long}1=" + write(tmp_path / "a.jsonl", first),
         f"{long}2=" + write(tmp_path / "b.jsonl", second),
         "-o", str(tmp_path / "out"), "--preset", "choice", "--resamples", "50"]
    )  # fmt: skip
    shown = capsys.readouterr()
    assert code == 3, shown.err
    # All six missing of the first wrong: 6 of 12; of the second: 5 of 12.
    assert "ranks are over 0 cases" in shown.err
    assert f"{long}1 would be 1; {long}2 would be 2" in shown.err
    assert "\u2026" not in shown.out  # two names that differ at their end are both whole
