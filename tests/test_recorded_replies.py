"""The replies of a real small model that ship with the examples replay without any model."""

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.run import Run
from dxjudge.cache.cassette import import_cassette
from dxjudge.cache.replies import Replies
from dxjudge.errors import ReplayMiss
from dxjudge.graphs.step import run_step

from .scripted import EXAMPLES

CASSETTE = EXAMPLES / "replies.jsonl"
BENCHMARK = EXAMPLES.parent / "benchmarks" / "steps.py"


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


def test_every_kept_reply_replays_to_a_valid_outcome(tasks: Any, tmp_path: Path) -> None:
    kept = entries()
    judges = {json.dumps(entry["fields"]["judge"]): entry["fields"]["judge"] for entry in kept}
    import_cassette(Replies(tmp_path / "replies.sqlite", "read-write"), CASSETTE)

    async def replay() -> Counter[str]:
        found: Counter[str] = Counter()
        with Run(cache=tmp_path / "replies.sqlite", mode="replay") as run:
            for task in tasks:
                for inputs, _ in task.items():
                    for judge in judges.values():
                        try:
                            outcome = await run_step(
                                task.step,
                                inputs,
                                judge=JudgeSpec(**judge),
                                run=run,
                                engine="llm",
                            )
                        except ReplayMiss:
                            continue
                        if outcome.decided_by == "llm":
                            assert outcome.status in ("done", "abstained")
                            assert outcome.cached and outcome.calls == 0
                            found[outcome.step] += 1
        return found

    replayed = asyncio.run(replay())
    # A reply that no item asks for is stale: a prompt, schema or example has changed since.
    assert replayed == Counter(entry["fields"]["step"] for entry in kept)
    assert len(replayed) >= 9


def test_the_cassette_is_small_and_holds_no_secret() -> None:
    text = CASSETTE.read_text("utf-8")
    assert len(text) < 1_000_000
    assert not any(word in text for word in ("sk-", "Bearer", "api_key", "/root", "/home"))
