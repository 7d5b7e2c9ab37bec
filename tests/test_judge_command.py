import csv
import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dxjudge.agents.steps import STEPS, VARIANTS
from dxjudge.cache.open import open_store
from dxjudge.cli.judge_command import judge_rows
from dxjudge.cli.main import run
from dxjudge.cli.terminal import progress
from dxjudge.prompts.load_data import load_rubric

from .protocol_server import ProtocolServer, Seen, fail, refuse
from .scripted import EXAMPLES

JUDGE = "judge_equivalence"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def rows_of(path: Any) -> Any:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def pairs_file(tmp_path: Path, count: Any = 4) -> Any:
    path = tmp_path / "pairs.csv"
    lines = ["nr,predicted,gold", *(f"{n},disease {n},illness {n}" for n in range(count))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def says_no_to_2(seen: Seen) -> Any:
    if "disease 3" in seen.user:
        return refuse()
    return {"same_disease": "no" if "disease 2" in seen.user else "yes"}


def judged(*arguments: Any) -> Any:
    return run([str(each) for each in ("judge", *arguments)])


def test_rows_in_and_rows_out_in_order_with_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    with ProtocolServer(says_no_to_2) as server:
        code = judged(JUDGE, source, "-o", target, "--set", "truth=gold", "--judge", server.judge())
    assert code == 3  # a row failed
    rows = rows_of(target)
    assert [row["nr"] for row in rows] == ["0", "1", "2", "3"]
    assert [row["equivalent"] for row in rows] == ["true", "true", "false", ""]
    assert [row["status"] for row in rows] == ["done", "done", "done", "failed"]
    assert rows[3]["reason"].startswith("refused: ")
    assert [row["decided_by"] for row in rows] == ["llm", "llm", "llm", "none"]
    said = capsys.readouterr().err
    assert "4 rows: done 3 · abstained 0 · failed 1" in said
    assert "failed (1 row: 4): refused" in said
    assert "cost unknown" in said


def test_run_again_it_asks_only_for_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    options = ("--set", "truth=gold", "--cache-mode", "off")
    with ProtocolServer(says_no_to_2) as server:
        arguments = (JUDGE, source, "-o", target, *options, "--judge", server.judge())
        assert judged(*arguments) == 3
        asked = len(server.seen)
        assert (tmp_path / "out.csv.journal").exists()
        server.script = lambda seen: {"same_disease": "yes"}
        assert judged(*arguments) == 0
        assert len(server.seen) == asked + 1  # the failed row alone
    assert [row["equivalent"] for row in rows_of(target)] == ["true", "true", "false", "true"]
    assert not (tmp_path / "out.csv.journal").exists()
    assert "finished by an earlier run: 3 rows" in capsys.readouterr().err


def test_rows_that_no_model_was_asked_for_do_not_stand_in_the_way_of_a_judge(
    tmp_path: Path,
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    arguments = (JUDGE, source, "-o", target, "--set", "truth=gold")
    assert judged(*arguments, "--engine", "rules") == 3
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.csv"]
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        assert judged(*arguments, "--judge", server.judge()) == 0


def test_killed_in_the_middle_it_goes_on(tmp_path: Path) -> Any:
    source, target = pairs_file(tmp_path, 40), tmp_path / "out.jsonl"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        command = [sys.executable, "-m", "dxjudge", "judge", JUDGE, str(source)]
        command += ["-o", str(target), "--set", "truth=gold", "--judge", server.judge()]
        command += ["--cache-mode", "off", "--concurrency", "2", "-q"]

        def stop_at_20(seen: Seen) -> Any:
            if seen.number == 20:
                first.kill()
            return {"same_disease": "yes"}

        server.script = stop_at_20
        first = subprocess.Popen(command)
        assert first.wait(60) != 0
        assert not target.exists()
        kept = len((tmp_path / "out.jsonl.journal").read_text().splitlines()) - 1
        assert kept >= 5
        server.script = lambda seen: {"same_disease": "yes"}
        before = len(server.seen)
        assert run(command[3:]) == 0
        assert len(server.seen) - before == 40 - kept
    rows = rows_of(target)
    assert [row["nr"] for row in rows] == [str(n) for n in range(40)]
    assert all(row["equivalent"] is True for row in rows)


def test_a_journal_of_another_job_is_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    with ProtocolServer(says_no_to_2) as server:
        for style in (JUDGE, "judge_equivalence.correct"):
            code = judged(
                style, source, "-o", target, "--set", "truth=gold", "--judge", server.judge()
            )
    assert code == 4
    assert "of another job" in capsys.readouterr().err


def test_two_runs_on_one_output_the_second_is_refused_and_the_first_ends_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    codes: list[int] = []

    def run_the_same_again(seen: Seen) -> Any:
        if not codes:
            again = [sys.executable, "-m", "dxjudge", "judge", *map(str, arguments)]
            codes.append(subprocess.run(again, timeout=60, stderr=subprocess.PIPE).returncode)
        return {"same_disease": "yes"}

    with ProtocolServer(run_the_same_again) as server:
        arguments = (JUDGE, source, "-o", target, "--set", "truth=gold", "--judge", server.judge())
        assert judged(*arguments, "--concurrency", "1") == 0
    assert codes == [5]
    assert len(rows_of(target)) == 4
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out.csv"]


def test_a_journal_on_a_full_disk_is_no_internal_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, journal = pairs_file(tmp_path), tmp_path / "full.journal"
    journal.symlink_to("/dev/full")
    with ProtocolServer(says_no_to_2) as server:
        options = ("--set", "truth=gold", "--judge", server.judge(), "--journal", journal)
        assert judged(JUDGE, source, "-o", tmp_path / "out.csv", *options) == 5
    assert "no space left on device" in capsys.readouterr().err


def test_a_line_cut_off_by_a_crash_is_dropped(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    journal = tmp_path / "out.csv.journal"
    with ProtocolServer(says_no_to_2) as server:
        arguments = (JUDGE, source, "-o", target, "--set", "truth=gold", "--judge", server.judge())
        judged(*arguments, "-q")
        journal.write_text(journal.read_text()[:-20])
        server.script = lambda seen: {"same_disease": "yes"}
        assert judged(*arguments, "-q") == 0
    assert len(rows_of(target)) == 4


def test_every_format_and_the_rules_without_a_judge(tmp_path: Path) -> None:
    for name in ("out.csv", "out.tsv", "out.jsonl", "out.parquet"):
        code = judged(
            "extract_final_diagnosis",
            EXAMPLES / "cases.jsonl",
            "-o",
            tmp_path / name,
            "--engine",
            "rules",
            "-q",
        )
        assert code == 3  # what rules cannot decide is failed as undecided
    rows = rows_of(tmp_path / "out.jsonl")
    assert len(rows) == 54
    decided = [row for row in rows if row["status"] == "done"]
    assert {row["decided_by"] for row in decided} == {"rules"}
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 54
    undecided = [row for row in rows if row["status"] == "failed"]
    assert all(row["diagnosis_dxjudge"] is None for row in undecided)
    assert all(row["reason"].startswith("undecided: ") for row in undecided)


def test_fields_of_other_kinds_from_a_csv_file(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.parquet"
    source.write_text(
        'question,options,answer,multiple\nWhich?,"{""A"": ""x"", ""B"": ""y""}",B,\n'
        'Which?,"[""x"", ""y""]","A, B",true\n',
        encoding="utf-8",
    )
    assert judged("match_option", source, "-o", target, "--engine", "rules", "-q") == 0
    letters = pq.read_table(target)["letters"].to_pylist()
    assert [json.loads(each) for each in letters] == [["B"], ["A", "B"]]


def test_the_same_value_for_every_row(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text("reference,answer\nred,purple\nred,red\n", encoding="utf-8")
    code = judged(
        "score_open_answer", source, "-o", target, "--give", "kind=color", "--give",
        "question=What color?", "--engine", "rules", "-q",
    )  # fmt: skip
    assert code == 0
    assert [row["score"] for row in rows_of(target)] == [0.5, 1]


@pytest.mark.parametrize(
    ("step", "given", "said"),
    [
        ("match_option", "multiple=perhaps", "--give multiple: Input should be a valid boolean"),
        ("score_rubric", "rubric=ward.yaml", "levels.0.text: Input should be a valid string; YAML"),
    ],
)
def test_a_value_that_would_fail_every_row_is_refused_before_the_output_is_touched(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    step: str,
    given: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("question,options,answer,case,reference,response\nq,[a],a,c,r,s\n")
    rubric = load_rubric("dermcase").model_dump(mode="json")
    rubric["dimensions"][0]["levels"] = {0: False}  # as YAML reads a bare "no"
    Path("ward.yaml").write_text(json.dumps(rubric))
    Path("out.csv").write_text("of an earlier run")
    assert judged(step, "in.csv", "-o", "out.csv", "--give", given, "--judge", "openai:m") == 2
    assert said in capsys.readouterr().err
    assert Path("out.csv").read_text() == "of an earlier run"


OWN_STEP = """
from pydantic import BaseModel, Field
from dxjudge import Prompt, Step, Verdict

class Text(BaseModel):
    text: str = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=2)

class Level(BaseModel):
    level: int

PROMPT = Prompt(system="Judge.", user="{{text}} {{answers}}")
URGENCY = Step(
    name="urgency", version=1, input=Text, output=Level, prompt=PROMPT, verdict=Verdict("level"),
    judged="text", returns="a level", scale="0 to 3",
)
"""


def test_an_empty_cell_is_reported_with_row_and_field_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step, source, target = (tmp_path / name for name in ("own.py", "in.csv", "out.csv"))
    step.write_text(OWN_STEP, encoding="utf-8")
    source.write_text("id,text,answers\na,fine,x | y\nb,,x | y\nc,fine,x\nd,,x | y\n")
    with ProtocolServer(lambda seen: {"level": 2}) as server:
        assert judged(f"{step}:URGENCY", source, "-o", target, "--judge", server.judge()) == 3
        assert len(server.seen) == 1
    empty = "input: step urgency: the field text is empty: fill it in, or leave the row out"
    few = (
        "input: step urgency: the field answers has 1 of at least 2 items: add items, or leave "
        "the row out"
    )
    assert [row["reason"] for row in rows_of(target)] == ["", empty, few, empty]
    said = capsys.readouterr().err
    assert f"failed (2 rows: 2, 4): {empty}\n" in said
    assert f"failed (1 row: 3): {few}\n" in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((JUDGE,), "judge_equivalence needs truth: name the columns with --set truth=COLUMN"),
        ((JUDGE, "--set", "truth=nowhere"), "no column 'nowhere'; there are: nr, predicted, gold"),
        ((JUDGE, "--set", "gold=truth"), "the fields of judge_equivalence are predicted, truth"),
        ((JUDGE, "--set", "predictd=gold"), "--set 'predictd=gold': did you mean predicted?"),
        (("judge_equivalenz",), "did you mean judge_equivalence?"),
        ((JUDGE, "--engine", "magic"), "no engine 'magic'; it has auto, llm, rules, ontology\n"),
        ((JUDGE, "--engine", "ontolgy"), "no engine 'ontolgy'; did you mean ontology?"),
        ((JUDGE, "--judge", "opnai:m", "--set", "truth=gold"), "did you mean openai:…?"),
        (("score_rubric", "--engine", "auto"), "needs a judge: --judge openai:gpt-4o, or for"),
    ],
)
def test_what_does_not_fit_is_said_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Any, told: Any
) -> None:
    source = pairs_file(tmp_path)
    assert judged(arguments[0], source, "-o", tmp_path / "o.csv", *arguments[1:]) == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.glob("o.csv*"))


def test_a_budget_stops_cleanly(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path, 6), tmp_path / "out.jsonl"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        arguments = (JUDGE, source, "-o", target, "--set", "truth=gold", "--judge", server.judge())
        assert judged(*arguments, "--max-calls", "2", "-q") == 7
        rows = rows_of(target)
        assert sum(row["status"] == "done" for row in rows) == 2
        assert sum("budget" in (row["reason"] or "") for row in rows) == 4
        assert judged(*arguments, "-q") == 0
        assert len(server.seen) == 6


def test_steps_are_listed_and_their_schemas_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["steps"]) == 0
    listed = capsys.readouterr().out
    for word in ("score_rubric", "judge_equivalence.correct", "MEDSYN", "0, 2, 3, 4, 5"):
        assert word in listed
    assert run(["steps", "--schema", "grade_ddx"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"]["properties"]["score"]["enum"] == [0, 2, 3, 4, 5]
    assert run(["steps", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["steps"]) == len((*STEPS, *VARIANTS))
    assert run(["steps", "--schema", "nothing"]) == 2


def test_the_help_shows_an_example_for_a_local_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "--help"]) == 0
    assert "127.0.0.1" in capsys.readouterr().out
    assert judge_rows.__doc__ is not None


# what is said while it runs, and what ends it


@pytest.mark.usefixtures("hangup_ends")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_it_like_an_interruption_and_the_journal_is_kept(
    tmp_path: Path, name: str
) -> None:
    source, target = pairs_file(tmp_path, 40), tmp_path / "out.jsonl"

    def stop_at_20(seen: Seen) -> Any:
        if seen.number == 20:
            running.send_signal(getattr(signal, name))
        return {"same_disease": "yes"}

    with ProtocolServer(stop_at_20) as server:
        command = [sys.executable, "-m", "dxjudge", "judge", JUDGE, str(source)]
        command += ["-o", str(target), "--set", "truth=gold", "--judge", server.judge()]
        command += ["--cache-mode", "off", "--concurrency", "2"]
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert f"interrupted, no output written; finished rows are kept in {target}.journal" in said
    assert not target.exists()
    assert len((tmp_path / "out.jsonl.journal").read_text().splitlines()) > 5


def test_off_a_terminal_a_line_says_now_and_then_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    with ProtocolServer(says_no_to_2) as server:
        options = ("--set", "truth=gold", "--judge", server.judge(), "--concurrency", "1")
        judged(JUDGE, source, "-o", target, *options)
        lines = capsys.readouterr().err.splitlines()
        assert lines[0].startswith("dxjudge: judging: 1 of 4, ")
        assert lines[3].startswith("dxjudge: judging: 4 of 4, ")
        assert "a minute, 1 failed · cost unknown" in lines[3]
        judged(JUDGE, source, "-o", target, *options, "-q")
    assert capsys.readouterr().err == ""


def test_the_pace_leaves_out_what_the_cache_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    source, cache = pairs_file(tmp_path), tmp_path / "replies.sqlite"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        options = ("--set", "truth=gold", "--judge", server.judge(), "--cache", cache)
        assert judged(JUDGE, source, "-o", tmp_path / "first.csv", *options) == 0
        assert "without those from the cache" not in capsys.readouterr().err
        assert judged(JUDGE, source, "-o", tmp_path / "second.csv", *options) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[3].startswith("dxjudge: judging: 4 of 4, 0 a minute, 0 failed")
    assert lines[-1].endswith(" 0 a minute without those from the cache")
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    pace = progress.Pace(done=10)
    pace.leave_out(50)
    clock[0] = 60.0
    # 90 are finished, 10 by an earlier run and 50 by the cache: 30 in a minute, so 60 take two.
    assert (pace.a_minute(90), pace.left(90, 150)) == (30.0, "2 min left")


def test_a_price_list_of_ones_own_prices_a_server_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        name = server.judge().removeprefix("openai:")
        prices = tmp_path / "prices.yaml"
        models = {"openai": {name: {"input": 1000, "output": 1000}}}
        prices.write_text(json.dumps({"date": "2026-01-01", "source": "us", "models": models}))
        options = ("--set", "truth=gold", "--judge", server.judge(), "--max-cost", "1000")
        assert judged(JUDGE, source, "-o", target, *options) == 2
        assert "--prices" in capsys.readouterr().err
        assert judged(JUDGE, source, "-o", target, *options, "--prices", prices) == 0
        said = capsys.readouterr().err
        assert "unknown" not in said and "$0.0000" not in said
        missing = ("--prices", tmp_path / "nothing.yaml")
        assert judged(JUDGE, source, "-o", target, *options, *missing) == 4
        assert "nothing.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engine", "rules", "--temperature", "0.5"), "--temperature has no effect: no model"),
        (("--engine", "rules", "--max-calls", "5", "--rpm", "9"), "--max-calls, --rpm have no"),
        (
            ("--engine", "rules", "--judge", "openai:gpt-4o"),
            "--judge has no effect: --engine rules",
        ),
        (("--engine", "rules", "--added-sources", "none"), "--added-sources has no effect"),
    ],
)
def test_an_option_without_effect_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    source = pairs_file(tmp_path)
    judged(JUDGE, source, "-o", tmp_path / "out.csv", "--set", "truth=gold", *options)
    assert f"dxjudge: warning: {said}" in capsys.readouterr().err


def test_what_was_read_and_what_was_not_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "pairs.csv"
    source.write_text("predicted,gold,reason\ngout,Gout,x\n")
    options = ("--set", "truth=gold", "--engine", "rules")
    assert judged(JUDGE, source, "-o", tmp_path / "out.csv", *options) == 0
    said = capsys.readouterr().err
    assert "read truth from 'gold', predicted; not read: reason" in said
    assert "the new ones are reason_dxjudge for reason" in said


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ("predicted,Predicted,truth", (), "predicted may be 'predicted' or 'Predicted'"),
        ("predicted,truth", ("--set", "truth=truth", "--set", "truth=predicted"), "truth twice"),
        ("predicted,truth", ("--set", "truth=truth", "--give", "truth=gout"), "both --set and"),
    ],
)
def test_a_field_of_two_values_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    columns: str,
    options: tuple[str, ...],
    said: str,
) -> None:
    source = tmp_path / "pairs.csv"
    source.write_text(f"{columns}\n{','.join('a' for _ in columns.split(','))}\n")
    assert judged(JUDGE, source, "-o", tmp_path / "o.csv", "--engine", "rules", *options) == 2
    assert said in capsys.readouterr().err


def test_what_was_replaced_and_what_was_not_kept_stands_in_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "yes")
    source.write_text(source.read_text("utf-8").replace("disease 1", f"disease 1{hidden}"), "utf-8")
    cache = tmp_path / "r.sqlite"
    open_store(cache).close()
    lock = sqlite3.connect(cache, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        options = ("--set", "truth=gold", "--judge", server.judge(), "--cache", cache)
        assert judged(JUDGE, source, "-o", target, *options) == 0
        assert hidden not in "".join(seen.user for seen in server.seen)
    lock.close()
    said = capsys.readouterr().err
    assert "1 item held hidden or broken characters: each is U+FFFD now" in said
    assert f"4 replies were not kept: the reply cache {cache} could not be written" in said


def test_a_refused_address_leaves_no_file_and_another_server_is_another_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs = [{"predicted": f"rash {n}", "truth": f"itch {n}"} for n in range(2)]
    source.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    words = ["judge", "judge_equivalence", str(source), "-o", str(out), "--judge", "openai:m",
             "--engine", "llm", "--cache-mode", "off"]  # fmt: skip
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:password@127.0.0.1:9/v1")
    assert run(words) == 2
    assert "password" not in capsys.readouterr().err.replace("a password or a query", "")
    assert sorted(path.name for path in tmp_path.glob("out*")) == []

    def script(seen: Seen) -> Any:
        return fail(400, "no") if "rash 1" in seen.user else {"same_disease": "yes"}

    with ProtocolServer(script) as one, ProtocolServer(script) as two:
        monkeypatch.setenv("OPENAI_BASE_URL", one.url)
        assert run(words) == 3  # one row is in the journal now
        monkeypatch.setenv("OPENAI_BASE_URL", two.url)
        assert run(words) == 4
        assert "is the journal of another job" in capsys.readouterr().err and not two.seen
