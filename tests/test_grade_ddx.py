from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.grade_ddx import GRADE_DDX
from dxjudge.prompts.load_data import load_scale

from .scripted import ask_step

INPUTS = {"truth": "gout", "ddx": ["septic arthritis", "pseudogout"]}


@pytest.mark.parametrize("score", [0, 2, 3, 4, 5])
def test_every_level_of_the_scale(score: Any) -> None:
    answer = {"rationale": "Pseudogout is near.", "score": score}
    outcome, seen = ask_step(GRADE_DDX, INPUTS, answer)
    assert outcome.value.score == score
    assert outcome.value.rationale == "Pseudogout is near."
    assert "- septic arthritis\n- pseudogout" in seen[0].user


@pytest.mark.parametrize("score", [1, 6, -1, 2.5, "4", None])
def test_no_level_between_or_beyond(score: Any) -> None:
    outcome, seen = ask_step(GRADE_DDX, INPUTS, {"rationale": "Near.", "score": score})
    assert outcome.status == "failed"
    assert len(seen) == 3


@pytest.mark.parametrize("rationale", ["", "4", " - "])
def test_a_rationale_without_words_goes_back(rationale: Any) -> None:
    good = {"rationale": "Near.", "score": 4}
    outcome, seen = ask_step(GRADE_DDX, INPUTS, {"rationale": rationale, "score": 4}, good)
    assert outcome.repairs == 1
    assert "rationale: write one sentence in words" in seen[1].texts[-1]


@pytest.mark.parametrize(
    ("rationale", "kept"),
    [
        ("It is near. It is not listed.", "It is near."),
        ("Near, e.g. by S. Aureus vs. gout.", "Near, e.g. by S. Aureus vs. gout."),
        (" Near\nby  entry 2! So 4.", "Near by entry 2!"),
        ("Near", "Near"),
    ],
)
def test_one_sentence_of_rationale_is_kept(rationale: Any, kept: Any) -> None:
    outcome, _ = ask_step(GRADE_DDX, INPUTS, {"rationale": rationale, "score": 4})
    assert outcome.value.rationale == kept


def test_the_rationale_is_asked_for_before_the_score() -> None:
    _, seen = ask_step(GRADE_DDX, INPUTS, {"rationale": "Near.", "score": 4})
    assert list(seen[0].schema["properties"]) == ["rationale", "score"]


def test_the_prompt_shows_the_scale() -> None:
    _, seen = ask_step(GRADE_DDX, INPUTS, {"rationale": "Near.", "score": 4})
    for level in load_scale("ddx").levels:
        assert f"{level.value:g}: {level.text}" in seen[0].texts[0]


@pytest.mark.parametrize("ddx", [[], [" ", "-"]])
def test_an_empty_list_is_not_graded(ddx: Any) -> None:
    outcome, seen = ask_step(GRADE_DDX, {"truth": "gout", "ddx": ddx}, {"score": 0})
    assert outcome.status == "abstained"
    assert seen == []


def test_a_users_scale_makes_the_output(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\nversion: 1\nsource: me\nlevels: {1: unlike, 10: alike}\n", encoding="utf-8"
    )
    inputs = {**INPUTS, "scale": str(file)}
    outcome, seen = ask_step(GRADE_DDX, inputs, {"rationale": "On it.", "score": 10})
    assert outcome.value.score == 10
    assert seen[0].schema["properties"]["score"]["enum"] == [1, 10]
    assert ask_step(GRADE_DDX, inputs, {"rationale": "On it.", "score": 5})[0].status == "failed"
