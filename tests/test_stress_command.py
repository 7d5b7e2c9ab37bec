"""`dxjudge stress`, from a file of rows to a table of trials."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run

from .protocol_server import ProtocolServer, Seen, refuse

STEP = "judge_equivalence"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def pairs_file(tmp_path: Path, count: int = 4) -> Path:
    path = tmp_path / "pairs.csv"
    lines = ["id,predicted,gold", *(f"p{n},illness {n},disease {n}" for n in range(count))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def stress(*arguments: Any) -> int:
    return run([str(each) for each in ("stress", *arguments)])


def goes_by_place(seen: Seen) -> Any:
    """In rows 1 and 3 yes only where the illness is the predicted one."""
    first = seen.user.split("True diagnosis")[0]
    odd = "ness 1" in seen.user or "ness 3" in seen.user
    return {"same_disease": "no" if odd and "disease" in first else "yes"}


def test_rows_in_and_trials_out_the_most_flipped_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "trials.csv"
    with ProtocolServer(goes_by_place) as server:
        code = stress(
            STEP, source, "-o", target, "--set", "truth=gold", "--perturb", "swap,order,case",
            "--judge", server.judge(), "--votes", tmp_path / "votes.csv",
        )  # fmt: skip
    assert code == 0
    rows = rows_of(target)
    assert list(rows[0]) == [
        "case", "step", "judge", "perturbation", "repeat", "base", "perturbed", "status",
        "flipped", "shift", "reason", "explanation",
    ]  # fmt: skip
    assert [row["case"] for row in rows] == [c for c in ("p1", "p3", "p0", "p2") for _ in range(3)]
    by_name = {(row["case"], row["perturbation"]): row for row in rows}
    swapped = by_name["p1", "swap"]
    assert (swapped["base"], swapped["perturbed"], swapped["flipped"]) == ("true", "false", "true")
    assert by_name["p0", "swap"]["status"] == "same"
    assert by_name["p0", "order"]["status"] == "not_applicable"
    assert by_name["p0", "order"]["flipped"] == ""
    said = capsys.readouterr()
    # 2 of 4 flip: Wilson (0.5 + z2/8 -+ z sqrt(1/16 + z2/64)) / (1 + z2/4) = 0.150 to 0.850
    lines = [line.split() for line in said.out.splitlines()]
    assert "swap 2/4 50.0% 15.0% to 85.0%".split() in [line[:6] for line in lines]
    assert "flipped most: p1 (1 of 2), p3 (1 of 2)" in said.out
    assert "12 trials: done 12" in said.err
    assert "read truth from 'gold', predicted, names of the cases from 'id'\n" in said.err
    votes = rows_of(tmp_path / "votes.csv")
    assert {vote["variant"] for vote in votes} == {"", "swap", "case"}
    assert len(votes) == 12


def test_json_is_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "trials.jsonl"
    with ProtocolServer(goes_by_place) as server:
        options = ("--set", "truth=gold", "--perturb", "swap", "--json", "-q")
        judges = ("--judge", server.judge("one"), "--judge", server.judge("two"))
        assert stress(STEP, source, "-o", target, *options, *judges) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(rate["judge"][:10], rate["flips"], rate["rate"]) for rate in found["rates"]] == [
        ("openai:one", 2, 0.5),
        ("openai:two", 2, 0.5),
    ]
    assert [one["case"] for one in found["fragile"]] == ["p1", "p1", "p3", "p3"]
    rows = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert {row["flipped"] for row in rows} == {True, False}


def test_a_failed_trial_is_no_flip_and_is_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "trials.csv"
    options = ("--set", "truth=gold", "--perturb", "case", "--cache-mode", "off")

    def breaks(seen: Seen) -> Any:
        return refuse() if "ILLNESS 2" in seen.user else {"same_disease": "yes"}

    with ProtocolServer(breaks) as server:
        arguments = (STEP, source, "-o", target, *options, "--judge", server.judge())
        assert stress(*arguments) == 3
        asked = len(server.seen)
        assert asked == 8
        failed = [row for row in rows_of(target) if row["status"] == "failed"]
        assert [(row["case"], row["flipped"]) for row in failed] == [("p2", "")]
        assert "0/3" in capsys.readouterr().out
        server.script = lambda seen: {"same_disease": "yes"}
        capsys.readouterr()
        assert stress(*arguments, "--estimate", "--json") == 0
        left = json.loads(capsys.readouterr().out)
        assert left["finished_in_the_journal"] == 7 and left["models"][0]["calls"] == 1
        assert stress(*arguments, "--estimate", "--json", "--seed", "1") == 0
        assert json.loads(capsys.readouterr().out)["models"][0]["calls"] == 8  # another job
        account = tmp_path / "account.json"
        assert stress(*arguments, "--account", account) == 0
        assert sum(line["calls"] for line in json.loads(account.read_text())["estimate"]) == 1
        assert len(server.seen) == asked + 1  # the failed trial alone
    assert not (tmp_path / "trials.csv.journal").exists()


def test_interrupted_in_the_middle_it_goes_on(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path, 20), tmp_path / "trials.csv"
    with ProtocolServer([{"same_disease": "yes"}]) as server:
        command = [sys.executable, "-m", "dxjudge", "stress", STEP, str(source)]
        command += ["-o", str(target), "--set", "truth=gold", "--judge", server.judge()]
        command += ["--perturb", "swap,case", "--cache-mode", "off", "--concurrency", "1", "-q"]

        def stop_at_40(seen: Seen) -> Any:
            if seen.number == 40:
                first.send_signal(signal.SIGINT)
            return {"same_disease": "yes"}

        server.script = stop_at_40
        first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        _, told = first.communicate(timeout=120)
        assert first.returncode == 130 and "interrupted" in told
        assert not target.exists()
        kept = len((tmp_path / "trials.csv.journal").read_text().splitlines()) - 1
        assert kept > 0
        server.script = lambda seen: {"same_disease": "yes"}
        before = len(server.seen)
        assert run(command[3:]) == 0
        assert len(server.seen) - before == 60 - kept  # 20 rows, a base and two changes
    assert len(rows_of(target)) == 40


def test_a_kept_cache_replays_without_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "trials.csv"
    options = ("--set", "truth=gold", "--perturb", "swap,injection,repeat")
    with ProtocolServer(goes_by_place) as server:
        arguments = (STEP, source, "-o", target, *options, "--judge", server.judge())
        assert stress(*arguments) == 0
        first, asked = target.read_bytes(), len(server.seen)
        assert asked == 4 * (1 + 1 + 1 + 3)
        assert stress(*arguments, "--cache-mode", "replay") == 0
        assert len(server.seen) == asked and target.read_bytes() == first
        assert stress(*arguments, "--cache-mode", "replay", "--seed", "1") == 6
    assert "not in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--perturb", "swop"], "did you mean swap"),
        (["--case", "nr"], "has no column 'nr'"),
        (["--judge", "openai:m@http://127.0.0.1:9/v1"], "is named twice; name it once"),
        (["--set", "truth=no"], "has no column 'no'"),
    ],
)
def test_what_cannot_be_is_said_before_any_call(
    more: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "pairs.csv"
    source.write_text("predicted,truth,same\na,b,x\nc,d,x\n", encoding="utf-8")
    base = ("--judge", "openai:m@http://127.0.0.1:9/v1", "-o", tmp_path / "out.csv")
    assert stress(STEP, source, *base, *more) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_rows_without_a_name_of_their_own_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "pairs.jsonl"
    rows = [{"id": each, "same": "x", "predicted": "a", "truth": "b"} for each in ("1", None)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    base = ("--judge", "openai:m@http://127.0.0.1:9/v1", "-o", tmp_path / "out.csv")
    assert stress(STEP, source, *base) == 4
    assert "row 2: id is empty" in capsys.readouterr().err
    assert stress(STEP, source, *base, "--case", "same") == 4
    assert "row 2: same is the same as in row 1" in capsys.readouterr().err


def test_trials_go_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = pairs_file(tmp_path)
    assert stress(STEP, source, "-o", "-", "--set", "truth=gold", "--judge", "openai:m") == 2
    assert "the trials go to a file" in capsys.readouterr().err
