"""A step inside a real pydantic_evals data set: scores where there is a verdict, else failures."""

from typing import Any

from pydantic_evals import Case, Dataset

from dxjudge.adapters.pydantic_evals import as_pydantic_evaluator
from dxjudge.agents.engine.run import Run

from .adapter_cases import SAYS, judged_pairs, pairs
from .protocol_server import ProtocolServer, cut
from .test_steps_contract import SAMPLES


def test_a_data_set_is_evaluated_and_a_refusal_is_a_failure_of_its_case() -> None:
    answers = {row["case"]: row["response_diagnosis"] for row in pairs()}
    with judged_pairs() as (judge, run):
        same = as_pydantic_evaluator(
            "judge_equivalence",
            judge,
            read=lambda case: {"predicted": case.output, "truth": case.expected_output},
            run=run,
            engine="llm",
        )
        cases: list[Case[str, str, Any]] = [
            Case(name=row["id"], inputs=row["case"], expected_output=row["diagnosis"])
            for row in pairs()
        ]
        data = Dataset(name="pairs", cases=cases, evaluators=[same])
        report = data.evaluate_sync(answers.__getitem__, progress=False)
    said = dict(zip((row["id"] for row in pairs()), SAYS, strict=True))
    assert len(report.cases) == len(SAYS) and not report.failures
    for case in report.cases:
        if said[case.name] == "refuse":
            (failure,) = case.evaluator_failures
            assert failure.error_type == "NoVerdict" and "refused" in failure.error_message
            assert not case.assertions and not case.scores
        else:
            found = case.assertions["judge_equivalence"]
            assert found.value is (said[case.name] == "yes")
            assert found.source.arguments == {"step": "judge_equivalence", "judge": judge}
    # Two of the four verdicts are yes; the refusal is in neither count.
    averages = report.averages()
    assert averages is not None and averages.assertions == 0.5


def test_grades_are_scores_and_texts_are_labels_unless_graded() -> None:
    grade_inputs, grade_answer = SAMPLES["grade_final_diagnosis"]
    match_inputs, match_answer = SAMPLES["match_option"]
    with (
        ProtocolServer([grade_answer]) as grader,
        ProtocolServer([match_answer]) as matcher,
        Run(mode="off") as run,
    ):
        evaluators = [
            as_pydantic_evaluator(
                "grade_final_diagnosis", grader.judge(), read=lambda case: grade_inputs, run=run
            ),
            as_pydantic_evaluator(
                "match_option", matcher.judge(), read=lambda case: match_inputs, run=run
            ),
        ]
        right = as_pydantic_evaluator(
            "match_option",
            matcher.judge(),
            read=lambda case: match_inputs,
            grade=lambda found, case: found.verdict == case.expected_output,
            run=run,
        )
        cases: list[Case[str, str, Any]] = [Case(name="one", inputs="x", expected_output="A")]
        labelled = Dataset(name="one", cases=cases, evaluators=evaluators)
        graded = Dataset(name="one", cases=cases, evaluators=[right])
        (first,) = labelled.evaluate_sync(str, progress=False).cases
        (second,) = graded.evaluate_sync(str, progress=False).cases
    assert first.scores["grade_final_diagnosis"].value == 5
    assert first.scores["grade_final_diagnosis"].reason == "Podagra is gout."
    assert first.labels["match_option"].value == "A"
    assert second.assertions["match_option"].value is True


def test_a_rubric_gives_a_score_a_dimension_and_a_cut_answer_gives_none() -> None:
    inputs, answer = SAMPLES["score_rubric"]
    with (
        ProtocolServer([answer]) as good,
        ProtocolServer([cut("{")]) as bad,
        Run(mode="off") as run,
    ):
        reports = [
            Dataset(
                name="one",
                cases=[Case(name="one", inputs="x")],
                evaluators=[
                    as_pydantic_evaluator("score_rubric", judge, read=lambda case: inputs, run=run)
                ],
            ).evaluate_sync(str, progress=False)
            for judge in (good.judge(), bad.judge())
        ]
    scored, failed = (report.cases[0] for report in reports)
    assert scored.scores["total"].value == 50 and len(scored.scores) == 6
    assert not failed.scores and "truncated" in failed.evaluator_failures[0].error_message
