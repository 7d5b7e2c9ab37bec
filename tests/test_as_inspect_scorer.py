"""A step as a scorer in a real run of inspect_ai, whose own mock model is the model under test."""

import math
from pathlib import Path
from typing import Any

import pytest

from dxjudge.adapters.inspect_ai import as_inspect_scorer
from dxjudge.agents.engine.run import Run

from .adapter_cases import SAYS, judged_pairs, pairs
from .protocol_server import ProtocolServer
from .test_steps_contract import SAMPLES

inspect_ai: Any = pytest.importorskip("inspect_ai", reason="pip install 'dxjudge[inspect]'")


def evaluate(scorer: Any, samples: list[Any], outputs: list[str], folder: Path) -> Any:
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    said = [ModelOutput.from_content("mockllm/model", text) for text in outputs]
    for output in said:
        output.usage = ModelUsage()  # without it the mock model downloads a tokenizer
    model = get_model("mockllm/model", custom_outputs=iter(said))
    (log,) = inspect_ai.eval(
        inspect_ai.Task(dataset=MemoryDataset(samples), scorer=scorer),
        model=model,
        log_dir=str(folder),
        display="none",
        max_samples=1,  # the mock model answers in order
    )
    assert log.status == "success", log.error
    return log


def test_a_refusing_judge_leaves_the_sample_unscored(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample

    samples = [Sample(input=row["case"], target=row["diagnosis"], id=row["id"]) for row in pairs()]
    outputs = [row["response_diagnosis"] for row in pairs()]
    with judged_pairs() as (judge, run):
        scorer = as_inspect_scorer(
            "judge_equivalence",
            judge,
            read=lambda state, target: {
                "predicted": state.output.completion,
                "truth": target.text,
            },
            run=run,
            engine="llm",
        )
        log = evaluate(scorer, samples, outputs, tmp_path)
    for sample, word in zip(log.samples, SAYS, strict=True):
        (score,) = sample.scores.values()
        assert score.metadata["judge"] == judge
        if word == "refuse":
            assert math.isnan(score.value) and score.reason == "grader_failed"
            assert score.explanation.startswith("refused:")
        else:
            assert score.value is (word == "yes")
    (result,) = log.results.scores
    assert (result.name, result.scored_samples, result.unscored_samples) == (
        "dxjudge_judge_equivalence",
        4,
        1,
    )
    # Two of the four verdicts are yes; the refusal is in neither count: 2 / 4.
    assert result.metrics["mean"].value == 0.5


def test_a_rubric_is_scored_by_dimension_and_a_choice_against_the_target(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample

    inputs, answer = SAMPLES["score_rubric"]
    options, chosen = SAMPLES["match_option"]
    samples = [Sample(input="Which?", target="A"), Sample(input="Which?", target="B")]
    with (
        ProtocolServer([answer]) as rubric,
        ProtocolServer([chosen]) as matcher,
        Run(mode="off") as run,
    ):
        by_dimension = as_inspect_scorer(
            "score_rubric", rubric.judge(), read=lambda state, target: inputs, run=run
        )
        choice = as_inspect_scorer(
            "match_option",
            matcher.judge(),
            read=lambda state, target: options,
            grade=lambda found, target: found.verdict == target.text,
            run=run,
        )
        log = evaluate([by_dimension, choice], samples, ["x", "y"], tmp_path)
    means = {result.name: result.metrics["mean"].value for result in log.results.scores}
    assert means["total"] == 50 and means["knowledge"] == 2
    assert means["dxjudge_match_option"] == 0.5  # A against the targets A and B
