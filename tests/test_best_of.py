"""Best of N against the protocol server."""

import asyncio
import json
import re
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from dxjudge.agents.engine.run import Run
from dxjudge.errors import UsageError
from dxjudge.graphs.best_of import best_of, read_best, self_consistency
from dxjudge.graphs.jury.result import read_jury

from .protocol_server import ProtocolServer, Seen, refuse

INPUTS = {"response": "Gout, lupus, croup: who can tell?"}
NAMES = ["gout", "lupus", "croup"]


def sampler(seen: Seen) -> Any:
    return {"diagnosis": NAMES[(seen.number - 1) % 3]}


def prefers_lupus(seen: Seen) -> Any:
    number = re.findall(r"Answer (\d+): lupus", seen.user)[0]
    return {"reason": "It fits.", "choice": int(number)}


def best(judge: Any, model: Any = sampler, samples: int = 3, turns: int = 1, **options: Any) -> Any:
    with ProtocolServer(model) as one, ProtocolServer(judge) as two, Run(mode="off") as run:
        graph = best_of(
            "extract_final_diagnosis",
            samples,
            model=one.judge("sampler"),
            judge=two.judge("picker"),
            run=run,
            **options,
        )
        graph.checkpointer = InMemorySaver()
        kept: Any = {"configurable": {"thread_id": "1"}}
        for _ in range(turns - 1):
            asyncio.run(graph.ainvoke({"inputs": INPUTS}, kept))
        return asyncio.run(graph.ainvoke({"inputs": INPUTS}, kept)), one.seen, two.seen


@pytest.mark.parametrize("seed", range(4))
def test_the_judge_picks_whatever_the_order(seed: int) -> None:
    found, asked, judged = best(prefers_lupus, seed=seed)
    assert found["outcome"]["value"] == {"diagnosis": "lupus"}
    assert len(found["samples"]) == 3 and len(asked) == 3 and len(judged) == 1
    assert {seen.body["temperature"] for seen in asked} == {0.7}
    assert judged[0].body["temperature"] == 0.0
    assert INPUTS["response"] in judged[0].user
    outcome: Any = read_best("extract_final_diagnosis", INPUTS, found)
    assert outcome.value.diagnosis == "lupus"
    assert json.loads(json.dumps(found)) == found


def test_a_thread_that_is_kept_does_not_bring_its_last_items_samples() -> None:
    found, asked, _ = best(prefers_lupus, turns=2)
    assert len(found["samples"]) == 3 and len(asked) == 6


def test_samples_that_are_all_the_same_need_no_judge() -> None:
    found, _, judged = best(refuse(), lambda seen: {"diagnosis": "gout"})
    assert found["outcome"]["value"] == {"diagnosis": "gout"} and not judged


def test_no_pick_is_a_failure_and_never_the_first_sample() -> None:
    found, _, _ = best(lambda seen: refuse())
    assert (found["outcome"]["status"], found["outcome"]["kind"]) == ("failed", "refused")
    found, _, _ = best(lambda seen: {"reason": "x", "choice": 9})
    assert (found["outcome"]["status"], found["outcome"]["kind"]) == ("failed", "invalid")


def test_samples_that_failed_or_abstained_are_not_shown() -> None:
    def model(seen: Seen) -> Any:
        return {"diagnosis": "lupus"} if seen.number == 2 else {"diagnosis": None}

    found, _, judged = best(prefers_lupus, model)
    assert found["outcome"]["value"] == {"diagnosis": "lupus"}
    assert found["pick"] is None and not judged
    found, _, _ = best(prefers_lupus, lambda seen: {"diagnosis": None})
    assert found["outcome"]["status"] == "abstained"


def test_one_sample_is_no_choice() -> None:
    with pytest.raises(UsageError, match="samples is .*needs at least 2"):
        best_of("extract_ddx", 1, model="openai:a", judge="openai:b")


def test_self_consistency_is_a_vote_of_warm_samples() -> None:
    with ProtocolServer(lambda seen: {"diagnosis": ["gout", "lupus"][seen.number % 2]}) as server:
        for samples, status, verdict in ((5, "decided", "lupus"), (4, "tied", None)):
            with Run(mode="off") as run:
                graph = self_consistency(
                    "extract_final_diagnosis",
                    samples,
                    model=server.judge(str(samples)),
                    temperature=0.9,
                    run=run,
                )
                found = read_jury(asyncio.run(graph.ainvoke({"inputs": INPUTS}))["jury"])
            # Requests 1 to 5 say lupus, gout, lupus, gout, lupus; 6 to 9 each twice.
            assert len(found.votes) == samples
            assert (found.status, found.verdict) == (status, verdict)
        assert {seen.body["temperature"] for seen in server.seen} == {0.9}
    with pytest.raises(UsageError, match="samples is .*needs at least 2"):
        self_consistency("extract_ddx", 1, model="openai:a")
