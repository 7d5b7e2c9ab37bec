"""A step as a plain callable: a verdict, or none and the reason, never a default."""

import asyncio
from typing import Any

import pytest

from dxjudge.adapters.callable import as_callable, framework
from dxjudge.agents.engine.run import Run
from dxjudge.errors import EnvironmentFault, NoVerdict, UsageError

from .adapter_cases import SAYS, judged_pairs, pairs
from .protocol_server import ProtocolServer, refuse
from .test_steps_contract import SAMPLES


def test_a_verdict_comes_back_and_a_refusal_is_none() -> None:
    with judged_pairs() as (judge, run):
        same = as_callable("judge_equivalence", judge, run=run, engine="llm")
        found = [
            same(predicted=row["response_diagnosis"], truth=row["diagnosis"]) for row in pairs()
        ]
    wanted = {"yes": True, "no": False, "refuse": None}
    assert [one.verdict for one in found] == [wanted[word] for word in SAYS]
    (refused,) = [one for one in found if not one.parts]
    assert refused.reason.startswith("refused:")
    with pytest.raises(NoVerdict, match="judge_equivalence failed: refused: "):
        refused.demand()
    assert found[0].demand() is found[0]
    assert refused.account()["judge"] == judge and refused.account()["status"] == "failed"


def test_the_async_twin_asks_many_at_once() -> None:
    async def many(judge: str, run: Run) -> list[Any]:
        same = as_callable("judge_equivalence", judge, run=run, engine="llm")
        asked = (
            same.ask(predicted=row["response_diagnosis"], truth=row["diagnosis"]) for row in pairs()
        )
        return [one.verdict for one in await asyncio.gather(*asked)]

    with judged_pairs() as (judge, run):
        assert asyncio.run(many(judge, run)) == [True, False, True, None, False]


def test_a_rubric_has_a_verdict_a_dimension_and_the_total() -> None:
    inputs, answer = SAMPLES["score_rubric"]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        found = as_callable("score_rubric", server.judge(), run=run)(**inputs)
    # Level 2 in each of the five dimensions of DermCase's rubric, whose factors sum to 25:
    # 2 x 25 = 50 points.
    assert found.parts.pop("total") == 50  # type: ignore[attr-defined]
    assert set(found.parts.values()) == {2} and len(found.parts) == 5
    assert "knowledge: It says so." in found.explanation.splitlines()
    with pytest.raises(ValueError, match="has several verdicts"):
        _ = found.verdict


def test_an_abstention_is_no_verdict() -> None:
    with Run(mode="off") as run:
        found = as_callable("extract_final_diagnosis", run=run, engine="rules")(response="")
    assert (found.verdict, found.outcome.status) == (None, "abstained")
    with pytest.raises(NoVerdict, match="extract_final_diagnosis abstained"):
        found.demand()


def test_wrong_fields_are_the_callers_error() -> None:
    with ProtocolServer([refuse()]) as server, Run(mode="off") as run:
        same = as_callable("judge_equivalence", server.judge(), run=run)
        with pytest.raises(UsageError, match="judge_equivalence: there is no field surprise"):
            same(predicted="gout", truth="gout", surprise=1)
    assert not server.seen


def test_a_missing_framework_names_the_pip_command() -> None:
    with pytest.raises(EnvironmentFault, match=r"pip install 'dxjudge\[inspect\]'"):
        framework("no_such_framework.scorer", "inspect")
