"""To see what a run does: spans, the log of calls, and the account with its estimate."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dxjudge.agents.engine.run import Run
from dxjudge.agents.watching.prompt_log import PromptLog
from dxjudge.cli.main import run as dxjudge
from dxjudge.graphs.step import run_step

from .protocol_server import ProtocolServer, Seen, refuse, throttle
from .span_collector import running_collector

STEP = "judge_equivalence"
PRICES = (
    "date: 2026-01-01\nsource: test\nmodels:\n  openai:\n    {name}: {{input: 2, output: 10}}\n"
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")


def spans_of(inputs: Any, *acts: Any, times: int = 1) -> list[ReadableSpan]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    with ProtocolServer(list(acts)) as server, Run(tracer=tracer) as run:
        for _ in range(times):
            asyncio.run(run_step(STEP, inputs, judge=server.judge("spy"), run=run, engine="llm"))
    return list(exporter.get_finished_spans())


def test_an_item_its_calls_and_its_repairs_are_spans() -> None:
    pair = {"predicted": "gout", "truth": "podagra"}
    # Throttled, then an answer that does not fit, then a good one.
    bad, good = {"same_disease": "perhaps"}, {"same_disease": "yes"}
    spans = spans_of(pair, throttle(0.01), bad, good)
    names = [span.name for span in spans]
    assert sorted(names) == [
        "chat spy", "chat spy", "chat spy", f"invoke_agent {STEP}", "repair 1"
    ]  # fmt: skip
    item = next(span for span in spans if span.name.startswith("invoke_agent"))
    repair = next(span for span in spans if span.name == "repair 1")
    first, second, third = [span for span in spans if span.name == "chat spy"]
    assert repair.parent is not None and repair.parent.span_id == item.context.span_id
    parents = [span.parent.span_id for span in (first, second, third) if span.parent]
    assert parents == [item.context.span_id, item.context.span_id, repair.context.span_id]
    assert first.attributes is not None and third.attributes is not None
    assert first.attributes["error.type"] == "RequestFault" and not first.status.is_ok
    assert third.attributes["gen_ai.operation.name"] == "chat"
    assert third.attributes["gen_ai.provider.name"] == "openai"
    assert third.attributes["gen_ai.request.model"] == "spy"
    assert third.attributes["gen_ai.request.temperature"] == 0.0
    assert third.attributes["gen_ai.usage.input_tokens"] == 100
    assert third.attributes["gen_ai.usage.output_tokens"] == 20
    assert third.attributes["server.address"] == "127.0.0.1"
    assert third.kind.name == "CLIENT"
    assert item.attributes is not None
    assert (item.attributes["dxjudge.status"], item.attributes["dxjudge.repairs"]) == ("done", 1)
    # Nothing of a patient is in a span.
    assert "podagra" not in "".join(span.to_json() for span in spans)


def test_a_kept_reply_and_a_failure_are_spans_of_items() -> None:
    pair = {"predicted": "gout", "truth": "podagra"}
    names = [span.name for span in spans_of([pair], {"same_disease": "yes"}, times=2)]
    assert names == ["chat spy", f"invoke_agent {STEP}", f"invoke_agent {STEP}"]
    *_, item = spans_of({"predicted": "gout", "truth": "x"}, refuse())
    assert item.attributes is not None and item.attributes["error.type"] == "refused"


def test_without_a_tracer_there_is_no_span() -> None:
    exporter = InMemorySpanExporter()
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run() as run:
        pair = {"predicted": "gout", "truth": "podagra"}
        asyncio.run(run_step(STEP, pair, judge=server.judge(), run=run, engine="llm"))
    assert exporter.get_finished_spans() == ()


def test_the_command_sends_spans_where_the_environment_says(tmp_path: Path) -> None:
    cases = tmp_path / "pairs.csv"
    cases.write_text("predicted,truth\ngout,podagra\n", "utf-8")
    with ProtocolServer([{"same_disease": "yes"}]) as server, running_collector() as collector:
        address, paths = collector
        words = ["judge", STEP, cases, "-o", tmp_path / "o.csv", "--judge", server.judge()]
        subprocess.run(
            [sys.executable, "-m", "dxjudge", *map(str, words), "--engine", "llm", "--otel"],
            env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": address}, check=True,
        )  # fmt: skip
    assert paths == ["/v1/traces"]


def test_spans_that_no_collector_takes_are_told(tmp_path: Path) -> None:
    with (
        ProtocolServer([{"same_disease": "yes"}]) as server,
        running_collector(status=400) as (address, _),
    ):
        words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--engine", "llm"]
        words += ["--judge", server.judge(), "--cache-mode", "off", "--otel"]
        ended = subprocess.run(
            [sys.executable, "-m", "dxjudge", *map(str, words)], check=True, capture_output=True,
            text=True, env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": address},
        )  # fmt: skip
    # Three items with a request each.
    assert "6 spans were not sent: the OpenTelemetry collector did not take them (" in ended.stderr
    assert ended.stderr.count("batch code: 400") == 1  # no lines of the SDK beside it


def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    lines = ["predicted,truth", "gout,podagra", "asthma,croup", "sk-secret-of-the-test,x"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_the_log_has_each_prompt_and_reply_without_keys(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"

    def script(seen: Seen) -> Any:
        is_first = len(seen.body["messages"]) == 2
        return {"same_disease": "perhaps" if "asthma" in seen.user and is_first else "yes"}

    with ProtocolServer(script) as server:
        words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--engine", "llm"]
        words += ["--judge", server.judge(), "--log", log, "--concurrency", "1"]
        assert dxjudge([str(word) for word in words]) == 0
        asked = len(server.seen)
    text = log.read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) == asked == 4
    assert "gout" in lines[0]["user"] and lines[0]["system"]
    assert json.loads(lines[0]["text"]) == {"same_disease": "yes"}
    assert [line["status"] for line in lines].count("invalid") == 1
    repair = next(line for line in lines if line["turn"] == 1)
    assert "perhaps" in repair["turns"][0][0]
    assert "sk-secret" not in text and "[key]" in text
    assert log.stat().st_mode & 0o077 == 0


def test_the_account_has_the_estimate_and_what_it_took(tmp_path: Path, capsys: Any) -> None:
    account = tmp_path / "account.json"
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        prices = tmp_path / "prices.yaml"
        prices.write_text(PRICES.format(name=server.judge().removeprefix("openai:")), "utf-8")
        words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--engine", "llm"]
        words += ["--judge", server.judge(), "--account", account, "--prices", prices]
        assert dxjudge([*map(str, words), "--estimate"]) == 0
        assert not server.seen
        assert "calls" in capsys.readouterr().out
        before = json.loads(account.read_text("utf-8"))
        assert before["estimate"][0]["calls"] == 3 and before["total"]["calls"] == 0
        assert dxjudge([*map(str, words)]) == 0
    after = json.loads(account.read_text("utf-8"))
    assert after["estimate"] == before["estimate"]
    assert after["total"]["calls"] == 3 and after["total"]["tokens_in"] == 300
    # 300 tokens in at $2 and 60 out at $10 a million.
    assert after["total"]["cost"] == pytest.approx((300 * 2 + 60 * 10) / 1e6)
    [line] = after["lines"]
    assert (line["judge"], line["step"], line["done"]) == (server.judge(), STEP, 3)
    assert after["prices"] == "2026-01-01" and after["budget_reached"] is False


def test_an_estimate_beside_a_journal_says_what_is_left(tmp_path: Path, capsys: Any) -> None:
    words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--engine", "llm"]
    with ProtocolServer(lambda seen: {"same_disease": "yes"}) as server:
        words += ["--judge", server.judge(), "--cache-mode", "off"]
        account = tmp_path / "account.json"
        assert dxjudge([*map(str, words), "--max-calls", "2"]) == 7
        left = [*map(str, words), "--estimate", "--json"]
        capsys.readouterr()
        assert dxjudge(left) == dxjudge([*left, "--repeat", "1"]) == 0
        out = capsys.readouterr().out
        assert dxjudge([*map(str, words), "--account", str(account)]) == 0
        assert len(server.seen) == 3
    ends = out.index("}\n{") + 1
    same, other = json.loads(out[:ends]), json.loads(out[ends:])
    assert (same["rows"], same["models"][0]["calls"], same["finished_in_the_journal"]) == (3, 1, 2)
    assert other["models"][0]["calls"] == 3 and "finished_in_the_journal" not in other
    assert json.loads(account.read_text("utf-8"))["estimate"][0]["calls"] == 1


def test_a_jury_is_estimated_juror_by_juror(tmp_path: Path, capsys: Any) -> None:
    words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--repeats", 2, "--estimate"]
    words += ["--judge", "openai:a@http://127.0.0.1:9/v1", "--judge", "openai:gpt-4o"]
    assert dxjudge([*map(str, words)]) == 0
    out = capsys.readouterr().out
    assert out.count("estimate for") == 2
    assert out.count("questions") == 2 and "6\n" in out


def test_an_account_that_cannot_be_written_is_an_error_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server:
        words = ["judge", STEP, pairs(tmp_path), "-o", tmp_path / "o.csv", "--engine", "llm"]
        words += ["--judge", server.judge(), "--account", tmp_path / "none" / "a.json"]
        assert dxjudge([*map(str, words)]) not in (0, 3)
        assert not server.seen


def test_the_prompts_of_a_run_stand_in_the_order_of_their_keys(tmp_path: Path) -> None:
    calls = [("b", "one", None), ("a", "one", None), ("c", "two", "kept")]
    texts = []
    for at, order in enumerate((calls, calls[::-1], [calls[2]])):
        path = tmp_path / f"{at % 2}.jsonl"
        with PromptLog(path) as log:  # the third run goes on with the first one's file
            for key, user, reply in order:
                log.note(key, {"system": "s", "user": user, "images": []}, reply)
        texts.append(path.read_text())
        assert path.stat().st_mode & 0o077 == 0
    assert texts[0] == texts[1] == texts[2]
    lines = [json.loads(line) for line in texts[0].splitlines()]
    assert [line["key"] for line in lines] == ["a", "b", "c"]
    assert ["user" in line for line in lines] == [True, False, True]
    assert lines[0]["messages"] == lines[1]["messages"] and lines[2]["reply"] == "kept"
