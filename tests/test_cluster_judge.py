"""`dxjudge judge --cluster`: one budget and one limit for all workers, and nothing asked twice."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxjudge.agents.engine.estimate import Count
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import parse_judge
from dxjudge.cli.cluster.asking import Jury, OneJudge, add_counts
from dxjudge.cli.cluster.case_names import CaseNames, digests
from dxjudge.cli.cluster.equal_codes import open_codes
from dxjudge.cli.cluster.journal import in_journal
from dxjudge.cli.cluster.judge_work import (
    JUDGED,
    BlockOutcomes,
    Estimate,
    Judge,
    JudgeJob,
    Write,
)
from dxjudge.cli.cluster.judge_work import Count as Counting
from dxjudge.cli.cluster.pieces import Piece
from dxjudge.cli.main import run
from dxjudge.cli.option_groups import RunOptions
from dxjudge.cli.runs.estimates import estimate_facts, estimates_of
from dxjudge.cli.runs.judge_jury import warn_of_votes
from dxjudge.cli.terminal.facts import values_of
from dxjudge.errors import EnvironmentFault, InputError, UsageError
from dxjudge.files.blocks import Blocks
from dxjudge.files.forms import Form
from dxjudge.files.parquet import with_columns
from dxjudge.graphs.jury.columns import votes_cast
from dxjudge.graphs.jury.jurors import HumanVotes
from dxjudge.graphs.jury.votes_file import read_votes, write_votes

from .accounts import calls_by_judge
from .protocol_server import ProtocolServer, Seen, say
from .ray_nodes import two_nodes, with_ray
from .redis_server import running_redis
from .span_collector import running_collector

STEP = "judge_equivalence"


def answer(seen: Seen) -> Any:
    # The delay lets requests overlap where they may.
    return say(
        {"same_disease": "yes" if re.search(r"gout \d*7\b", seen.user) else "no"}, delay=0.02
    )


@pytest.fixture
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(answer) as running:
        yield running


def pairs(first: int, last: int) -> list[dict[str, str]]:
    return [{"predicted": f"gout {n}", "truth": f"asthma {n}"} for n in range(first, last)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as running:
        yield running


@pytest.fixture
def redis_url() -> Iterator[str]:
    with running_redis() as url:
        yield url


def test_a_row_that_is_finished_is_not_asked_again(server: ProtocolServer, tmp_path: Path) -> None:
    rows = [
        *pairs(0, 5),
        {"predicted": "gout", "truth": "gout"},
        {"predicted": "gout", "truth": ""},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    judge = parse_judge(server.judge())
    job = JudgeJob(
        str(tmp_path / "a.parquet"), str(tmp_path / "out"), Form(), (), (),
        OneJudge(STEP, "", judge, "auto", 0),
    )  # fmt: skip
    Blocks(job.output).create(JUDGED)
    piece = json.loads(json.dumps(Piece(0, job.source, (0,)).as_item()))  # as workers get it
    assert Counting(job)(piece) == {"piece": 0, "rows": 7, "unread": "", "cases": None}
    item = {"piece": piece, "first": 0, "rows": 7, "at": 1}
    work = Judge(job, RunOptions(max_calls=3, cache_mode="off"), None)
    first = json.loads(json.dumps(work(item)))
    assert first["counts"]["statuses"] == {"done": 4, "failed": 3}
    assert [line["calls"] for line in first["asked"]["lines"] if line["calls"]] == [3]
    with Run(mode="off") as whole:
        whole.add_counts(first["asked"])
        whole.add_counts(first["asked"])
        [line] = [line for line in whole.ledger.summary() if line.calls]
        assert (line.calls, line.failed, line.failures) == (6, 4, {"budget": 4})
    assert Write(job, 7)(piece) == {"rows": 7, "failed": 3}
    left = Estimate(job, RunOptions(cache_mode="off"), 7)(item)
    assert left["finished"] == 4
    assert [left["counts"][0][name] for name in ("items", "unusable")] == [3, 1]
    again = Judge(job, RunOptions(cache_mode="off"), None)
    second = again(item)
    assert (second["before"], second["counts"]["statuses"]["failed"], len(server.seen)) == (4, 1, 5)
    assert [why for _, why in second["counts"]["failures"]] == [first["counts"]["failures"][-1][1]]
    assert again(item)["asked"]["lines"][0]["calls"] == 0  # only the row without a truth is left
    assert Write(job, 7)(piece) == {"rows": 7, "failed": 1}
    table = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert table["predicted"].to_pylist() == [row["predicted"] for row in rows]
    assert table["equivalent"].to_pylist() == [False] * 5 + [True, None]


def test_a_jury_judges_as_on_one_machine(server: ProtocolServer, tmp_path: Path) -> None:
    rows = [{**row, "id": f"case {n}"} for n, row in enumerate(pairs(5, 9))]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    votes = "".join(f"case {n},{STEP},Ann,{'true' if n else 'false'}\n" for n in range(3))
    (tmp_path / "votes.csv").write_text("case,step,judge,verdict\n" + votes)
    command = [
        "judge", STEP, str(tmp_path / "a.jsonl"), "--judge", server.judge("a"),
        "--judge", server.judge("b"), "--human", str(tmp_path / "votes.csv"), "--quorum", "3",
        "--cache-mode", "off", "-q", "--votes", str(tmp_path / "alone.csv"),
    ]  # fmt: skip
    assert run([*command, "-o", str(tmp_path / "alone.parquet")]) == 3  # Ann has no fourth vote
    voters: list[Any] = [*(parse_judge(server.judge(name)) for name in "ab"),
              HumanVotes(tuple(read_votes(tmp_path / "votes.csv")), "votes.csv")]  # fmt: skip
    jury = Jury(STEP, None, voters, {"quorum": 3})
    job = JudgeJob(str(tmp_path / "a.jsonl"), str(tmp_path / "out"), Form(), (), (), jury)
    Blocks(job.output).create(JUDGED)
    piece = Piece(0, job.source).as_item()
    cases = [f"case {n}" for n in range(4)]
    assert Counting(job, named=True)(piece) == {"piece": 0, "rows": 4, "unread": "",
                                                 "cases": digests(cases)}  # fmt: skip
    work = Judge(job, RunOptions(max_calls=1, cache_mode="off"), None)
    total: dict[str, Any] = {}
    item = {"piece": piece, "first": 0, "rows": 4, "at": 1}
    first = json.loads(json.dumps(work(item)))
    assert first["open"] == 4
    second = json.loads(json.dumps(Judge(job, RunOptions(cache_mode="off"), None)(item)))
    assert (second["open"], second["before"]) == (1, 0)
    add_counts(total, second["counts"], 1)
    told = [str(fact) for fact in jury.facts(total, 0, Run(mode="off"), 0.0)]
    assert "4 rows: decided 3 · tied 0 · abstained 0 · no quorum 1" in told[0]
    assert any("human:Ann: done 3, failed 1" in line for line in told)
    assert Write(job, 4)(piece) == {"rows": 4, "failed": 1}
    table = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert table.to_pylist() == pq.read_table(tmp_path / "alone.parquet").to_pylist()
    assert table["verdict"].to_pylist() == [False, False, True, None]
    write_votes(tmp_path / "out.csv", votes_cast(BlockOutcomes(job, [item])))
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a": "id,predicted,truth\n1,gout,gout\n2,a,b\n", "b": "id,predicted,truth\n3,x,y\n"}, ""),
        ({"a": "predicted,truth\na,b\n", "b": "predicted,truth\na,b\n"}, ""),
        ({"a": "id,predicted,truth\n1,a,b\n", "b": "id,predicted\n1,x\n"}, ""),  # b is unread
        ({"a": "id,predicted,truth\n7,a,b\n", "b": "id,predicted,truth\n7,x,y\n"},
         r"'7' stands twice in \S+a.csv and \S+b.csv"),
        ({"a": "predicted,truth\nx,y\nx,z\n", "b": "id,predicted,truth\n2,a,b\n"},
         r"rows are named by their numbers, and \S+b.csv has names"),
        ({"a": "predicted\nx\n", "b": "predicted,truth\na,b\n"}, "which change once all files are"),
    ],
)  # fmt: skip
def test_each_case_of_a_job_with_votes_has_a_name_of_its_own(
    files: dict[str, str], said: str, tmp_path: Path
) -> None:
    jury = Jury(STEP, None, ["rules"], {})
    job = JudgeJob(str(tmp_path), str(tmp_path / "out"), Form(), (), (), jury)
    names = CaseNames()
    with pytest.raises(InputError, match=said) if said else nullcontext():
        for number, (name, text) in enumerate(files.items()):
            path = tmp_path / f"{name}.csv"
            path.write_text(text)
            piece = Piece(number, str(path))
            item = json.loads(json.dumps(piece.as_item()))
            names.add(piece, json.loads(json.dumps(Counting(job, named=True)(item))))
        names.check(lambda piece: job.names_of(job.read(piece)) or [])


@pytest.mark.parametrize(
    ("names", "left"), [(["7", "008", "x"], "7.5, 8, 9"), ([], "x, 008, 7.5, 9")]
)
def test_votes_of_people_that_meet_no_row_of_a_job_are_said(
    names: list[str], left: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows without names are cases by their numbers: here from 1 to 8, in two files."""
    cases = ["7", "x", "008", "7.5", "8", "9"]
    votes = "".join(f"{case},{STEP},Ann,true\n" for case in cases) + "7,other,Ann,true\n"
    (tmp_path / "votes.csv").write_text("case,step,judge,verdict\n" + votes)
    people = HumanVotes(tuple(read_votes(tmp_path / "votes.csv")), "votes.csv")
    jury = Jury(STEP, None, ["rules", people], {})
    job = JudgeJob(str(tmp_path), str(tmp_path / "out"), Form(), (), (), jury)
    found = CaseNames()
    for number, rows in enumerate((names[:1], names[1:]) if names else (range(5), range(3))):
        path = tmp_path / f"{number}.jsonl"
        named = [{"id": name} if names else {} for name in rows]
        lines = [json.dumps({**row, "predicted": "gout", "truth": "flu"}) + "\n" for row in named]
        path.write_text("".join(lines))
        piece = Piece(number, str(path))
        found.add(piece, Counting(job, named=True)(json.loads(json.dumps(piece.as_item()))))
    assert jury.people() == [people]
    warn_of_votes(job.step, jury.people(), found.among(cases))
    assert capsys.readouterr().err.splitlines() == [
        f"dxjudge: warning: votes.csv: not read: {len(left.split())} votes on other cases: {left}",
        f"dxjudge: warning: votes.csv: not read: 1 vote on other steps than {STEP}",
    ]


def test_a_complete_job_says_that_a_file_cannot_be_written_from_its_blocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    votes = tmp_path / "votes.csv"

    def again(votes: Path | None, votes_in: str) -> int:
        return in_journal(str(tmp_path / "out"), {"votes": votes_in}, (JUDGED,), lambda: ([], 0),
                          as_json=False, quiet=False, made=votes)  # fmt: skip

    assert again(votes, "votes.csv") == 0
    votes.write_text("case,step,judge,verdict\n")
    assert again(votes, "votes.csv") == 0 and "complete before" in capsys.readouterr().err
    votes.unlink()
    with pytest.raises(UsageError, match="votes.csv cannot be written .* remove the folder"):
        again(votes, "votes.csv")
    with pytest.raises(InputError, match=r"another job \(votes differ\)"):
        again(tmp_path / "other.csv", "other.csv")


def test_an_estimate_of_blocks_is_that_of_the_whole_file(
    server: ProtocolServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        *pairs(0, 5),
        *pairs(2, 6),
        {"predicted": "gout", "truth": ""},
    ]  # some stand in two blocks
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    cache = str(tmp_path / "replies.sqlite")
    with Run(cache=cache) as live:
        asked = OneJudge(STEP, "", parse_judge(server.judge()), "llm", 0)
        asked.ask(pairs(0, 2), ["", ""], live)
    voters: list[Any] = [*map(parse_judge, (server.judge(), server.judge("b"))), "rules"]
    jury = Jury(STEP, None, voters, {"repeats": 2})
    options = ["--judge", server.judge()]
    more = ["--judge", server.judge("b"), "--judge", "rules", "--repeats", "2"]
    for asking, flags in ((asked, ["--engine", "llm"]), (jury, more)):
        command = ["judge", STEP, str(path), *options, *flags, "--cache", cache, "--estimate"]
        assert run([*command, "--json"]) == 0
        alone = json.loads(capsys.readouterr().out)
        work = Estimate(JudgeJob(str(path), "-", Form(), (), (), asking), RunOptions(cache=cache))
        counts = [Count() for _ in asking.groups(())]
        for first in range(0, len(rows), 3):
            item = {"piece": Piece(0, str(path)).as_item(), "first": first, "rows": 3}
            result = json.loads(json.dumps(work(item)))
            for count, other in zip(counts, result["counts"], strict=True):
                count.add(other)
        with Run(cache=cache) as live:
            told = estimates_of(asking.groups(()), counts, live)
            assert values_of(estimate_facts(told, live, rows=len(rows))) == alone
    assert alone["models"][0]["calls"] == 4 + 6 and alone["models"][0]["in_the_cache"] == 2


def test_both_orders_are_asked_as_on_one_machine(tmp_path: Path) -> None:
    pair = {"case": "What is it?", "response_a": "It is gout.", "response_b": "It is lupus."}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([pair, {**pair, "case": "And this?"}]), path)
    with ProtocolServer(lambda seen: {"reason": "The first.", "better": "A"}) as server:
        command = ["judge", "choose_better", str(path), "--judge", server.judge(), "--both-orders"]
        command += ["--repeat", "1", "--cache-mode", "off", "-q"]
        assert run([*command, "-o", str(tmp_path / "alone.parquet")]) == 0
        asking = OneJudge("choose_better", "", parse_judge(server.judge()), "auto", 1, True)
        job = JudgeJob(str(path), str(tmp_path / "out"), Form(), (), (), asking)
        Blocks(job.output).create(JUDGED)
        piece = Piece(0, str(path)).as_item()
        item, options = (
            {"piece": piece, "first": 0, "rows": 2, "at": 1},
            RunOptions(cache_mode="off"),
        )
        assert Estimate(job, options)(item)["counts"][0]["items"] == 4
        assert Judge(job, options, None)(item)["open"] == 0
        assert len(server.seen) == 8
    Write(job, 2)(piece)
    written = [
        pq.read_table(tmp_path / name) for name in ("alone.parquet", "out/part-000000.parquet")
    ]
    assert written[0].to_pylist() == written[1].to_pylist()
    assert written[1]["better"].to_pylist() == ["tie", "tie"]
    with pytest.raises(UsageError, match="both orders are for choose_better"):
        OneJudge(STEP, "", None, "rules", 0, True).about()


COMPARED = [
    ("heart attack", "acute myocardial infarction"),  # equal codes
    ("gout", "asthma"),
    ("pulmonary embolism", "saddle embolus of pulmonary artery"),  # one code above the other
    ("Gout", "gout"),
    ("", "gout"),
    ("gout", ""),
    ("that, I do not know", "heart attack"),
]


@pytest.mark.parametrize(
    "judges",
    [["--engine", "ontology"], ["--judge", "ontology", "--judge", "rules", "--quorum", "1"]],
)
def test_equal_codes_judge_as_on_one_machine(
    judges: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"predicted": one, "truth": other} for one, other in COMPARED]
    path, alone = tmp_path / "a.parquet", tmp_path / "alone.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert run(["judge", STEP, str(path), *judges, "-o", str(alone)]) == 3
    codes = open_codes("all")
    asking = (
        OneJudge(STEP, "", None, "ontology", 0, codes=codes)
        if "--engine" in judges
        else Jury(STEP, None, ["ontology", "rules"], {"quorum": 1}, codes=codes)
    )
    assert asking.about()["mapper"] == codes.signature
    job = JudgeJob(str(path), str(tmp_path / "out"), Form(), (), (), asking)
    Blocks(job.output).create(JUDGED)
    piece = Piece(0, str(path)).as_item()
    work = Judge(job, RunOptions(cache_mode="off"), None)
    for first in (0, 4):
        work({"piece": piece, "first": first, "rows": min(4, 7 - first), "at": first + 1})
    Write(job, 4)(piece)
    table = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert table.equals(pq.read_table(alone))
    verdicts = table["equivalent" if "--engine" in judges else "verdict"].to_pylist()
    assert verdicts == [True, False, None, True, None, None, None]
    other = replace(asking, codes=replace(codes, signature="icd10cm-another"))
    with pytest.raises(EnvironmentFault, match="another version of dxjudge, other sources"):
        other.ask(rows, ["1"] * 7, Run(mode="off"))


def test_numbers_are_read_as_they_stand_in_the_file(tmp_path: Path) -> None:
    """Also where Arrow, and so the output, gives a column of both kinds one type."""
    rows = [
        {"id": 5, "predicted": 7, "truth": "7"},
        {"id": 5.5, "predicted": 7.5, "truth": "7"},
        {"id": 6, "predicted": 2, "truth": 2.0},
    ]
    path, votes = tmp_path / "a.json", tmp_path / "votes.csv"
    path.write_text(json.dumps(rows))
    command = ["judge", STEP, str(path), "--judge", "rules", "--votes", str(votes), "-q"]
    assert run([*command, "-o", str(tmp_path / "alone.parquet")]) == 3
    job = JudgeJob(
        str(path), str(tmp_path / "out"), Form(), (), (), Jury(STEP, None, ["rules"], {})
    )
    Blocks(job.output).create(JUDGED)
    piece = Piece(0, str(path)).as_item()
    items = [{"piece": piece, "first": 0, "rows": 2, "at": 1},
             {"piece": piece, "first": 2, "rows": 1, "at": 3}]  # fmt: skip
    for item in items:
        Judge(job, RunOptions(cache_mode="off"), None)(item)
    Write(job, 2)(piece)
    table = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert table.equals(pq.read_table(tmp_path / "alone.parquet"))
    assert table["verdict"].to_pylist() == [True, None, True]  # 2.0 is 2, as a whole number
    write_votes(tmp_path / "out.csv", votes_cast(BlockOutcomes(job, items)))
    assert (tmp_path / "out.csv").read_bytes() == votes.read_bytes()


def test_numbers_in_a_column_of_texts_are_written_as_texts() -> None:
    """As of a step of one's own whose result is a Literal of numbers and words."""
    table = with_columns(
        pa.table({"a": [1, 2, 3]}), {"b": [0, "x", None]}, {"b": frozenset((str,))}
    )
    assert table["b"].to_pylist() == ["0", "x", None]


def test_a_column_of_texts_may_be_named_like_a_score() -> None:
    words: dict[str, list[Any]] = {
        "score_words": ["good", None],
        "score": [1, None],
        "category_score": [None, None],
    }
    table = with_columns(pa.table({"a": [1, 2]}), words)
    assert table["score_words"].to_pylist() == ["good", None]
    assert table.schema.field("score").type == table.schema.field("category_score").type
    assert table["score"].to_pylist() == [1.0, None]


def test_a_given_text_that_can_be_no_path_is_taken_as_it_is(
    server: ProtocolServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray.data", None)  # as without Ray
    (tmp_path / "a.csv").write_text("predicted\ngout\n")
    words = ["judge", STEP, str(tmp_path / "a.csv"), "-o", str(tmp_path / "out"), "--engine", "llm"]
    words += ["--judge", server.judge(), "--give", f"truth=~5 {'x' * 300}", "--cluster", "no:1"]
    assert run(words) == 6  # Ray is missing; the text was no fault
    assert "dxjudge[ray]" in capsys.readouterr().err


def test_a_file_without_the_fields_of_the_step_is_unread(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("predicted,note\ngout,x\n")
    path = str(tmp_path / "a.csv")
    job = JudgeJob(
        path, str(tmp_path / "out"), Form(), (), (), OneJudge(STEP, "", None, "rules", 0)
    )
    counts = Counting(job)(Piece(0, path).as_item())
    assert counts["rows"] == 0 and "a.csv" in counts["unread"] and "needs truth" in counts["unread"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--judge", "openai:a", "--judge", "openai:b", "--journal", "j"],
            "without --journal: leave that out",
        ),
        (["--engine", "rules", "-o", "-"], "reads files and writes a folder"),
    ],
)
def test_what_a_cluster_cannot_do_is_said_before_any_work(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("predicted,truth\ngout,gout\n")
    places = [str(tmp_path / "in.csv"), "-o", str(tmp_path / "out")]
    if "-o" in options:
        places = places[:1]
    assert run(["judge", STEP, *places, *options, "--cluster"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@with_ray
def test_a_budget_and_a_limit_hold_for_all_workers_and_nothing_is_asked_twice(
    cluster: Any,
    server: ProtocolServer,
    redis_url: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "in").mkdir()
    rows = pairs(0, 250)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in" / "a.parquet")
    # The same questions again, in blocks that other workers have.
    (tmp_path / "in" / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]))
    out = tmp_path / "out"
    command = [
        "judge", STEP, str(tmp_path / "in"), "-o", str(out), "--engine", "llm", "--json",
        "--judge", server.judge(), "--cache", redis_url, "--concurrency", "3",
        "--cluster", cluster.address,
    ]  # fmt: skip
    assert run([*command, "--estimate"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["rows"], told["models"][0]["calls"], len(server.seen)) == (500, 250, 0)
    assert not out.exists()
    assert run([*command, "--max-calls", "40"]) == 7
    told = json.loads(capfd.readouterr().out)
    assert len(server.seen) == 40 == told["calls"]
    assert told["statuses"]["failed"] == 500 - told["statuses"]["done"] > 400
    finished = told["statuses"]["done"]
    assert run([*command, "--estimate"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["rows"], told["finished_in_the_journal"]) == (500, finished)
    assert told["models"][0]["calls"] == 210 and len(server.seen) == 40
    account = tmp_path / "account.json"
    assert run([*command, "--account", str(account)]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["statuses"]["done"], len(server.seen)) == (500, 250)
    estimated, made = calls_by_judge(account)
    assert estimated == made == {server.judge(): 210}
    assert server.peak <= 3
    judged = [
        row for part in sorted(out.glob("*.parquet")) for row in pq.read_table(part).to_pylist()
    ]
    assert [row["predicted"] for row in judged] == [row["predicted"] for row in rows + rows[::-1]]
    assert [row["equivalent"] for row in judged] == [row["predicted"][-1] == "7" for row in judged]


@with_ray
def test_a_killed_driver_goes_on_and_no_answer_is_paid_twice(
    cluster: Any, server: ProtocolServer, redis_url: str, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    rows = pairs(0, 700)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in" / "a.parquet")
    (tmp_path / "in" / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]))
    options = [
        "--engine", "llm", "--judge", server.judge(), "--concurrency", "4",
        "--cluster", cluster.address,
    ]  # fmt: skip

    def command(out: str, *more: str) -> list[str]:
        return ["judge", STEP, str(tmp_path / "in"), "-o", str(tmp_path / out), *options, *more]

    assert run([*command("whole"), "--cache", f"{tmp_path}/whole.sqlite", "-q"]) == 0
    server.seen.clear()
    broken = command("out", "--cache", redis_url)
    process = subprocess.Popen(
        [sys.executable, "-m", "dxjudge", *broken], stderr=subprocess.DEVNULL
    )
    while len(list((tmp_path / "out" / JUDGED).glob("*.parquet"))) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run([*broken, "-q"]) == 0
    # Only requests that were under way when it died may be sent again.
    assert 700 <= len(server.seen) <= 700 + 4
    assert len({seen.user for seen in server.seen}) == 700
    parts = [sorted((tmp_path / out).glob("*.parquet")) for out in ("whole", "out")]
    assert [path.name for path in parts[0]] == [path.name for path in parts[1]]
    assert [path.read_bytes() for path in parts[0]] == [path.read_bytes() for path in parts[1]]


@with_ray
def test_a_jury_votes_on_a_cluster(
    cluster: Any, server: ProtocolServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    for name, first in (("a", 0), ("b", 240)):  # two blocks, and one
        rows = [
            {"id": f"case {n}", **row} for n, row in enumerate(pairs(first, first + 240), first)
        ]
        (tmp_path / "in" / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    votes = "".join(f"case {n},{STEP},Ann,true\n" for n in range(480))
    (tmp_path / "votes.csv").write_text("case,step,judge,verdict\n" + votes)
    judges = ["--judge", server.judge("a"), "--judge", server.judge("b")]
    command = [
        "judge", STEP, str(tmp_path / "in"), "-o", str(tmp_path / "out"), *judges, "-q",
        "--human", str(tmp_path / "votes.csv"), "--cache-mode", "off", "--cluster", cluster.address,
        "--votes", str(tmp_path / "cast.csv"),
    ]  # fmt: skip
    assert run(command) == 0
    parts = sorted((tmp_path / "out").glob("*.parquet"))
    judged = [row for part in parts for row in pq.read_table(part).to_pylist()]
    assert [row["id"] for row in judged] == [f"case {n}" for n in range(480)]
    assert [row["verdict"] for row in judged] == [n % 10 == 7 for n in range(480)]
    assert len(server.seen) == 2 * 480
    cast = read_votes(tmp_path / "cast.csv")
    assert [vote.case for vote in cast[::3]] == [f"case {n}" for n in range(480)]
    assert run(command) == 0
    assert run(command[:-2]) == 4
    assert "(votes differ)" in capsys.readouterr().err
    (tmp_path / "in" / "b.jsonl").write_text(json.dumps({**rows[0], "id": "case 3"}) + "\n")
    command[4] = str(tmp_path / "another")
    assert run(command) == 4
    assert "'case 3' stands twice in" in capsys.readouterr().err and len(server.seen) == 2 * 480


@with_ray
def test_equal_codes_judge_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.parquet"
    rows = [{"predicted": one, "truth": other} for one, other in COMPARED[:5]] * 90  # three blocks
    pq.write_table(pa.Table.from_pylist(rows), path)
    command = ["judge", STEP, "-q", "--engine", "ontology"]
    alone, out = tmp_path / "alone.parquet", tmp_path / "out"
    code = run([*command, str(path), "-o", str(alone)])
    assert run([*command, str(path.parent), "-o", str(out), "--cluster", cluster.address]) == code
    assert pq.read_table(out / "part-000000.parquet").equals(pq.read_table(alone))


@with_ray
def test_a_lost_node_costs_no_line_of_the_log_and_spans_are_sent(
    server: ProtocolServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(pa.Table.from_pylist(pairs(0, 900)), tmp_path / "in" / "a.parquet")
    log = tmp_path / "log.jsonl"
    with running_collector() as (address, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        with two_nodes() as own:
            lost = own.add_node(num_cpus=1)
            own.wait_for_nodes()
            command = [
                sys.executable, "-m", "dxjudge", "judge", STEP, str(tmp_path / "in"), "-o",
                f"{tmp_path}/out", "--engine", "llm", "--judge", server.judge(),
                "--cache", f"{tmp_path}/c.sqlite", "--concurrency", "6", "--log", str(log),
                "--otel", "--cluster", own.address,
            ]  # fmt: skip
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            while len(server.seen) < 300:
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.02)
            own.remove_node(lost, allow_graceful=False)
            assert process.wait() == 0, process.communicate()[1]
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    # A request that was under way on the lost node has no end that could be logged.
    assert len(server.seen) - 6 <= len(lines) <= len(server.seen)
    assert {line["user"] for line in lines} == {seen.user for seen in server.seen}
    assert len({line["key"] for line in lines if line["status"] == "valid"}) == 900
    assert len(spans) >= 5  # those of a block are sent when it is finished
