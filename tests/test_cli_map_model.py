"""`dxjudge map --model`: a judge on a real socket chooses among the candidates."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run
from dxjudge.ontology.tree import load_tree

from .accounts import calls_by_judge
from .protocol_server import ProtocolServer, Seen, fail, refuse

KEY = "sk-planted-0123456789abcdef"
# The first two are terms of the release; the others are in nobody's list.
CALLS, KEPT = "calls", "in the cache"
TEXTS = ["Whooping cough", "Bell's palsy", "feeble heart", "toe pain bad"]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DXJUDGE_SERVER_KEY", KEY)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text("\n".join(["dx", *TEXTS, TEXTS[-1]]) + "\n", encoding="utf-8")
    return path


def shown(seen: Seen) -> list[str]:
    """The candidate names as the model saw them."""
    return [line[2:] for line in seen.user.splitlines() if line.startswith("- ")]


def last(seen: Seen) -> dict[str, str]:
    """A model that chooses the last name, which no retrieval would."""
    return {"choice": shown(seen)[-1]}


def map_file(source: Path, judge: str, *options: object) -> int:
    """Map with a cache beside the input, the output into out.csv."""
    cache = source.parent / "replies.sqlite"
    rest = ("--model", judge, "--cache", cache, "-o", source.parent / "out.csv", *options)
    return run(["map", str(source), *map(str, rest)])


def rows_of(source: Path) -> list[dict[str, str]]:
    with (source.parent / "out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_choice_of_the_model_wins_and_is_kept(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProtocolServer(last) as server:
        assert map_file(source, server.judge()) == 0
        told = {text: shown(seen) for seen in server.seen for text in TEXTS if text in seen.user}
        assert len(server.seen) == len(told) == 4  # each distinct text once
        rows, said = rows_of(source), capsys.readouterr().err
        assert "4 calls, 0 texts from the cache\n" in said
        assert "400 tokens in, 80 out, cost unknown" in said  # 4 x (100, 20) at the server
        assert map_file(source, server.judge()) == 0
        assert len(server.seen) == 4
        assert "0 calls, 4 texts from the cache" in capsys.readouterr().err
    assert rows_of(source) == rows
    assert [row["dx"] for row in rows] == [*TEXTS, TEXTS[-1]]
    for row in rows:
        assert len(told[row["dx"]]) == 15
        assert (row["name"], row["decided_by"]) == (told[row["dx"]][-1], "llm")
        assert load_tree().name(row["code"]) == row["name"]


def test_the_model_sees_names_and_no_codes(source: Path) -> None:
    with ProtocolServer(last) as server:
        assert map_file(source, server.judge(), "--top-k", "3", "--shuffle", "7") == 0
        shuffled = {tuple(shown(seen)) for seen in server.seen}
        assert map_file(source, server.judge(), "--top-k", "3") == 0
        plain = {tuple(shown(seen)) for seen in server.seen[4:]}
    assert all(len(names) == 3 for names in shuffled | plain)
    assert shuffled != plain
    assert {frozenset(names) for names in shuffled} == {frozenset(names) for names in plain}
    for row in rows_of(source):
        assert row["code"] not in " ".join(text for seen in server.seen for text in seen.texts)


def test_none_fits_is_unmapped_and_decided_by_the_model(source: Path) -> None:
    with ProtocolServer([{"choice": None}]) as server:
        assert map_file(source, server.judge()) == 0
    assert {(row["code"], row["status"]) for row in rows_of(source)} == {("", "unmapped")}
    assert {row["reason"] for row in rows_of(source)} == {"no candidate stands for the diagnosis"}


def never_listed(seen: Seen) -> Any:
    return {"choice": "Dragon pox"} if "feeble heart" in seen.user else last(seen)


def test_an_answer_outside_the_list_is_repaired_then_failed(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProtocolServer(never_listed) as server:
        assert map_file(source, server.judge()) == 3
        asked = [seen for seen in server.seen if "feeble heart" in seen.user]
    assert len(asked) == 3  # the question and two repairs
    assert any("'Dragon pox' is not one of the candidate names" in text for text in asked[-1].texts)
    failed = rows_of(source)[2]
    assert (failed["code"], failed["status"], failed["decided_by"]) == ("", "failed", "none")
    assert failed["reason"].startswith("the model failed (invalid): invalid: choice: 'Dragon pox'")
    assert [row["status"] for row in rows_of(source)].count("mapped") == 4
    assert "the model failed: 1 invalid\n" in capsys.readouterr().err


def test_the_embedded_choice_stands_only_where_asked_and_says_so(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = source.parent / "table.tsv"
    with ProtocolServer(never_listed) as server:
        assert map_file(source, server.judge(), "--fallback", "embedded", "--table", table) == 0
        kept = rows_of(source)[2]
        assert (kept["decided_by"], kept["status"]) == ("embedded", "mapped")
        assert kept["reason"].startswith("embedded choice: the model failed (invalid)")
        assert "embedded choice stands for 1 text" in capsys.readouterr().err
        asked = len(server.seen)
        server.script = last
        assert map_file(source, server.judge(), "--fallback", "embedded", "--table", table) == 0
        assert len(server.seen) == asked + 1  # the next run asks again what had failed
    assert {row["decided_by"] for row in rows_of(source)} == {"llm"}


def test_the_ambiguous_alone_are_asked(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ProtocolServer(last) as server:
        assert map_file(source, server.judge(), "--rerank", "ambiguous") == 0
        assert len(server.seen) == 2
    deciders = [row["decided_by"] for row in rows_of(source)]
    assert deciders == ["exact", "exact", "llm", "llm", "llm"]
    assert "2 calls, 0 texts from the cache; 2 exact and" in capsys.readouterr().err


def test_an_estimate_sends_and_writes_nothing(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProtocolServer(last) as server:
        options = ("--rerank", "ambiguous")
        assert map_file(source, server.judge(), *options, "--estimate") == 0
        assert server.seen == []
        assert not (source.parent / "out.csv").exists()
        before = numbers_of(capsys.readouterr().out)
        assert map_file(source, server.judge(), *options, "-q") == 0
        assert map_file(source, server.judge(), *options, "--estimate") == 0
        after = numbers_of(capsys.readouterr().out)
    assert before["distinct texts"] == "4"
    assert [before[name] for name in ("equal to a term", CALLS, KEPT)] == ["2", "2", "0"]
    assert before["cost, about"] == "unknown"
    assert int(before["tokens in, about"].replace(",", "")) > 200
    assert (after[CALLS], after[KEPT], after["tokens in, about"]) == ("0", "2", "0")


def test_the_account_has_the_estimate_of_what_was_left_to_ask(source: Path) -> None:
    account = source.parent / "account.json"
    with ProtocolServer(never_listed) as server:
        options = ("--rerank", "ambiguous", "--account", account)
        assert map_file(source, server.judge(), *options) == 3
        estimated, made = calls_by_judge(account)
        # Two texts are asked about, and one of them is repaired twice, which nobody can foresee.
        assert estimated == {server.judge(): 2} and made == {server.judge(): 4}
        server.script = last
        assert map_file(source, server.judge(), *options) == 0
    estimated, made = calls_by_judge(account)
    assert estimated == made == {server.judge(): 1}


def test_an_estimate_beside_a_journal_says_what_is_left(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estimate = ("--cache-mode", "off", "--estimate", "--json")
    told = []
    with ProtocolServer(never_listed) as server:
        assert map_file(source, server.judge(), "--cache-mode", "off", "-q") == 3  # one text failed
        journal = source.parent / "out.csv.journal"
        whole = journal.read_bytes()
        journal.write_bytes(whole + b'{"key":"half')  # as of a run that is writing it
        for options in (estimate, (*estimate, "--top-k", "3")):  # the second is another job
            capsys.readouterr()
            assert map_file(source, server.judge(), *options) == 0
            told.append(json.loads(capsys.readouterr().out))
        assert journal.read_bytes().startswith(whole) and len(server.seen) == 6
    assert [one["models"][0]["calls"] for one in told] == [1, 4]
    assert [one.get("finished_in_the_journal") for one in told] == [3, None]
    assert [one["texts_without_a_call"] for one in told] == [3, 0]


def test_an_empty_cell_is_no_text_to_an_estimate(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with source.open("a", encoding="utf-8") as file:
        file.write('""\nN/A\n')
    assert map_file(source, "openai:gpt-4o", "--estimate") == 0
    found = numbers_of(capsys.readouterr().out)
    assert (found["distinct texts"], found[CALLS]) == ("5", "4")
    assert "equal to a term" not in found  # with --rerank all the model is asked about these too
    assert found["no diagnosis, or no candidate"] == "1"


def numbers_of(printed: str) -> dict[str, str]:
    lines = [line.strip().rsplit(maxsplit=1) for line in printed.splitlines()]
    return {name: value for name, value in (line for line in lines if len(line) == 2)}


def test_a_known_price_is_estimated_without_a_key(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert map_file(source, "openai:gpt-4o", "--estimate") == 0
    cost = numbers_of(capsys.readouterr().out)["cost, about"]
    assert 0.0001 < float(cost.removeprefix("$")) < 0.1


def test_a_budget_ends_the_asking_and_the_output_is_whole(source: Path) -> None:
    with ProtocolServer(last) as server:
        assert map_file(source, server.judge(), "--max-calls", "1") == 7
        assert len(server.seen) == 1
        rows = rows_of(source)
        assert len(rows) == 5
        failed = [row for row in rows if row["status"] == "failed"]
        assert {row["dx"] for row in rows if row["status"] == "mapped"} < set(TEXTS)
        assert all(row["reason"].startswith("the model failed (budget)") for row in failed)
        assert map_file(source, server.judge()) == 0
        assert len(server.seen) == 4


@pytest.mark.parametrize("mode", ["read-write", "refresh", "off"])
def test_a_missing_key_is_named_before_any_work(
    source: Path, mode: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_tree()  # its first use in a process keeps it in the folder, too
    # Were the index loaded, this folder would hold one, minutes later.
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(source.parent / "empty"))
    assert map_file(source, "openai:gpt-4o", "--cache-mode", mode) == 6
    said = capsys.readouterr().err
    assert (
        said == "dxjudge: openai:gpt-4o needs a key: set the environment variable OPENAI_API_KEY\n"
    )
    assert not (source.parent / "empty").exists()
    assert not (source.parent / "out.csv").exists()


def test_kept_replies_need_no_key(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ProtocolServer(last) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert map_file(source, "openai:gpt-4o") == 0
        rows = rows_of(source)
        monkeypatch.delenv("OPENAI_API_KEY")
        for mode in ("read-write", "replay"):
            assert map_file(source, "openai:gpt-4o", "--cache-mode", mode) == 0
            assert rows_of(source) == rows
        assert map_file(source, "openai:gpt-4o", "--cache-mode", "refresh") == 6
        assert len(server.seen) == 4


def test_a_replay_of_what_was_never_asked_is_an_error(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert map_file(source, "openai:gpt-4o", "--cache-mode", "replay") == 6
    assert "4 replies are not in" in capsys.readouterr().err


def test_a_refused_key_stops_the_run(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ProtocolServer([fail(401, f"Incorrect API key provided: {KEY}")]) as server:
        assert map_file(source, server.judge()) == 6
    said = capsys.readouterr().err
    assert "DXJUDGE_SERVER_KEY" in said
    assert KEY not in said


def test_the_key_is_in_nothing_written(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def echo(seen: Seen) -> Any:
        said = f"Bad request with {seen.headers['authorization']}"
        return fail(400, said) if "feeble heart" in seen.user else last(seen)

    with ProtocolServer(echo) as server:
        table = source.parent / "table.tsv"
        assert map_file(source, server.judge(), "--table", table) == 3
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    written = capfd.readouterr()
    assert KEY not in written.out + written.err
    files = [path for path in source.parent.rglob("*") if path.is_file()]
    assert {"out.csv", "table.tsv", "replies.sqlite"} <= {path.name for path in files}
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_the_other_wire(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with ProtocolServer(last) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        assert map_file(source, "anthropic:claude-sonnet-4-20250514") == 0
    assert {seen.wire for seen in server.seen} == {"anthropic"}
    assert {row["decided_by"] for row in rows_of(source)} == {"llm"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rerank", "ambiguous"], "--rerank: no model is asked; name one with --model"),
        (["--max-cost", "1", "--estimate"], "--estimate, --max-cost: no model is asked"),
        (
            ["--model", "gpt-4o", "--estimate"],
            "because gpt-4o is read as the name of an embedding model",
        ),
        (
            ["--model", "openai:gpt-4o", "--rerank", "some"],
            "rerank is 'some'; it must be all, ambiguous or none",
        ),
        (["--model", "openai:gpt-4o", "--fallback", "x"], "fallback is 'x'; it must be embedded"),
        (["--model", "openai:gpt-4o", "--cache-mode", "x"], "cache mode 'x' is not one of"),
        (["--model", "openai:"], "openai:MODEL"),
        (
            ["--model", "a/b", "--encoder", "c/d"],
            "--model a/b and --encoder c/d are two embedding models",
        ),
        (["--encoder", "openai:gpt-4o"], "openai:gpt-4o is a model that writes text, not an"),
        (["--encoder", "mistral:large"], "mistral:large is a model that writes text, not an"),
        (["--model", "openai:none@http://127.0.0.1:9/v1", "--max-cost", "1"], "is unknown"),
    ],
)
def test_options_that_do_not_fit_are_said_before_any_work(
    source: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["map", str(source), *options]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1


def test_search_takes_no_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "gout", "--encoder", "openai:gpt-4o"]) == 2
    assert "search takes an embedding model" in capsys.readouterr().err


def test_a_refusal_is_counted_by_its_kind(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ProtocolServer(lambda seen: refuse() if "toe" in seen.user else last(seen)) as server:
        assert map_file(source, server.judge()) == 3
    assert "the model failed: 1 refused" in capsys.readouterr().err
    assert [row["status"] for row in rows_of(source)] == ["mapped"] * 3 + ["failed"] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interruption_keeps_replies_and_table(tmp_path: Path) -> None:
    source, table = tmp_path / "in.txt", tmp_path / "table.tsv"
    source.write_text("".join(f"gout of toe {number}\n" for number in range(130)), "utf-8")
    command = [sys.executable, "-m", "dxjudge", "map", str(source), "-o", str(tmp_path / "out.csv")]
    command += ["--table", str(table), "--cache", str(tmp_path / "replies.sqlite")]
    # Its index is small, so that a start is cheap.
    release = Path(__file__).parent / "data" / "releases" / "own.py"
    command += ["--ontology", f"{release}:ICD11"]

    # With 4 calls at once a batch has 64 texts: the 80th question is of the second.
    def interrupt(seen: Seen) -> Any:
        if seen.number == 80:
            first.send_signal(signal.SIGINT)
        return last(seen)

    with ProtocolServer(interrupt) as server:
        command += ["--model", server.judge(), "--concurrency", "4"]
        first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        _, said = first.communicate(timeout=120)
        assert first.returncode == 130
        assert "64 newly mapped texts are kept" in said
        assert len(table.read_text("utf-8").splitlines()) == 65
        asked = len(server.seen)
        server.script = last
        assert run([*command[3:], "-q"]) == 0
        # 79 were asked before the signal; the few in flight may be asked again.
        assert len(server.seen) - asked <= 130 - 75
    assert len((tmp_path / "out.csv").read_text("utf-8").splitlines()) == 131


def interpreter(seen: Seen) -> dict[str, str]:
    return {"language": "German", "english": "whooping cough"}


def test_translate_shows_what_was_searched_and_estimates_both_kinds_of_calls(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_text("dx\nKeuchhusten\nBellsche Lähmung\n", encoding="utf-8")
    with ProtocolServer(interpreter) as server:
        options = ("--translate", "--rerank", "none")
        assert map_file(source, server.judge(), *options, "--estimate") == 0
        printed = capsys.readouterr().out
        assert "2 of the calls translate" in printed
        assert (numbers_of(printed)[CALLS], server.seen) == ("2", [])
        assert map_file(source, server.judge(), *options) == 0
        assert len(server.seen) == 2
        assert map_file(source, server.judge(), *options) == 0
        assert len(server.seen) == 2
    rows = rows_of(source)
    assert [row["dx"] for row in rows] == ["Keuchhusten", "Bellsche Lähmung"]
    assert {row["code"][:3] for row in rows} == {"A37"}
    assert {row["reason"] for row in rows} == {"translated: whooping cough"}


def test_translate_needs_a_model(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", str(source), "--translate"]) == 2
    assert "--translate: no model is asked" in capsys.readouterr().err
