"""Means over groups of models: from a file or from columns of the responses."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dxjudge
from dxjudge.cli.main import app
from dxjudge.errors import InputError
from dxjudge.evaluation.model_attributes import read_models
from dxjudge.evaluation.paper import read_paper
from dxjudge.evaluation.report.paper_tables import fill_paper
from dxjudge.evaluation.report.paper_text import paper_text
from dxjudge.scoring import Plan, bootstrap_interval, mean_statistic

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

LETTERS = {"a": "AABB" * 5, "b": "AAAB" * 5, "c": "AAAA" * 5}
TYPES = {"a": {"type": "open"}, "b": {"type": "open"}, "c": {"type": "proprietary"}}
CASES = [{"id": f"c{n}", "question": "Which?", "A": "gout", "B": "asthma", "answer": "A"}
         for n in range(20)]  # fmt: skip


def responses(**extra: str) -> dict[str, list[dict[str, Any]]]:
    return {
        model: [{"id": f"c{n}", "response": letter, **extra} for n, letter in enumerate(letters)]
        for model, letters in LETTERS.items()
    }


def run(**settings: Any) -> dxjudge.EvaluationResult:
    return dxjudge.evaluate(CASES, responses(), preset="choice", resamples=200, **settings)


def test_a_group_has_the_mean_of_its_models_with_an_interval_over_cases() -> None:
    made = run(models=TYPES).evaluation
    groups = {one.group: one for one in made.model_groups if one.metric == "choice_accuracy"}
    opened = groups["open"]
    # a has 10 of 20 right, b 15 of 20: (0.5 + 0.75) / 2, sd = 0.25 / sqrt(2)
    assert opened.value == pytest.approx(0.625) and opened.models == "a; b"
    assert opened.sd == pytest.approx(0.25 / math.sqrt(2)) and opened.n == 20
    both = [(letters.count("A") / 2) for letters in zip(LETTERS["a"], LETTERS["b"], strict=True)]
    ids = [case["id"] for case in CASES]
    order = sorted(range(20), key=ids.__getitem__)  # resamples do not depend on the order of rows
    direct = bootstrap_interval(
        mean_statistic(np.array(both)[order]), [ids[at] for at in order], plan=Plan(resamples=200)
    )
    assert (opened.low, opened.high) == pytest.approx((direct.low, direct.high))
    alone = groups["proprietary"]
    assert alone.value == 1.0 and math.isnan(alone.sd)
    assert math.isnan(alone.low) and alone.warning  # all resamples are equal


def test_a_model_with_half_its_answers_widens_the_bounds_of_its_group() -> None:
    given = responses()
    given["b"] = given["b"][:10]
    made = dxjudge.evaluate(CASES, given, preset="choice", resamples=50, models=TYPES).evaluation
    opened = next(one for one in made.model_groups if one.group == "open")
    # b: 8 of its 10 are right; a: 10 of 20. Bounds of b: 8 of 20 and 18 of 20
    assert opened.value == pytest.approx((0.5 + 0.8) / 2) and opened.failed == 10
    assert (opened.worst, opened.best) == pytest.approx(((0.5 + 0.4) / 2, (0.5 + 0.9) / 2))


def test_columns_of_the_responses_are_attributes_too() -> None:
    made = dxjudge.evaluate(
        CASES, responses(size="7B"), preset="choice", resamples=50, model_columns=["size"]
    ).evaluation
    assert {(one.attribute, one.group, one.models) for one in made.model_groups} == {
        ("size", "7B", "a; b; c")
    }
    assert not any("size" in note for note in made.notes)


TABLE = """
source: s
tables:
  - name: types
    title: By type
    models_by: type
    columns: [{metric: choice_accuracy, title: Acc., show: percent, digits: 1}]
"""


def test_a_table_of_the_paper_can_have_groups_of_models_as_rows() -> None:
    made = run(models={**TYPES, "ghost": {"type": "open"}, "c": {}}).evaluation
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), made)
    text = paper_text(view, made)
    assert text.header == ("Type", "Acc.")
    assert [row[0] for row in text.rows] == ["open"] and text.rows[0][1].startswith("62.5 [")
    assert "Means over models. open: a, b." in text.notes
    notes = " ".join(made.notes)
    assert "no attribute is known of the models c" in notes
    assert "no responses are there of the models ghost" in notes
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), run().evaluation)
    assert view.cells[0][0].reason == "no model has the attribute type; give --models FILE"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,type\na,open\n", "row 1: the column model is missing"),
        ("model,type\na,open\na,closed\n", "row 2: a second row for the model 'a'"),
        ("model,type\na,\n", "has no attribute"),
    ],
)
def test_a_table_of_models_that_cannot_be_used_is_an_error(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "models.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_models(file)


def test_a_model_with_two_values_of_an_attribute_is_an_error() -> None:
    given = responses(size="7B")
    given["a"][3]["size"] = "70B"
    with pytest.raises(InputError, match="the model a has several size: 7B, 70B"):
        dxjudge.evaluate(CASES, given, preset="choice", model_columns=["size"])
    with pytest.raises(InputError, match="no responses have the column 'kind' of the models"):
        dxjudge.evaluate(CASES, responses(), preset="choice", model_columns=["kind"])


def test_the_command_reads_the_table_of_models(tmp_path: Path) -> None:
    folder = Path(__file__).parents[1] / "examples" / "evaluate"
    table = tmp_path / "models.csv"
    table.write_text("model,type,size\nmedsyn_reader,open,7B\nmedsyn_seer,open,70B\n", "utf-8")
    result = CliRunner().invoke(app, [
        "evaluate", str(folder / "medsyn_cases.jsonl"), str(folder / "medsyn_reader.jsonl"),
        str(folder / "medsyn_seer.jsonl"), "-o", str(tmp_path / "out"), "--preset", "medsyn",
        "--models", str(table), "--resamples", "50",
    ])  # fmt: skip
    assert result.exit_code == 3, result.output  # one answer of the example cannot be read
    assert "Means by type of model" in result.output
    with (tmp_path / "out" / "model_groups.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == "choice_accuracy"]
    assert {(row["attribute"], row["group"]) for row in rows} == {
        ("type", "open"), ("size", "7B"), ("size", "70B"),
    }  # fmt: skip
