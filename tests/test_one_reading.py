"""What a verdict is: juries, evaluations, stress tests, tables, agreement and adapters agree."""

from pathlib import Path
from typing import Any

import pytest

from dxjudge.adapters.callable import as_callable
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import Outcome
from dxjudge.agents.step import Step
from dxjudge.agents.steps import STEPS, find_step
from dxjudge.evaluation.judges.agreement_units import known_scale
from dxjudge.evaluation.judges.as_votes import votes_of_one
from dxjudge.evaluation.judging import JudgedItem
from dxjudge.evaluation.pages.words import in_words
from dxjudge.evaluation.report.case_tables import score_of
from dxjudge.graphs.jury.given import jury_over
from dxjudge.graphs.jury.run_jury import run_jury_sync
from dxjudge.graphs.jury.votes_file import read_votes, verdict_text, write_votes
from dxjudge.graphs.robust import Trial, Tried
from dxjudge.graphs.step import run_step_sync
from dxjudge.scoring.votes import Vote

from .protocol_server import ProtocolServer, refuse
from .test_steps_contract import SAMPLES

ALL = [step for step in STEPS if step.name in SAMPLES]
ENDS = ("done", "abstained", "failed")


def sample(step: Step[Any, Any], end: str) -> tuple[dict[str, Any], Any]:
    """Inputs and what the model says, for an outcome that ends this way."""
    inputs, answer = SAMPLES[step.prompt_name]
    if end == "abstained":
        empty = "" if isinstance(inputs.get(step.judged), str) else []
        return {**inputs, step.judged: empty}, answer
    return inputs, answer if end == "done" else refuse()


def told(votes: list[Vote]) -> list[tuple[Any, ...]]:
    return [(v.step, v.status, v.verdict, v.explanation, v.reason) for v in votes]


def judged_item(step: Step[Any, Any], inputs: Any, outcome: Outcome) -> JudgedItem:
    return JudgedItem(step.name, "m", "1", 0, 0, "j", outcome, step=step, inputs=inputs)


def parts_of(item: JudgedItem) -> dict[str, tuple[str, str]]:
    """The parts of a verdict as the pages read them from the table of votes."""
    return {
        vote.step.removeprefix(item.task)[1:]: (verdict_text(vote.verdict) or "", vote.explanation)
        for vote in votes_of_one(item)
    }


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("step", ALL, ids=lambda step: step.name)
def test_every_command_reads_the_same_verdict(
    step: Step[Any, Any], end: str, tmp_path: Path
) -> None:
    inputs, said = sample(step, end)
    with ProtocolServer([said]) as server, Run(mode="off", attempts=1) as run:
        judge: Any = server.judge()
        outcomes: Any = run_step_sync(step, [inputs], judge=judge, run=run)
        outcome: Any = outcomes[0]
        if outcome.status != end:
            pytest.skip(f"this input is no reason for {step.name} to have {end}")
        juries: Any = run_jury_sync(step, [inputs], [judge], run=run, engine="auto")
        judgement = as_callable(step, judge, run=run)(**inputs)
    votes = list(juries[0].votes)
    assert {vote.status for vote in votes} == {end}
    evaluated = votes_of_one(judged_item(step, inputs, outcome))
    assert told(evaluated) == told(votes)
    assert told(list(jury_over(step, inputs, {"j": outcome}, "majority").votes)) == told(votes)
    tried = Tried("j", step.read_input(inputs), (Trial("", 0, outcome),))
    assert told(tried.votes(step, "1")) == told(votes)
    for name in ("votes.csv", "votes.jsonl", "votes.parquet"):
        write_votes(tmp_path / name, votes)
        assert told(read_votes(tmp_path / name)) == told(votes)
    by_part = {v.step.removeprefix(f"{step.name}."): v.verdict for v in votes if v.status == "done"}
    assert {name: one for name, one in judgement.parts.items() if name != "total"} == by_part
    if end != "done":
        assert {vote.reason for vote in votes} == {judgement.reason}
    verdict = step.demand_verdict()
    for vote in votes:
        part = vote.step.removeprefix(step.name)[1:]
        assert known_scale(vote.step) == (verdict.scale_of(part), verdict.levels_of(part))


@pytest.mark.parametrize("step", ALL, ids=lambda step: step.name)
def test_a_report_shows_the_verdict_and_the_words_of_the_votes(step: Step[Any, Any]) -> None:
    inputs, answer = sample(step, "done")
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        judge = server.judge()
        outcome: Any = run_step_sync(step, inputs, judge=judge, run=run, engine="llm")
    one = judged_item(step, inputs, outcome)
    assert in_words(parts_of(one))
    for vote in votes_of_one(one):
        if step.demand_verdict().is_numeric and "." not in vote.step:
            assert score_of(one) == vote.verdict


def test_an_answer_that_means_no_option_abstains_everywhere() -> None:
    step = find_step("match_option")
    inputs, _ = SAMPLES["match_option"]
    with ProtocolServer([{"letters": []}]) as server, Run(mode="off") as run:
        jury: Any = run_jury_sync(step, inputs, [server.judge()], run=run)
        outcome: Any = run_step_sync(step, inputs, judge=server.judge(), run=run)
    (vote,) = votes_of_one(judged_item(step, inputs, outcome))
    assert (vote.status, vote.verdict) == ("abstained", None)
    assert told([vote]) == told(list(jury.votes))


def test_a_rubric_has_a_vote_on_each_dimension_everywhere() -> None:
    step = find_step("score_rubric")
    inputs, answer = SAMPLES["score_rubric"]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        outcome: Any = run_step_sync(step, inputs, judge=server.judge(), run=run)
    one = judged_item(step, inputs, outcome)
    votes = votes_of_one(one)
    assert [vote.verdict for vote in votes] == [2] * 5
    # 2 of 4 on every dimension: half of the 100 points
    assert score_of(one) == 50.0
    assert in_words(parts_of(one)).startswith("knowledge 2; ")
    assert parts_of(one)["knowledge"] == ("2", "It says so.")


def test_the_reason_of_the_best_answer_is_shown() -> None:
    step = find_step("choose_best")
    inputs, answer = SAMPLES["choose_best"]
    with ProtocolServer([answer]) as server, Run(mode="off") as run:
        outcome: Any = run_step_sync(step, inputs, judge=server.judge(), run=run)
    one = judged_item(step, inputs, outcome)
    assert (parts_of(one), score_of(one)) == ({"": ("0", "It is to the point.")}, None)
