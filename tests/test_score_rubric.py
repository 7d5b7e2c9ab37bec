from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.score_rubric import SCORE_RUBRIC
from dxjudge.prompts.load_data import load_rubric

from .scripted import ask_step, settle

RESPONSE = "The film shows a “halo”.\nLactate was 9.  Gout is unlikely, so this is vasculitis."
INPUTS = {"case": "A film shows a halo.", "reference": "Vasculitis: halo.", "response": RESPONSE}
DIMENSIONS = (
    "knowledge",
    "image_interpretation",
    "laboratory_interpretation",
    "differential_diagnosis",
    "reasoning_chain",
)


def judged(
    level: Any, quotes: Any = ("this is vasculitis",), invented: Any = (), **other: Any
) -> Any:
    return {
        "quotes": list(quotes),
        "invented": list(invented),
        "justification": "It matches.",
        "level": level,
        **other,
    }


def answer(**changes: Any) -> Any:
    return {name: judged(2) for name in DIMENSIONS} | changes


def test_points_and_total_are_computed_by_code() -> None:
    levels = dict(zip(DIMENSIONS, (4, 3, 2, 1, 2), strict=True))
    outcome, seen = ask_step(
        SCORE_RUBRIC, INPUTS, {name: judged(level) for name, level in levels.items()}
    )
    points = {name: score.points for name, score in outcome.value.dimensions.items()}
    # 4 x 1.25, 3 x 6.25, 2 x 3.75, 1 x 6.25, 2 x 7.5
    assert points == dict(zip(DIMENSIONS, (5.0, 18.75, 7.5, 6.25, 15.0), strict=True))
    assert outcome.value.total == 52.5
    assert outcome.value.best == 100
    sent = str(seen[0].schema)
    assert "points" not in sent and "total" not in sent


def test_the_factors_are_those_of_the_paper() -> None:
    best = {d.name: d.factor * d.values[-1] for d in load_rubric("dermcase").dimensions}
    assert best == dict(zip(DIMENSIONS, (5, 25, 15, 25, 30), strict=True))


def test_a_model_cannot_hand_in_a_total() -> None:
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, {**answer(), "total": 100})
    assert outcome.status == "failed"


def test_invented_content_caps_its_dimension_alone() -> None:
    lab = judged(4, invented=["Lactate was 9."])
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, answer(laboratory_interpretation=lab))
    scores = outcome.value.dimensions
    assert (scores["laboratory_interpretation"].given, scores["laboratory_interpretation"].raw) == (
        4,
        1,
    )
    assert scores["laboratory_interpretation"].points == 3.75
    assert scores["image_interpretation"].raw == 2


def test_a_level_0_needs_no_quote_and_any_other_does() -> None:
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, answer(knowledge=judged(0, quotes=())))
    assert outcome.value.dimensions["knowledge"].raw == 0
    outcome, seen = ask_step(SCORE_RUBRIC, INPUTS, answer(knowledge=judged(1, quotes=())), answer())
    assert outcome.repairs == 1
    assert "knowledge.quotes: a level above 0 needs at least one quote" in seen[1].texts[-1]


def test_quotes_are_found_whatever_their_spaces_and_marks_and_kept_with_offsets() -> None:
    quotes = ['shows a "halo". Lactate', "'this is vasculitis...'"]
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, answer(knowledge=judged(2, quotes)))
    first, second = outcome.value.dimensions["knowledge"].quotes
    assert first.text == "shows a “halo”.\nLactate"
    assert RESPONSE[first.start : first.end] == first.text
    assert second.text == "this is vasculitis"
    assert (second.start, second.source) == (RESPONSE.index("this is"), "response")


@pytest.mark.parametrize("field", ["quotes", "invented"])
def test_a_quote_that_is_not_in_the_response_goes_back(field: Any) -> None:
    wrong = judged(2) | {field: ["this was vasculitis"]}
    outcome, seen = ask_step(SCORE_RUBRIC, INPUTS, answer(knowledge=wrong), answer())
    assert outcome.repairs == 1
    assert f"knowledge.{field}: 'this was vasculitis' does not occur" in seen[1].texts[-1]


@pytest.mark.parametrize("level", [5, -1, 2.5, "high", None])
def test_only_the_levels_of_the_rubric(level: Any) -> None:
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, answer(knowledge=judged(level)))
    assert outcome.status == "failed"


def test_a_missing_dimension_is_no_zero() -> None:
    partial = answer()
    del partial["reasoning_chain"]
    outcome, _ = ask_step(SCORE_RUBRIC, INPUTS, partial)
    assert outcome.status == "failed"


def test_justification_and_quotes_come_before_the_level() -> None:
    _, seen = ask_step(SCORE_RUBRIC, INPUTS, answer())
    found = seen[0].schema
    fields = list(found["$defs"]["DimensionAnswer"]["properties"])
    assert fields == ["quotes", "invented", "justification", "level"]


def test_the_prompt_holds_the_rules_and_the_rubric() -> None:
    _, seen = ask_step(SCORE_RUBRIC, INPUTS, answer())
    system = seen[0].texts[0]
    for rule in (
        "reference answer is the standard",
        "on its own",
        "earns level 0",
        "level 1 at most",
    ):
        assert rule in system
    for dimension in load_rubric("dermcase").dimensions:
        assert dimension.levels[3].text in system


@pytest.mark.parametrize("engine", ["auto", "llm"])
def test_an_empty_response_is_not_scored(engine: Any) -> None:
    outcome, seen = ask_step(SCORE_RUBRIC, {**INPUTS, "response": "\n"}, answer(), engine=engine)
    assert outcome.status == "abstained"
    assert seen == []


def test_without_a_judge_the_step_says_what_to_pass() -> None:
    with pytest.raises(Exception, match=r"needs a judge: --judge .* local server .*http://127"):
        settle(SCORE_RUBRIC, INPUTS, "auto")


def test_a_users_rubric_needs_no_code(tmp_path: Path) -> None:
    file = tmp_path / "brief.yaml"
    file.write_text(
        """
name: brief
version: 1
source: our ward
invented_cap: 0
dimensions:
  - name: clarity
    title: Clarity
    question: Can a colleague follow it?
    factor: 10
    levels: {0: unclear, 1: clear, 2: very clear}
""",
        encoding="utf-8",
    )
    inputs = {**INPUTS, "rubric": str(file)}
    outcome, seen = ask_step(SCORE_RUBRIC, inputs, {"clarity": judged(2)})
    assert (outcome.value.total, outcome.value.best, outcome.value.rubric) == (20, 20, "brief")
    assert "Can a colleague follow it?" in seen[0].texts[0]
    assert ask_step(SCORE_RUBRIC, inputs, {"clarity": judged(3)})[0].status == "failed"
    capped, _ = ask_step(SCORE_RUBRIC, inputs, {"clarity": judged(2, invented=["Lactate was 9"])})
    assert capped.value.total == 0
