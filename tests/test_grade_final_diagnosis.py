from typing import Any

import pytest

from dxjudge.agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS

from .scripted import ask_step

INPUTS = {"truth": "gout", "generated": "pseudogout"}


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_every_level_of_the_scale(score: Any) -> None:
    outcome, seen = ask_step(
        GRADE_FINAL_DIAGNOSIS, INPUTS, {"rationale": "Another crystal.", "score": score}
    )
    assert outcome.value.score == score
    assert "5: Exactly the true diagnosis" in seen[0].texts[0]
    assert "1: Unrelated." in seen[0].texts[0]


@pytest.mark.parametrize("score", [0, 6, 4.5, None])
def test_no_other_level(score: Any) -> None:
    outcome, _ = ask_step(GRADE_FINAL_DIAGNOSIS, INPUTS, {"rationale": "Near.", "score": score})
    assert outcome.status == "failed"


def test_without_a_diagnosis_there_is_no_grade() -> None:
    outcome, seen = ask_step(
        GRADE_FINAL_DIAGNOSIS, {"truth": "gout", "generated": "  "}, {"score": 1}
    )
    assert outcome.status == "abstained"
    assert seen == []
