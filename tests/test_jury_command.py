"""Several judges on the command line: rows in and out, votes, resuming, weights, people."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.errors import InputError
from dxjudge.graphs.jury.votes_file import read_votes, write_votes
from dxjudge.graphs.jury.weights import read_weights
from dxjudge.scoring.votes import Vote

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer, Seen, fail, refuse
from .scripted import EXAMPLES
from .test_judge_command import pairs_file, rows_of

STEP = "judge_equivalence"
YES, NO = {"same_disease": "yes"}, {"same_disease": "no"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def judged(*arguments: Any) -> int:
    return run([str(each) for each in ("judge", *arguments)])


def no_to(*numbers: int) -> Any:
    def script(seen: Seen) -> Any:
        return NO if any(f"disease {n}" in seen.user for n in numbers) else YES

    return script


def seats(*servers: ProtocolServer) -> list[str]:
    return [each for server in servers for each in ("--judge", server.judge())]


def test_rows_in_and_rows_out_with_the_jurys_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target, votes = pairs_file(tmp_path), tmp_path / "out.csv", tmp_path / "votes.csv"
    with (
        ProtocolServer(no_to(1)) as a,
        ProtocolServer(no_to(1, 2)) as b,
        ProtocolServer(no_to(3)) as c,
    ):
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a, b, c))
        assert judged(*arguments, "--votes", votes, "--case", "nr") == 0
        judges = [a.judge(), b.judge(), c.judge()]
    rows = rows_of(target)
    assert [row["nr"] for row in rows] == ["0", "1", "2", "3"]
    # 0: three yes; 1: no, no, yes; 2: yes, no, yes; 3: yes, yes, no
    assert [row["verdict"] for row in rows] == ["true", "false", "true", "true"]
    assert [row["equivalent"] for row in rows] == ["true", "false", "true", "true"]
    assert {row["status"] for row in rows} == {"decided"}
    assert json.loads(rows[1]["shares"]) == {"false": 0.666667, "true": 0.333333}
    assert json.loads(rows[1]["votes"]) == {"done": 3, "abstained": 0, "failed": 0}
    held = read_votes(votes)
    assert [(vote.case, vote.judge) for vote in held] == [(n, j) for n in "0123" for j in judges]
    assert [vote.verdict for vote in held[3:6]] == [False, False, True]
    said = capsys.readouterr().err
    assert "read truth from 'gold', predicted, names of the cases from 'nr'\n" in said
    assert "4 rows: decided 4 · tied 0 · abstained 0 · no quorum 0" in said
    assert f"{judges[0]}: done 4" in said
    assert "12 calls, 0 votes from the cache, 0 repaired" in said and "cost unknown" in said


def test_failures_replacements_and_ties_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks_on_2(seen: Seen) -> Any:
        if "disease 2" in seen.user:
            return refuse()
        return YES

    def breaks_on_2_and_3(seen: Seen) -> Any:
        return fail(400, "no") if "disease 3" in seen.user else breaks_on_2(seen)

    source, target = pairs_file(tmp_path), tmp_path / "out.jsonl"
    with (
        ProtocolServer(no_to(0)) as a,
        ProtocolServer(breaks_on_2) as b,
        ProtocolServer(breaks_on_2_and_3) as spare,
    ):
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a, b))
        code = judged(*arguments, "--replacement", spare.judge(), "--quorum", "2")
        assert code == 3  # nobody but the first judge answered on row 2
        assert (tmp_path / "out.jsonl.journal").exists()
        replaced = {b.judge(): spare.judge()}
    rows = rows_of(target)
    assert [row["status"] for row in rows] == ["tied", "decided", "no_quorum", "decided"]
    assert rows[0]["reason"] == "no verdict has more than half of 2 votes: False 1, True 1"
    assert rows[2]["replaced"] == replaced and rows[2]["equivalent"] is None
    assert rows[2]["reason"].startswith("1 of 2 votes decide, 0 abstain, 1 failed")
    said = capsys.readouterr().err
    assert "on 1 row\n" in said and "failed (1 vote on row 3): " in said and "(2 votes" not in said


def test_escalation_costs_a_third_call_only_where_two_differ(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path, 6), tmp_path / "out.csv"
    with (
        ProtocolServer(no_to()) as a,
        ProtocolServer(no_to(1, 4)) as b,
        ProtocolServer(no_to(4)) as c,
    ):
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a, b, c))
        assert judged(*arguments, "--escalate", "-q") == 0
        assert [len(server.seen) for server in (a, b, c)] == [6, 6, 2]
    rows = rows_of(target)
    assert [row["verdict"] for row in rows] == ["true", "true", "true", "true", "false", "true"]
    assert [row["escalated"] for row in rows].count("true") == 2


def test_killed_in_the_middle_it_goes_on_and_has_every_vote(tmp_path: Path) -> None:
    source, target, votes = pairs_file(tmp_path, 30), tmp_path / "out.jsonl", tmp_path / "v.csv"
    with ProtocolServer(no_to()) as a, ProtocolServer(no_to()) as b:
        command = [sys.executable, "-m", "dxjudge", "judge", STEP, str(source)]
        command += ["-o", str(target), "--set", "truth=gold", *seats(a, b), "--votes", str(votes)]
        command += ["--cache-mode", "off", "--concurrency", "2", "-q"]

        def stop_at_20(seen: Seen) -> Any:
            if seen.number == 20:
                first.kill()
            return YES

        a.script = stop_at_20
        first = subprocess.Popen(command)
        assert first.wait(60) != 0
        assert not target.exists() and not votes.exists()
        kept = len((tmp_path / "out.jsonl.journal").read_text().splitlines()) - 1
        assert kept >= 5
        a.script = no_to()
        before = len(a.seen)
        assert run(command[3:]) == 0
        assert len(a.seen) - before == 30 - kept
    assert [row["nr"] for row in rows_of(target)] == [str(n) for n in range(30)]
    held = read_votes(votes)
    assert len(held) == 60 and [vote.case for vote in held[::2]] == [str(n) for n in range(1, 31)]
    assert not (tmp_path / "out.jsonl.journal").exists()


def test_another_jury_does_not_use_the_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = pairs_file(tmp_path), tmp_path / "out.csv"

    def only_the_first(seen: Seen) -> Any:
        return no_to()(seen) if seen.number == 1 else refuse()

    with ProtocolServer(only_the_first) as a, ProtocolServer(no_to()) as b:
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a, b))
        assert judged(*arguments, "-q") == 3
        assert judged(*arguments, "-q", "--rule", "plurality") == 4
        assert "of another job" in capsys.readouterr().err
        a.script = no_to()
        assert judged(*arguments, "-q") == 0


def test_a_budget_stops_cleanly_and_the_rest_is_asked_later(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path, 4), tmp_path / "out.jsonl"
    with ProtocolServer(no_to()) as a, ProtocolServer(no_to()) as b:
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a, b), "-q")
        assert judged(*arguments, "--max-calls", "5") == 7
        assert any(row["status"] == "no_quorum" for row in rows_of(target))
        assert judged(*arguments) == 0
        assert len(a.seen) + len(b.seen) == 8
    assert {row["status"] for row in rows_of(target)} == {"decided"}


def test_people_and_rules_on_the_jury(tmp_path: Path) -> None:
    source, target, people = pairs_file(tmp_path), tmp_path / "out.csv", tmp_path / "people.csv"
    write_votes(people, [Vote(n, STEP, "Ann", verdict=n != "2") for n in "0123"])
    with ProtocolServer(no_to(1)) as a:
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(a), "-q")
        code = judged(*arguments, "--human", people, "--case", "nr", "--judge", "rules",
                      "--votes", tmp_path / "v.parquet")  # fmt: skip
    assert code == 0
    # 0 and 3: yes, yes; 1: no, yes; 2: yes, no; the rules decide none of them
    assert [row["status"] for row in rows_of(target)] == ["decided", "tied", "tied", "decided"]
    judges = {vote.judge for vote in read_votes(tmp_path / "v.parquet")}
    assert judges == {a.judge(), "rules", "human:Ann"}


def test_weights_are_given_or_learnt(tmp_path: Path) -> None:
    source, target = pairs_file(tmp_path, 1), tmp_path / "out.csv"
    with (
        ProtocolServer([NO]) as expert,
        ProtocolServer([YES]) as b,
        ProtocolServer([YES]) as c,
    ):
        judges = [expert.judge(), b.judge(), c.judge()]
        given = tmp_path / "weights.csv"
        pairs = zip(judges, (3, 1, 1), strict=True)
        lines = ["judge,weight", *(f"{judge},{weight}" for judge, weight in pairs)]
        given.write_text("\n".join(lines) + "\n", "utf-8")
        arguments = (STEP, source, "-o", target, "--set", "truth=gold", *seats(expert, b, c), "-q")
        assert judged(*arguments, "--weights", given) == 0
        assert rows_of(target)[0]["verdict"] == "false"  # 3 > 1 + 1
        learnt = tmp_path / "labelled.csv"
        votes = [
            Vote(str(n), STEP, judge, verdict=(n + at) % 2 == 0, groups={"label": str(n % 2 == 0)})
            for n in range(6)
            for at, judge in enumerate(judges)
        ]
        write_votes(learnt, votes)  # the first is always right, the second always wrong
        assert judged(*arguments, "--weights", learnt) == 0
        row = rows_of(target)[0]
    # p = 7/8 and 1/8: weights log 7, 0 and log 7 for the first, second and third: a tie
    assert row["status"] == "tied" and json.loads(row["shares"]) == {"false": 0.5, "true": 0.5}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"judge": "a", "weight": True}], "row 1, column 'weight': True is not a number"),
        (
            [{"judge": 1, "weight": 1}, {"judge": "1", "weight": 2}],
            "row 2, column 'judge': '1' occurs twice",
        ),
    ],
)
def test_weights_that_cannot_be_read_are_named(
    rows: list[dict[str, Any]], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "weights.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(InputError, match=told):
        read_weights(path)


def test_a_rubric_by_dimension_and_repeats_in_other_words(tmp_path: Path) -> None:
    source, target, votes = tmp_path / "in.jsonl", tmp_path / "out.jsonl", tmp_path / "v.jsonl"
    lines = (EXAMPLES / "cases.jsonl").read_text("utf-8").splitlines()[:2]
    source.write_text("\n".join(lines) + "\n", "utf-8")
    with ProtocolServer(make_judge(0)) as a, ProtocolServer(make_judge(1)) as b:
        arguments = ("score_rubric", source, "-o", target, *seats(a, b), "--rule", "mean", "-q")
        assert judged(*arguments, "--repeats", 2, "--variants", "shorten", "--votes", votes) == 0
    rows = rows_of(target)
    held = read_votes(votes)
    assert len(held) == 2 * 2 * 2 * 2 * 5  # rows, judges, repeats, wordings, dimensions
    for row in rows:
        assert len(row["verdict"]) == 5
        for name, level in row["verdict"].items():
            said = [
                float(vote.verdict or 0)
                for vote in held
                if vote.case == row["id"] and vote.step == f"score_rubric.{name}"
            ]
            assert len(said) == 8 and level == pytest.approx(sum(said) / 8)
            assert row["dimensions"][name]["raw"] == level


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--judge", "rules", "--rule", "mean"), 2, "the rule mean needs numbers"),
        (("--judge", "rules", "--engine", "rules", "--quorum", "1"), 2, "write --judge rules"),
        (("--judge", "rules", "--repeats", "2", "--repeat", "1"), 2, "for a jury write --repeats"),
        (("--judge", "rules", "--judge", "rules"), 2, "is named twice"),
        (("--judge", "rules", "--votes", "v.doc"), 2, "what format is v.doc"),
        (("--judge", "rules", "--rule", "plurality", "--case", "x"), 2, "no column 'x'"),
        (("--judge", "rules", "--variants", "loud", "--quorum", "1"), 2, "loud"),
        (("--judge", "rules", "--human", "nowhere.csv"), 4, "nowhere.csv"),
        (("--judge", "rules", "--weights", "PAIRS"), 4, "has neither judge and weight nor"),
        (("--judge", "rules", "--case", "nr"), 2, "--case is for a jury"),
        (("--votes", "v.csv"), 2, "at least one judge"),
    ],
)
def test_what_does_not_fit_is_said_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Any, code: int, told: str
) -> None:
    source = pairs_file(tmp_path)
    options = [str(source) if each == "PAIRS" else each for each in arguments]
    assert judged(STEP, source, "-o", tmp_path / "o.csv", "--set", "truth=gold", *options) == code
    assert told in capsys.readouterr().err
    assert not list(tmp_path.glob("o.csv*"))


def test_two_rows_of_one_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,predicted,truth\n1,a,b\n1,c,d\n", "utf-8")
    code = judged(STEP, source, "-o", tmp_path / "o.csv", "--judge", "rules", "--quorum", "1")
    assert code == 4
    assert "row 2: id is the same as in row 1" in capsys.readouterr().err


def test_a_judge_of_the_family_under_test_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = pairs_file(tmp_path, 1)
    with ProtocolServer([YES]) as a:
        arguments = (STEP, source, "-o", tmp_path / "o.csv", "--set", "truth=gold")
        code = judged(*arguments, "--judge", a.judge("gpt-x"), "--under-test", "gpt-y", "-q")
    assert code == 0
    assert "are of one family" in capsys.readouterr().err


def test_the_help_shows_the_jury(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "--help"]) == 0
    said = capsys.readouterr().out
    assert "--escalate" in said and "--rule median" in said
