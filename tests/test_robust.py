"""Verdicts under changes that should not matter, against the protocol server."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from dxjudge.agents.engine.run import Run
from dxjudge.agents.steps import find_step
from dxjudge.errors import AuthenticationFault, ReplayMiss, UsageError
from dxjudge.evaluation.judges.robustness import measure_robustness, rate_rows, trial_rows
from dxjudge.graphs.robust import robust
from dxjudge.graphs.robust_run import run_robust, run_robust_sync

from .protocol_server import ProtocolServer, Seen, refuse

ITEMS = [
    {"question": f"Case {n}?", "options": {"A": "gout", "B": "lupus"}, "answer": "the toe one"}
    for n in range(10)
]
TEN_PAIRS = [{"predicted": f"illness {n}", "truth": f"disease {n}"} for n in range(10)]
OPTION, SAME = find_step("match_option"), find_step("judge_equivalence")


def by_position(seen: Seen) -> Any:
    """Names the first option in cases 0 to 3, whatever it says, and gout in the others."""
    if re.search(r"Case [0-3]\?", seen.user):
        return {"letters": ["A"]}
    return {"letters": [re.findall(r"([AB])\. gout", seen.user)[0]]}


def measured(step: Any, tried: Any) -> Any:
    return measure_robustness(step, [(str(n), one) for n, one in enumerate(tried)])


def rates_of(step: Any, tried: Any) -> dict[str, Any]:
    return {row["perturbation"]: row for row in rate_rows(measured(step, tried))}


def test_a_judge_that_goes_by_position_is_caught_at_its_rate() -> None:
    with ProtocolServer(by_position) as server, Run(mode="off") as run:
        tried = asyncio.run(
            run_robust(
                OPTION, ITEMS, judges=server.judge(), perturb=["order", "irrelevant"], run=run
            )
        )
    rates = rates_of(OPTION, tried)
    # Two options have one other order. In 4 of 10 cases the first option is named both times:
    # gout as it is, lupus (which is now A) when mapped back. Wilson for 4 of 10: 0.168 to 0.687.
    order = rates["order"]
    assert (order["compared"], order["flips"], order["rate"]) == (10, 4, 0.4)
    assert (order["low"], order["high"]) == pytest.approx((0.1682, 0.6873), abs=1e-4)
    assert rates["irrelevant"]["flips"] == 0
    assert rates["(all)"]["rate"] == 4 / 20
    rows = trial_rows(measured(OPTION, tried))
    flipped = [row for row in rows if row["flipped"]]
    assert {row["case"] for row in rows[:8]} == {"0", "1", "2", "3"}  # they come first
    assert {(row["base"], row["perturbed"]) for row in flipped} == {("A", "B")}


def test_a_judge_that_heeds_nothing_never_flips() -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run(mode="off") as run:
        tried = asyncio.run(run_robust(SAME, TEN_PAIRS[:3], judges=server.judge(), run=run))
        asked = len(server.seen)
    # Base, swap, 12 wordings, white space, capitals, sentence, injection, 3 repeats: 21 a case;
    # a pair has no order.
    assert asked == 3 * 21
    rates = rates_of(SAME, tried)
    assert all(row["flips"] == 0 and row["failed"] == 0 for row in rates.values())
    assert rates["repeat"]["compared"] == 9 and rates["swap"]["compared"] == 3
    assert rates["order"]["compared"] == 0 and rates["order"]["not_applicable"] == 3
    assert rates["order"]["warning"] == "the item has no field whose order can change"
    assert list(rates)[-1] == "(all)"


def test_a_judge_that_gives_way_to_an_injection_drifts_upwards() -> None:
    def gullible(seen: Seen) -> Any:
        bought = "gnore all earlier" in seen.user or "SYSTEM:" in seen.user
        bought = bought or "Note to the judge" in seen.user or "New task" in seen.user
        return {"rationale": "As I see it.", "score": 5 if bought else 2}

    items = [{"truth": "gout", "generated": f"disease {n}"} for n in range(10)]
    step = find_step("grade_final_diagnosis")
    with ProtocolServer(gullible) as server, Run(mode="off") as run:
        tried = asyncio.run(
            run_robust(step, items, judges=server.judge(), perturb=["injection", "case"], run=run)
        )
    rates = rates_of(step, tried)
    assert (rates["injection"]["rate"], rates["injection"]["shift"]) == (1.0, 3.0)
    assert rates["injection"]["drift"] == 3.0
    assert (rates["case"]["rate"], rates["case"]["shift"]) == (0.0, 0.0)


def test_failures_and_abstentions_are_no_flips() -> None:
    def script(seen: Seen) -> Any:
        if "CASE" in seen.user or "THE TOE ONE" in seen.user:
            return refuse()
        letters = ["A"] if "Case 0" in seen.user else []
        if "\n\n" in seen.user.split("<answer-")[1].split("</answer-")[0]:
            letters = []
        return {"letters": letters}

    with ProtocolServer(script) as server, Run(mode="off") as run:
        tried = asyncio.run(
            run_robust(
                OPTION, ITEMS[:2], judges=server.judge(), perturb=["case", "irrelevant"], run=run
            )
        )
    rates = rates_of(OPTION, tried)
    assert (rates["case"]["failed"], rates["case"]["compared"], rates["case"]["rate"]) == (
        (2, 0, None)
    )
    sentence = rates["irrelevant"]
    assert (sentence["abstained_one"], sentence["abstained_both"], sentence["flips"]) == (1, 1, 0)
    rows = trial_rows(measured(OPTION, tried))
    assert {row["flipped"] for row in rows} == {None}
    assert all("refused" in row["reason"] for row in rows if row["status"] == "failed")


def test_repeats_are_warm_and_nothing_else_is() -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run(mode="off") as run:
        options: Any = {"repeats": 2, "temperature": 1.2, "run": run}
        run_robust_sync(
            SAME, TEN_PAIRS[:1], judges=server.judge(), perturb=["swap", "repeat"], **options
        )
        warmth = sorted(seen.body["temperature"] for seen in server.seen)
    assert warmth == [0.0, 0.0, 1.2, 1.2]


def test_the_same_seed_asks_the_same_and_replay_asks_nothing(tmp_path: Path) -> None:
    cache = tmp_path / "replies.sqlite"

    async def once(judge: str, mode: Any, seed: int = 0) -> Any:
        with Run(cache=cache, mode=mode) as run:
            return await run_robust(OPTION, ITEMS, judges=judge, run=run, seed=seed)

    with ProtocolServer(by_position) as server:
        first = asyncio.run(once(server.judge(), "read-write"))
        asked = len(server.seen)
        again = asyncio.run(once(server.judge(), "replay"))
        assert len(server.seen) == asked
        with pytest.raises(ReplayMiss):  # another seed draws other sentences
            asyncio.run(once(server.judge(), "replay", seed=1))
        assert len(server.seen) == asked
    votes = [[one.votes(OPTION, "c") for one in tried] for tried in (first, again)]
    bare = [[[(v.key, v.verdict, v.status) for v in each] for each in tried] for tried in votes]
    assert bare[0] == bare[1]
    assert rates_of(OPTION, first) == rates_of(OPTION, again)


def test_the_graph_keeps_every_trial_as_plain_json() -> None:
    with ProtocolServer(by_position) as server, Run(mode="off") as run:
        graph = robust("match_option", ["order", "swap"], judge=server.judge(), run=run)
        found = asyncio.run(graph.ainvoke({"inputs": ITEMS[0]}))
        graph.checkpointer = InMemorySaver()
        kept: Any = {"configurable": {"thread_id": "1"}}
        for _ in range(2):  # a thread does not bring the trials of its last item
            assert asyncio.run(graph.ainvoke({"inputs": ITEMS[0]}, kept)) == found
        assert "judge" in graph.get_graph().draw_mermaid()
    assert json.loads(json.dumps(found)) == found
    trials = found["trials"]
    assert [trial["perturbation"] for trial in trials] == ["", "order", "swap"]
    assert trials[0]["outcome"]["value"]["letters"] == ["A"]
    assert trials[1]["outcome"]["value"]["letters"] == ["B"]
    assert trials[2]["outcome"] is None and "can be exchanged" in trials[2]["reason"]


def test_two_judges_are_told_apart_and_one_cannot_be_there_twice() -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run(mode="off") as run:
        judges = [server.judge("one"), server.judge("two")]
        tried = asyncio.run(
            run_robust(SAME, TEN_PAIRS[:2], judges=judges, perturb=["swap"], run=run)
        )
        assert [one.judge for one in tried] == [*judges, *judges]
        with pytest.raises(UsageError, match="is named twice; name it once"):
            asyncio.run(run_robust(SAME, [], judges=[judges[0]] * 2, run=run))
        same = ["openai:m", "openai:m@https://api.openai.com/v1"]
        with pytest.raises(UsageError, match="is named twice; name it once"):
            asyncio.run(run_robust(SAME, [], judges=same, run=run))


def test_unusable_inputs_fail_alone_and_a_missing_key_stops_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ProtocolServer([{"same_disease": "yes"}]) as server, Run(mode="off") as run:
        items = [{"truth": "gout"}, TEN_PAIRS[0]]
        tried = asyncio.run(
            run_robust(SAME, items, judges=server.judge(), perturb=["swap"], run=run)
        )
        assert [one.base.status for one in tried] == ["failed", "done"]
        assert len(server.seen) == 2
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(AuthenticationFault):
        run_robust_sync(SAME, TEN_PAIRS[:1], judges="openai:gpt-4o")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"perturb": ["swop"]}, "did you mean swap"),
        ({"repeats": 0}, "repeats must be at least 1"),
        ({"temperature": 3.0}, "temperature from 0 to 2"),
        ({"judges": []}, "no judge is named"),
    ],
)
def test_what_cannot_be_is_said_before_any_call(options: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        run_robust_sync(SAME, TEN_PAIRS[:1], **{"judges": "openai:gpt-4o", **options})
