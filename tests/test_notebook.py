"""How outcomes show themselves: a short repr, and a small table in a notebook."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import dxjudge
from dxjudge.adapters.callable import Judgement
from dxjudge.agents.judge import JudgeSpec
from dxjudge.agents.outcome import Abstained, Done, Failed
from dxjudge.agents.rules.grading import Grade
from dxjudge.evaluation.answering.from_data import AnswerResult
from dxjudge.graphs.jury.result import JuryOutcome
from dxjudge.graphs.mapper import Mapper
from dxjudge.graphs.robust import Trial, Tried
from dxjudge.ontology.mapping import Candidate, Mapping
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


LONG = "a very long text\nof two lines " * 400
ATTACK = "<script>alert('x')</script>"


def _objects() -> dict[str, Any]:
    rubric = dxjudge.find_step("score_rubric")
    candidate = Candidate("I21", LONG[:40], LONG, "x", 0.5, 0.75, LONG)
    done = Done(**ABOUT, judge=JUDGE, value=Grade(score=4, rationale=LONG))
    votes = tuple(Vote("7", f"s.{n}", "a", verdict=LONG, explanation=LONG) for n in range(30))
    columns = {"id": ["1", "2"], "response": [LONG, ATTACK], "status": ["done", "failed"]}
    return {
        "Mapper": Mapper(judge="openai:gpt-4o"),
        "Candidate": candidate,
        "Mapping": Mapping(LONG, "failed", reason=LONG, candidates=(candidate,)),
        "Done": done,
        "Failed": Failed(**ABOUT, kind="invalid", reasons=(LONG, LONG)),
        "Abstained": Abstained(**ABOUT, reason=LONG),
        "JudgeSpec": JudgeSpec(provider="openai", model="m", seed=7),
        "Judgement": Judgement(done, {"a": LONG}),
        "Vote": votes[0],
        "JuryOutcome": JuryOutcome("7", "s", {v.step: combine([v]) for v in votes}, votes),
        "Step": rubric,
        "Verdict": rubric.verdict,
        "Parts": rubric.demand_verdict().parts,
        "Prompt": rubric.load_prompt(),
        "Run": dxjudge.Run(mode="off"),
        "Node": dxjudge.step_node("judge_equivalence"),
        "StepCallable": dxjudge.as_callable("judge_equivalence"),
        "Tried": Tried("a", None, (Trial("", 0, done),)),
        "AnswerResult": AnswerResult(columns, False),
        "Tree": dxjudge.load_tree("icd10cm"),
    }


def test_the_repr_of_a_public_object_is_one_readable_line() -> None:
    for name, shown in _objects().items():
        line = repr(shown)
        assert line.startswith(f"{name}(") and line.endswith(")"), line[:100]
        assert "\n" not in line and " at 0x" not in line, line[:200]
        assert len(line) <= 420, f"{name}: {len(line)} characters"


def test_a_repr_says_what_the_object_is() -> None:
    objects = _objects()
    mapper = "Mapper('icd10cm', specificity='concept', top_k=15, judge='openai:gpt-4o')"
    assert repr(objects["Mapper"]) == mapper
    assert repr(objects["JudgeSpec"]) == "JudgeSpec('openai:m', seed=7)"
    assert repr(objects["Step"]) == "Step('score_rubric', version 1, RubricInput -> RubricScore)"
    assert repr(objects["AnswerResult"]) == "AnswerResult(2 responses, 1 failed)"
    assert repr(objects["StepCallable"]).startswith("StepCallable('judge_equivalence', judge=None")
    assert repr(Vote("7", "s", "a", verdict=2)) == (
        "Vote(case='7', step='s', judge='a', repeat=0, done: 2)"
    )


class _Tags(HTMLParser):
    """Collects tags, and the tags that are closed, of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.closed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(tag)


def test_html_forms_are_balanced_and_escaped(tmp_path: Path) -> None:
    candidate = Candidate("I21", ATTACK, ATTACK, ATTACK, 0.5, 0.75, ATTACK)
    mapping = Mapping(ATTACK, "mapped", "I21", ATTACK, reason=ATTACK, candidates=(candidate,))
    verdicts = {ATTACK: combine([Vote("7", ATTACK, "a", verdict=ATTACK)])}
    cases = [{"id": "1", "diagnosis": "gout"}]
    said = [{"id": "1", "predicted_diagnosis": "gout"}]
    shown = [mapping, JuryOutcome(ATTACK, ATTACK, verdicts, ()), _objects()["AnswerResult"]]
    with dxjudge.Run(mode="off") as run:
        options: dict[str, Any] = {"tasks": ["map_to_icd10"], "run": run, "folder": tmp_path}
        result = dxjudge.evaluate(cases, {ATTACK: said}, **options)
    assert repr(result).startswith("EvaluationResult('") and len(repr(result)) < 200
    for one in (*shown, result):
        tags = _Tags()
        tags.feed(one._repr_html_())
        assert sorted(tags.opened) == sorted(tags.closed), type(one)
        assert "script" not in tags.opened and "table" in tags.opened
        assert "&lt;script&gt;" in one._repr_html_()
