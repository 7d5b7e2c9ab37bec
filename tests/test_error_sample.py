"""Errors of wrong responses: which are drawn, and the shares of their instances."""

import random
from pathlib import Path
from typing import Any

import pytest

import dxjudge
from dxjudge.errors import UsageError
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.paper_tables import paper_views
from dxjudge.evaluation.report.paper_text import paper_text
from dxjudge.evaluation.result import Evaluation

from .protocol_server import ProtocolServer, Seen, fail

CATEGORY = ("visual interpretation", "logical inconsistency")


def script(seen: Seen) -> Any:
    """Judge by the item's text: "wrong" diagnoses are wrong; the marks of a response are errors."""
    assert seen.schema is not None
    names = set(seen.schema["properties"])
    if "verdict" in names:
        if "silent" in seen.user:
            return fail(400, "rejected")
        return {"verdict": "Incorrect" if "wrong" in seen.user else "Correct"}
    if "errors" in names:
        marks = [("VVV", 0)] if "VVV" in seen.user else []
        marks += [("LLL", 1)] if "LLL" in seen.user else []
        return {"errors": [
            {"category": CATEGORY[at], "quote": mark, "explanation": "Wrong.",
             "reasoning_step": "first"}
            for mark, at in marks
        ]}  # fmt: skip
    raise AssertionError(names)


def run(
    texts: list[tuple[str, str]], *, order: list[int] | None = None, **settings: Any
) -> Evaluation:
    """Evaluate (response, diagnosis) of each case; "" has no response."""
    places = order or list(range(len(texts)))
    cases = [{"id": f"c{n}", "case": "A case.", "reference": "The reference.",
              "diagnosis": "gout", "ddx": ["gout"]} for n in places]  # fmt: skip
    rows = [
        {"id": f"c{n}", "response": texts[n][0], "predicted_diagnosis": texts[n][1],
         "predicted_ddx": [texts[n][1]]}
        for n in places if texts[n][0]
    ]  # fmt: skip
    with ProtocolServer(script) as server:
        return dxjudge.evaluate(
            cases, {"it's": rows}, preset="dermcase", judges=[server.judge()],
            tasks=["judge_equivalence", "label_errors"], resamples=20, **settings,
        ).evaluation  # fmt: skip


def value(made: Evaluation, metric: str) -> Any:
    return made.number(metric, "it's", made.judged.judges[0])


TEXTS = [("VVV and LLL", "wrong 1"), ("VVV", "wrong 2"), ("VVV", "wrong 3"),
         ("It is clear.", "wrong 4"), ("VVV", "right"), ("LLL", "silent"), ("", "")]  # fmt: skip


def test_shares_of_instances_are_over_all_errors_of_the_wrong_responses() -> None:
    made = run(TEXTS)
    # the four wrong responses have the errors V L, V, V and none: V 3 of 4, L 1 of 4
    shares = [value(made, f"error instances: {name}") for name in CATEGORY]
    assert [one.value for one in shares] == [0.75, 0.25]
    # of responses: V in 3 of 4, L in 1 of 4; (2 + 1 + 1 + 0) / 4 errors in a response
    assert value(made, f"error: {CATEGORY[0]}").value == 0.75
    mean = value(made, "errors_per_response")
    # sd: (1 + 0 + 0 + 1) / 3
    assert mean.value == 1.0 and mean.sd == pytest.approx((2 / 3) ** 0.5)
    total = sum(one.value for one in made.numbers if one.metric.startswith("error instances: "))
    assert total == pytest.approx(1.0)
    (note,) = [note for note in made.notes if note.startswith("errors are labelled")]
    # "silent" has no verdict; the case without a response was not wrong, it is missing
    assert note.endswith("it's 4 of 4 (1 without a verdict)")


def test_a_sample_is_drawn_with_the_seed_and_does_not_depend_on_the_order_of_rows() -> None:
    texts = [("VVV" if n % 2 else "LLL", f"wrong {n}") for n in range(10)]
    made = run(texts, errors_sample=4, seed=3)
    labelled = sorted(case for task, _, _, case in made.judged.outcomes if task == "label_errors")
    drawn = random.Random("3 it's").sample(sorted(f"c{n}" for n in range(10)), 4)
    assert labelled == sorted(drawn)
    assert value(made, f"error instances: {CATEGORY[0]}").n == 4
    other = run(texts, errors_sample=4, seed=3, order=list(reversed(range(10))))
    means = [value(one, "errors_per_response") for one in (made, other)]
    assert (means[0].value, means[0].sd, means[0].n) == (means[1].value, means[1].sd, means[1].n)
    assert {case for task, _, _, case in other.judged.outcomes if task == "label_errors"} == {
        *drawn
    }
    views = [view for view in paper_views(made) if view.table.name == "errors"]
    notes = " ".join(paper_text(views[0], made).notes)
    assert "drawn with seed 3: it's 4 of 10." in notes


def test_a_sample_needs_wrong_responses(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("errors_sample: 50\n", "utf-8")
    with pytest.raises(UsageError, match="errors_sample draws wrong responses"):
        read_settings(config, preset="diagnosis")
    assert read_settings(config, preset="dermcase").errors_sample == 50
