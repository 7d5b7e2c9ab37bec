"""The replies of two real small models that ship with the examples replay without any model."""

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import JudgeSpec, parse_judge
from dxjudge.agents.outcome import Outcome
from dxjudge.cache.cassette import import_cassette
from dxjudge.cache.replies import Replies
from dxjudge.cli.main import run as main
from dxjudge.errors import ReplayMiss
from dxjudge.graphs.case import judge_case
from dxjudge.graphs.case_record import CaseRecord
from dxjudge.graphs.step import run_step

from .scripted import EXAMPLES, example_rows

CASSETTE = EXAMPLES / "replies.jsonl"
BENCHMARK = EXAMPLES.parent / "benchmarks" / "steps.py"
QWEN = parse_judge("openai:qwen2.5-coder-0.5b@http://127.0.0.1:8080/v1", max_tokens=200)
SMOL = "openai:smollm2-135m@http://127.0.0.1:8081/v1"
CASES = 37  # whose answers are kept for the branches of the whole case


@pytest.fixture(scope="module")
def tasks() -> Any:
    spec = importlib.util.spec_from_file_location("steps_benchmark", BENCHMARK)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module.TASKS


def entries() -> list[dict[str, Any]]:
    lines = CASSETTE.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replies") / "replies.sqlite"
    import_cassette(Replies(path, "read-write"), CASSETTE)
    return path


def check(outcome: Outcome) -> str | None:
    """The key of a kept reply; it must be a valid answer that cost nothing."""
    if outcome.decided_by != "llm":
        return None
    assert outcome.status in ("done", "abstained")
    assert outcome.cached and outcome.calls == 0
    return outcome.key


async def replay_items(tasks: Any, judges: list[JudgeSpec], run: Run) -> set[str | None]:
    found = set()
    for task in tasks:
        for inputs, _ in task.items():
            for judge in judges:
                asked = run_step(task.step, inputs, judge=judge, run=run, engine="llm")
                try:
                    found.add(check(await asked))
                except ReplayMiss:
                    continue
    return found


async def replay_cases(run: Run) -> list[CaseRecord]:
    """The example cases of which every answer is kept."""
    found = []
    for row in example_rows("cases.jsonl"):
        case = {name: row[name] for name in ("id", "case", "reference", "diagnosis", "response")}
        asked = judge_case(
            case, judge=QWEN, branches=["equivalence", "final_grade"], run=run, engine="llm"
        )
        try:
            found.append(await asked)
        except ReplayMiss:
            continue
    return found


def test_every_kept_reply_replays_to_a_valid_outcome(tasks: Any, store: Path) -> None:
    kept = entries()
    fields = {json.dumps(each): each for each in (entry["fields"]["judge"] for entry in kept)}
    judges = [JudgeSpec(**each) for each in fields.values()]
    with Run(cache=store, mode="replay") as run:
        replayed = asyncio.run(replay_items(tasks, judges, run))
        for record in asyncio.run(replay_cases(run)):
            outcomes = (record.final_diagnosis, record.equivalence, record.final_grade)
            replayed |= {check(outcome) for outcome in outcomes if outcome is not None}
    # A reply that nothing asks for is stale: a prompt, schema or example has changed since.
    assert {entry["key"] for entry in kept} == replayed - {None}
    assert len({entry["fields"]["step"] for entry in kept}) >= 10


def test_whole_cases_replay(store: Path) -> None:
    with Run(cache=store, mode="replay") as run:
        records = asyncio.run(replay_cases(run))
    assert len(records) == CASES
    done = [record for record in records if record.final_diagnosis.status == "done"]  # type: ignore[union-attr]
    for record in done:
        assert record.equivalence is not None and record.equivalence.status == "done"
        assert record.final_grade is not None and record.final_grade.status == "done"
    # This model says no to every pair (docs/steps.md).
    assert {record.equivalence.value.equivalent for record in done} == {False}  # type: ignore[union-attr]


def test_a_jury_of_two_real_models_and_their_agreement_replay(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    votes, out = tmp_path / "votes.csv", tmp_path / "out.jsonl"
    code = command(
        "judge judge_equivalence", EXAMPLES / "cases.jsonl", "-o", out, "--votes", votes,
        "--set predicted=response_diagnosis --set truth=diagnosis --max-tokens 200",
        "--judge", QWEN.label, "--judge", SMOL, "--cache", store, "--cache-mode replay",
    )  # fmt: skip
    assert code == 0
    statuses = Counter(json.loads(line)["status"] for line in out.read_text("utf-8").splitlines())
    # 54 cases, 7 without a final diagnosis; the two models differ on 8 of the other 47.
    assert statuses == {"decided": 39, "tied": 8, "abstained": 7}
    capsys.readouterr()
    assert command("agree", votes, "--json") == 0
    assert "0.8297" in capsys.readouterr().out  # 39 / 47 = 0.82979 of the pairs identical


def command(*words: object) -> int:
    return main([part for word in words for part in str(word).split()])


def test_the_cassette_is_small_and_holds_no_secret() -> None:
    text = CASSETTE.read_text("utf-8")
    assert len(text) < 1_000_000
    assert not any(word in text for word in ("sk-", "Bearer", "api_key", "/root", "/home"))
