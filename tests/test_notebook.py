"""How outcomes show themselves: a short repr, and a small table in a notebook."""

from typing import Any

from dxjudge.agents.grading import Grade
from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.outcome import Abstained, Done, Failed
from dxjudge.graphs.jury.result import JuryOutcome
from dxjudge.scoring.jury import combine
from dxjudge.scoring.votes import Vote

ABOUT: dict[str, Any] = {"step": "grade_ddx", "version": 1}
JUDGE = JudgeSpec(provider="openai", model="gpt-4o")


def test_an_outcome_is_short_in_print() -> None:
    done = Done(**ABOUT, judge=JUDGE, value=Grade(score=4, rationale="Near."), key="k" * 64)
    assert repr(done).endswith(
        "(step='grade_ddx', value=Grade(score=4, rationale='Near.'), decided_by='openai:gpt-4o')"
    )
    failed = Failed(**ABOUT, kind="refused", reasons=("no",))
    assert repr(failed) == "Failed(step='grade_ddx', kind='refused', reasons=('no',))"
    assert failed.why == "refused: no"
    several = Failed(**ABOUT, kind="invalid", reasons=("invalid: score: missing", "invalid: x"))
    assert several.why == "invalid: score: missing; invalid: x"
    assert several.first_why == "invalid: score: missing"
    asked = Failed(**ABOUT, kind="refused", reasons=("no",), judge=JUDGE)
    assert repr(asked).endswith("reasons=('no',), judge='openai:gpt-4o')")


def test_a_notebook_shows_the_fields_of_the_result_escaped() -> None:
    attack = "<script>alert('x')</script>"
    shown = Done(**ABOUT, judge=JUDGE, value=Grade(score=4, rationale=attack))._repr_html_()
    assert "<caption>grade_ddx: done</caption>" in shown
    assert ">score</th>" in shown and ">4</td>" in shown
    assert "<script>" not in shown and "&lt;script&gt;" in shown
    none = Abstained(**ABOUT, reason=attack)._repr_html_()
    assert "grade_ddx: abstained" in none and "<script>" not in none
    long = Failed(**ABOUT, kind="invalid", reasons=("x" * 9000,))._repr_html_()
    assert len(long) < 1500 and "grade_ddx: failed" in long


def test_a_jury_shows_its_verdict_and_shares() -> None:
    votes = [
        Vote("7", "s", name, verdict=level) for name, level in zip("abc", (2, 2, 0), strict=True)
    ]
    outcome = JuryOutcome("7", "s", {"s": combine(votes)}, tuple(votes))
    assert repr(outcome) == "JuryOutcome(case='7', status='decided', verdicts={'s': 2})"
    assert "<caption>s, case 7: decided</caption>" in outcome._repr_html_()
    assert "2 (2: 67%, 0: 33%)" in outcome._repr_html_()
