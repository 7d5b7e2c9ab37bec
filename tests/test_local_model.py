"""Real diagnoses through a real model, with constrained output; nothing here is scripted."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE_CONSTRAINED
from dxjudge.agents.engine.run import Run
from dxjudge.graphs.step import run_step_sync

from .local_model import INSTALL, model_path, start

pytestmark = pytest.mark.local_model

# Diagnosis, the name that stands for it, and others that do not. The model is no medical judge:
# on paraphrases it is at chance, so two of the three share their words with the name.
CASES = [
    ("acute appendicitis", "Acute appendicitis", ["Asthma", "Scabies", "Gout"]),
    ("iron deficiency anaemia", "Iron deficiency anemia", ["Scabies", "Cholera", "Gout"]),
    ("gouty arthritis", "Gout", ["Asthma", "Cholera", "Migraine"]),
]


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    path = model_path()
    if path is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip(f"no local model: {INSTALL}")
    server = start(path)
    yield f"openai:smollm2@{server.listening_address}/v1"
    del server


def test_a_real_model_chooses_among_the_names_it_is_shown(judge: str, tmp_path: Path) -> None:
    items = [
        {"diagnosis": text, "candidates": [*others[:2], right, *others[2:]]}
        for text, right, others in CASES
    ]
    with Run(cache=tmp_path / "r.sqlite", concurrency=1, timeout=300) as run:
        outcomes = run_step_sync(CHOOSE_CANDIDATE_CONSTRAINED, items, judge=judge, run=run)
        (line,) = run.ledger.summary()
    assert isinstance(outcomes, list)
    # Every answer of a constrained decoder is on the list or none: at the first attempt.
    assert [outcome.status in ("done", "abstained") for outcome in outcomes] == [True] * 3
    assert line.first_pass_validity == 1.0
    assert {o.judge.method for o in outcomes if o.judge} == {"json_schema"}
    assert line.tokens_in > 600 and line.tokens_out > 10
    chosen = [outcome.value.name for outcome in outcomes if outcome.status != "failed"]
    assert chosen[:2] == ["Acute appendicitis", "Iron deficiency anemia"]

    with Run(cache=tmp_path / "r.sqlite", mode="replay") as run:
        again = run_step_sync(CHOOSE_CANDIDATE_CONSTRAINED, items, judge=judge, run=run)
    assert isinstance(again, list)
    assert [outcome.value.name for outcome in again if outcome.status != "failed"] == chosen
