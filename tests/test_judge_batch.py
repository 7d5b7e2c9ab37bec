"""Batches of distributed data sets are judged, with limits and a budget for all workers."""

import asyncio
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from dxjudge.adapters.judge_batch import JudgeBatch
from dxjudge.adapters.permits import Office
from dxjudge.agents.engine.limits import Limits
from dxjudge.agents.step import Step
from dxjudge.errors import UsageError

from .protocol_server import ProtocolServer, Seen, say


def answer(seen: Seen) -> Any:
    return say({"same_disease": "yes" if "podagra" in seen.user else "no"})


@pytest.fixture(scope="module")
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(answer) as running:
        yield running


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table.from_pylist, list])
def test_a_batch_of_any_form_gets_verdicts(kind: Any, server: ProtocolServer) -> None:
    work = JudgeBatch(
        "judge_equivalence", judge=server.judge("m"), fields={"truth": "dx"}, cache=None, mode="off"
    )
    pairs = [("gout", "gout"), ("podagra", "gout"), ("asthma", "gout"), ("gout", "")]
    rows = [{"predicted": one, "dx": other} for one, other in pairs]
    judged = pickle.loads(pickle.dumps(work))(kind(rows))
    table = pd.DataFrame(judged if isinstance(judged, list) else judged.to_pandas()
                         if isinstance(judged, pa.Table) else judged)  # fmt: skip
    assert table["status"].to_list() == ["done", "done", "done", "failed"]
    assert table["decided_by"].to_list()[:3] == ["rules", "llm", "llm"]
    assert table["equivalent"].to_list()[:3] == [True, True, False]
    assert "truth" in table["reason"].to_list()[3]


def test_blocks_have_one_schema_whatever_they_hold() -> None:
    work = JudgeBatch("judge_equivalence", engine="rules", mode="off")
    blocks = [work({"predicted": ["gout"], "truth": [truth]}) for truth in ("gout", "")]
    assert [block["equivalent"].to_pylist() for block in blocks] == [[True], [None]]
    assert blocks[0].schema == blocks[1].schema
    own = Step[Any, Any](name="own", version=1, input=type(work), output=lambda inputs: inputs)
    with pytest.raises(UsageError, match="declare result="):
        JudgeBatch(own, judge="openai:m")


def test_the_office_says_why_a_log_cannot_be_written(tmp_path: Path) -> None:
    async def work() -> None:
        office = Office(Limits())
        assert "cannot write the log" in await office.open_log(tmp_path / "none" / "log.jsonl")
        assert await office.open_log(tmp_path / "log.jsonl") == ""
        assert await office.record({"user": "gout"}, {"status": "ok"}) == ""
        if (full := Path("/dev/full")).exists():
            assert await office.open_log(full) == ""
            assert "No space left" in await office.record({"user": "gout"}, {"status": "ok"})

    asyncio.run(work())
    assert json.loads((tmp_path / "log.jsonl").read_text()) == {"status": "ok", "user": "gout"}


def test_what_a_dead_worker_held_is_free_again() -> None:
    async def work() -> None:
        office = Office(Limits(concurrency=1), max_cost=1.0, lease=0.05)
        await office.enter("m", 1)  # by a worker that dies
        assert not await office.reserve(0.7)
        started = await office.enter("m", 1)  # waits until the lease has ended
        await office.leave(started, None, 0)
        await office.leave(started, None, 0)  # comes too late, and frees no second place
        assert not await office.reserve(0.3)
        await office.settle(0.3, 0.1)
        assert await office.reserve(0.3)  # 0.7 count as spent, since nobody told what they cost
        assert await office.is_reached()
        await office.settle(0.7, 0.2)  # the worker was only slow
        assert not await office.reserve(0.3)

    asyncio.run(asyncio.wait_for(work(), 30))
