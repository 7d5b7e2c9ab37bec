"""A step in the form of openevals' evaluators, held against openevals' own."""

import asyncio
import inspect
from typing import Any

import pytest
from openevals.exact import exact_match
from openevals.types import EvaluatorResult

from dxjudge.adapters.openevals import as_async_openevals, as_openevals
from dxjudge.agents.engine.run import Run
from dxjudge.errors import UsageError

from .adapter_cases import SAYS, judged_pairs, pairs
from .protocol_server import ProtocolServer
from .test_steps_contract import SAMPLES


def read_pair(inputs: Any, outputs: Any, reference_outputs: Any) -> dict[str, Any]:
    return {"predicted": outputs, "truth": reference_outputs}


def test_results_have_the_form_of_openevals_own_and_a_refusal_has_no_score() -> None:
    with judged_pairs() as (judge, run):
        same = as_openevals("judge_equivalence", judge, read=read_pair, run=run, engine="llm")
        # Side by side with openevals' own evaluator, as a harness calls them.
        rows: list[list[Any]] = [
            [
                evaluator(
                    inputs=row["case"],
                    outputs=row["response_diagnosis"],
                    reference_outputs=row["diagnosis"],
                )
                for evaluator in (same, exact_match)
            ]
            for row in pairs()
        ]
    for (ours, theirs), word in zip(rows, SAYS, strict=True):
        assert set(ours) == set(theirs) == set(EvaluatorResult.__annotations__) - {"source_run_id"}
        assert ours["key"] == "judge_equivalence"
        assert ours["score"] is {"yes": True, "no": False, "refuse": None}[word]
        assert ours["metadata"]["judge"] == judge
    (refused,) = [ours for ours, _ in rows if ours["score"] is None]
    assert refused["comment"].startswith("refused:")


def test_the_async_form_is_a_coroutine_function() -> None:
    with judged_pairs() as (judge, run):
        same = as_async_openevals("judge_equivalence", judge, read=read_pair, run=run, engine="llm")
        assert inspect.iscoroutinefunction(same)
        row = pairs()[0]
        found: Any = asyncio.run(
            same(outputs=row["response_diagnosis"], reference_outputs=row["diagnosis"])
        )
    assert found["score"] is True


def test_several_verdicts_are_several_results() -> None:
    inputs, answer = SAMPLES["score_rubric"]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        judge = server.judge()
        found = as_openevals("score_rubric", judge, read=lambda *_: inputs, run=run)(outputs="x")
    assert [one["key"] for one in found][-1] == "score_rubric.total"
    assert {one["score"] for one in found} == {2, 50}


def test_a_verdict_in_text_needs_a_grade() -> None:
    inputs, answer = SAMPLES["match_option"]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        plain = as_openevals("match_option", server.judge(), read=lambda *_: inputs, run=run)
        with pytest.raises(UsageError, match="verdict of match_option is text.*give `grade`"):
            plain(outputs="x", reference_outputs="A")
        graded = as_openevals(
            "match_option",
            server.judge(),
            read=lambda *_: inputs,
            grade=lambda found, reference: found.verdict == reference,
            run=run,
        )
        assert graded(outputs="x", reference_outputs="A")["score"] is True
        assert graded(outputs="x", reference_outputs="B")["score"] is False
