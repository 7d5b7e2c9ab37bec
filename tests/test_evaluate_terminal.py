"""What a stranger reads in the terminal: whole names, and true sentences on ranks."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dxjudge
from dxjudge.agents.engine.run import Run
from dxjudge.cli.main import run

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

pytestmark = pytest.mark.usefixtures("one_picture")


def write(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def numbers_of(line: str) -> list[str]:
    return re.findall(r"\d\.\d+", line)


def test_outside_a_terminal_a_table_is_as_wide_as_columns_says_and_no_number_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wards = ["surgery", "paediatrics", "dermatology", "neurology", "cardiology"]
    cases = [
        {"id": str(n), "question": "?", "A": "x", "B": "y", "answer": "A", "ward": wards[n % 5]}
        for n in range(30)
    ]
    said = [{"id": str(n), "answered": "AAAB"[n % 4]} for n in range(30)]
    columns = ["choice_accuracy", {"metric": "choice_accuracy", "by": "ward"}]
    (tmp_path / "s.yaml").write_text(
        json.dumps({"columns": columns, "groups": ["ward"]}), encoding="utf-8"
    )
    shown = {}
    for width in (80, 1000):
        monkeypatch.delenv("COLUMNS", raising=False)
        if width != 80:
            monkeypatch.setenv("COLUMNS", str(width))
        run(
            ["evaluate", write(tmp_path / "cases.jsonl", cases),
             "model-a=" + write(tmp_path / "a.jsonl", said), "--config", str(tmp_path / "s.yaml"),
             "-o", str(tmp_path / f"out{width}"), "--preset", "choice", "--resamples", "50"]
        )  # fmt: skip
        shown[width] = capsys.readouterr().out
        assert max(map(len, shown[width].splitlines())) <= width
    assert shown[80].count("model-a") > shown[1000].count("model-a") == 1
    assert sorted(numbers_of(shown[80])) == sorted(numbers_of(shown[1000]))
    assert all(ward in shown[80] for ward in wards)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_what_is_printed_while_a_bar_is_shown_goes_to_the_file_it_is_sent_to(
    tmp_path: Path,
) -> None:
    import pty

    script = (
        "from dxjudge.cli.terminal.progress import stages\n"
        "with stages(quiet=False) as told:\n"
        "    told('judging', 1, 2)\n"
        "    print('the result')\n"
    )
    reader, terminal = pty.openpty()
    with (tmp_path / "out.txt").open("w") as out:
        command = [sys.executable, "-c", script]
        subprocess.run(command, stdout=out, stderr=terminal, stdin=subprocess.DEVNULL, check=True)
    shown = os.read(reader, 100_000).decode()
    os.close(terminal)
    os.close(reader)
    assert "1 of 2" in shown and "the result" not in shown
    assert (tmp_path / "out.txt").read_text() == "the result\n"


class Told:
    """A progress that is told of items for which nobody was asked, as that of the command."""

    def __init__(self) -> None:
        self.replays, self.last = 0, ("", 0, 0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.last = (stage, done, total)

    def replayed(self, stage: str) -> None:
        self.replays += 1


def test_progress_ends_at_the_last_item_and_its_pace_leaves_out_what_nobody_was_asked(
    tmp_path: Path,
) -> None:
    cases = [{"id": str(n), "case": "?", "diagnosis": "gout"} for n in range(5)]
    # Rules decide the same name; the judge sees the same guess once.
    guesses = ["gout", "gout", "lupus", "asthma", "asthma"]
    rows = [{"id": str(n), "predicted_diagnosis": guess} for n, guess in enumerate(guesses)]
    told = Told()
    with ProtocolServer(make_judge(0)) as server, Run(mode="off") as asking:
        dxjudge.evaluate(
            cases, {"m": rows}, judges=[server.judge()], run=asking, folder=tmp_path,
            resamples=20, tasks=["judge_equivalence"], progress=told,
        )  # fmt: skip
    assert (len(server.seen), told.replays) == (2, 3)
    assert told.last[1:] == (5, 5)


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


def test_a_wide_main_table_is_cut_into_tables_that_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["asthma", "gout", "migraine", "measles"]
    cases = [{"id": str(n), "diagnosis": names[n % 4], "ddx": names[n % 4]} for n in range(12)]
    rows = [{"id": str(n), "predicted_ddx": names[(n + n // 4) % 4]} for n in range(11)]
    code = run(
        ["evaluate", write(tmp_path / "cases.jsonl", cases), write(tmp_path / "m.jsonl", rows),
         "-o", str(tmp_path / "out"), "--preset", "hddx", "--resamples", "50"]
    )  # fmt: skip
    shown = capsys.readouterr()
    assert code == 3, shown.err
    main = shown.out.split("In brackets: the 95% interval")[0]
    assert all(len(line) <= 80 for line in main.splitlines())
    assert "Failed" in main
    assert "Failed, by column: m: Top-1 1, Top-3 1, Top-5 1, HDP 1, HDR 1, HDF1 1." in shown.err


def test_cases_that_lack_what_others_have_are_skipped_with_exit_code_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [
        {"id": str(n), "diagnosis": "gout" if n > 2 else "", "ddx": "gout",
         "question": "?", "A": "x", "B": "y", "answer": "A"}
        for n in range(12)
    ]  # fmt: skip
    rows = [{"id": str(n), "answered": "A", "predicted_ddx": "gout"} for n in range(12)]
    files = [write(tmp_path / "cases.jsonl", cases), write(tmp_path / "m.jsonl", rows)]
    preset = ["--resamples", "50", "--preset"]
    assert run(["evaluate", *files, "-o", str(tmp_path / "a"), *preset, "choice"]) == 0
    capsys.readouterr()
    assert run(["evaluate", *files, "-o", str(tmp_path / "b"), *preset, "hddx"]) == 3
    line = "judge_equivalence_ddx: 3 of 12 cases without a diagnosis (column diagnosis)"
    assert f"skipped: {line}" in capsys.readouterr().err
    page = (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert '"skipped":[{' in page and "3 of 12 cases without a diagnosis" in page


def test_a_task_without_a_judge_is_listed_on_the_terminal_and_in_the_report_with_code_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [{"id": str(n), "diagnosis": "gout", "question": "?", "A": "x", "B": "y", "answer": "A"}
             for n in range(12)]  # fmt: skip
    rows = [{"id": str(n), "answered": "A", "predicted_ddx": "gout"} for n in range(12)]
    files = [write(tmp_path / "cases.jsonl", cases), write(tmp_path / "m.jsonl", rows)]
    assert run(["evaluate", *files, "-o", str(tmp_path / "out"), "--preset", "medsyn"]) == 0
    assert "left out: grade_ddx: it needs a model" in capsys.readouterr().err
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '{"task":"grade_ddx","reason":"it needs a model' in page
