"""Best of N in an evaluation: of several answers of a model, the one that the judge chooses."""

import re
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.evaluation.cases import Source, read_cases, read_responses
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.result import Evaluation

from .protocol_server import ProtocolServer, Seen, refuse

CASES = [
    {"id": "1a", "pair": "1", "question": "Which side?", "A": "left", "B": "right", "answer": "A"},
    {"id": "1b", "pair": "1", "question": "Which side?", "A": "left", "B": "right", "answer": "B"},
]
# Two of three samples of 1a are wrong, so that a majority says B; the good one says it best.
ANSWERS = {
    "1a": ["the far side", "the near side, plainly", "the far one"],
    "1b": ["the far one", "the far side, plainly", "the near one"],
}


def script(seen: Seen) -> Any:
    if "choice" in (seen.schema or {}).get("properties", {}):
        line = next(line for line in seen.user.splitlines() if "plainly" in line)
        return {"reason": "It is plain.", "choice": int(re.findall(r"Answer (\d)", line)[0])}
    near = "near" in seen.user.split("<answer-")[1]
    return {"closeness_a": 9 if near else 1, "closeness_b": 1 if near else 9}


def evaluated(tasks: tuple[str, ...], script: Any = script) -> tuple[Evaluation, list[Seen]]:
    cases = read_cases(Source("cases", CASES))
    rows = [
        {"id": case, "sample": str(n), "response": text}
        for case, texts in ANSWERS.items()
        for n, text in enumerate(texts)
    ]
    known = {case.id: case for case in cases}
    responses = {"model": read_responses(Source("model", rows), known)}
    with ProtocolServer(script) as server, Run(mode="off") as run:
        settings = read_settings(
            None, preset="mediconfusion", judges=(server.judge(),), tasks=tasks, resamples=20
        )
        made = evaluate(cases, responses, settings, Panel((server.judge(),), run))
    return made, server.seen


def accuracy(made: Evaluation, metric: str) -> Any:
    return made.number(metric, "model", made.judged.judges[0])


def test_samples_vote_unless_a_judge_chooses() -> None:
    voted, _ = evaluated(("score_free_answer",))
    # 1a: B, A, B -> B, wrong. 1b: B, B, A -> B, right.
    assert accuracy(voted, "individual_accuracy").value == 0.5
    assert accuracy(voted, "set_accuracy").value == 0.0
    best, seen = evaluated(("score_free_answer", "choose_best"))
    # The plain answers are A to 1a and B to 1b.
    assert accuracy(best, "individual_accuracy").value == 1.0
    assert accuracy(best, "set_accuracy").value == 1.0
    asked = [each for each in seen if "choice" in (each.schema or {}).get("properties", {})]
    assert len(asked) == 2 and "A. left" in asked[0].user


def test_no_choice_is_a_failure_and_never_the_first_sample() -> None:
    def declines(seen: Seen) -> Any:
        chooses = "choice" in (seen.schema or {}).get("properties", {})
        return refuse() if chooses else script(seen)

    made, _ = evaluated(("score_free_answer", "choose_best"), declines)
    number = accuracy(made, "individual_accuracy")
    assert number.value != number.value  # NaN: nothing is resolved
    counts = {verdict.outcome.status for verdict in made.judged.of(
        "choose_best", made.judged.judges[0], "model", "1a"
    )}  # fmt: skip
    assert counts == {"failed"}


def test_one_sample_needs_no_choice() -> None:
    cases = read_cases(Source("cases", CASES))
    known = {case.id: case for case in cases}
    rows = [{"id": case, "response": texts[1]} for case, texts in ANSWERS.items()]
    responses = {"model": read_responses(Source("model", rows), known)}
    with ProtocolServer(script) as server, Run(mode="off") as run:
        tasks = ("score_free_answer", "choose_best")
        settings = read_settings(
            None, preset="mediconfusion", judges=(server.judge(),), tasks=tasks, resamples=20
        )
        made = evaluate(cases, responses, settings, Panel((server.judge(),), run))
        assert len(server.seen) == 2
    assert accuracy(made, "set_accuracy").value == pytest.approx(1.0)
