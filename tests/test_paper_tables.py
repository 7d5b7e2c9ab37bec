"""The tables of the papers: columns in their order, each with numbers or with the reason."""

import csv
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dxjudge
from dxjudge.cli.main import app
from dxjudge.cli.terminal.printing import fitted
from dxjudge.errors import UsageError
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.paper import check_paper, load_paper, read_paper
from dxjudge.evaluation.presets import PRESETS
from dxjudge.evaluation.read import load_cases, load_responses, read_rows
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.paper_tables import fill_paper, paper_table, paper_views
from dxjudge.evaluation.report.paper_text import paper_figures, paper_latex, paper_text
from dxjudge.evaluation.report.tables import all_tables
from dxjudge.evaluation.result import Evaluation
from dxjudge.scoring import deviation_over_units

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once", "one_picture")

EXAMPLES = Path(__file__).parents[1] / "examples"
MODELS = {"careful": EXAMPLES / "evaluate" / "careful.jsonl",
          "hasty": EXAMPLES / "evaluate" / "hasty.jsonl"}  # fmt: skip


def choices(rows: dict[str, str], **cases: list[dict[str, Any]]) -> Evaluation:
    """Multiple choice, the right answer always A; a row is a letter for each case, "-" for none."""
    given = cases.get("cases") or [
        {"id": f"c{n}", "question": "Which?", "options": {"A": "gout", "B": "asthma"},
         "answer": "A", "category": "joint" if n % 2 else "lung"}
        for n in range(len(next(iter(rows.values()))))
    ]  # fmt: skip
    read = load_cases(given)
    answers = {
        model: [
            {"id": case["id"], "response": letter}
            for case, letter in zip(given, letters, strict=True)
            if letter != "-"
        ]
        for model, letters in rows.items()
    }
    settings = read_settings(None, preset="choice", resamples=50)
    return evaluate(read, load_responses(answers, read), settings, Panel())


TABLE = """
source: a paper
tables:
  - name: one
    title: The table
    columns:
      - {metric: choice_accuracy, title: Acc., show: percent, digits: 1}
      - {metric: choice_accuracy, title: Spread, show: deviation}
      - {metric: choice_accuracy, title: Both, show: mean_deviation}
      - {metric: choice_accuracy, title: N, show: count}
      - {metric: choice_accuracy, by: category, order: [lung, skin, joint]}
      - {metric: bleu, title: BLEU}
      - {metric: ddx_coverage, by: ward, title: Ward}
"""


def test_a_table_has_the_titles_of_the_paper_in_its_order_and_our_numbers() -> None:
    made = choices({"one": "AABB" * 5, "two": "AAAB" * 5})
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), made)
    text = paper_text(view, made)
    titles = ("Model", "Acc.", "Spread", "Both", "N", "lung", "skin", "joint", "BLEU", "Ward")
    assert text.header == titles
    cells = {row[0]: dict(zip(text.header, row, strict=True)) for row in text.rows}
    # "one": 10 of 20 right; sd = sqrt(20 * 0.25 / 19) = 0.513
    assert cells["one"]["Acc."].startswith("50.0 [") and cells["one"]["Spread"] == "0.513"
    assert cells["one"]["Both"].startswith("0.500 ± 0.513 [")
    assert cells["one"]["N"] == "20"
    # "two" is wrong in c3, c7, ...: 5 of the 10 of the joints, none of the lungs
    assert cells["two"]["lung"].startswith("1.000") and cells["two"]["joint"].startswith("0.500")


def test_a_column_without_a_number_stays_and_says_why() -> None:
    made = choices({"one": "AABB" * 5})
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), made)
    text = paper_text(view, made)
    row = dict(zip(text.header, text.rows[0], strict=True))
    assert (row["skin"], row["BLEU"], row["Ward"]) == ("-", "-", "-")
    notes = " ".join(text.notes)
    assert "Missing: skin: no case has this category." in notes
    assert "Missing: BLEU: the task text_overlap is not among the tasks of the settings." in notes
    assert "Missing: Ward: the task grade_ddx is not among" in notes
    reasons = {row[3]: row[18] for row in paper_table([view], "s").rows}
    assert reasons["skin"] == "no case has this category" and reasons["Acc."] == ""


def test_a_model_with_half_its_answers_has_its_bounds_and_its_count() -> None:
    made = choices({"half": "AB--" * 5, "whole": "ABAB" * 5})
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), made)
    text = paper_text(view, made)
    half, whole = ({**dict(zip(text.header, row, strict=True))} for row in text.rows)
    # 5 of 10 answers are right; with the 10 missing ones wrong 5 of 20, right 15 of 20
    assert half["Acc."].startswith("50.0 [") and half["Acc."].endswith("{25.0, 75.0}")
    assert half["N"] == "20" and "{" not in whole["Acc."]
    assert any(note.startswith("Unresolved: half 10.") for note in text.notes)


def test_a_single_missing_number_and_a_number_without_interval_say_why() -> None:
    made = choices({"none": "---A", "few": "AABA"})
    (view,) = fill_paper(read_paper(TABLE, "t.yaml"), made)
    notes = " ".join(paper_text(view, made).notes)
    assert "Missing for none: lung: every item of this model failed." in notes
    assert "No interval for some numbers of Acc." in notes and "at least 10" in notes


def test_rows_in_another_order_give_the_same_table() -> None:
    cases: list[dict[str, Any]] = [
        {"id": f"c{n}", "question": "Which?", "options": {"A": "gout", "B": "asthma"},
         "answer": "A" if n % 3 else "B", "category": "joint" if n % 2 else "lung"}
        for n in range(20)
    ]  # fmt: skip
    shuffled = random.Random(1).sample(cases, 20)
    tables = []
    for given in (cases, shuffled):
        letters = "".join("A" if int(case["id"][1:]) % 2 else "B" for case in given)
        made = choices({"one": letters}, cases=given)
        tables.append(paper_table(fill_paper(read_paper(TABLE, "t.yaml"), made), "s").rows)
    assert repr(tables[0]) == repr(tables[1])


@pytest.mark.parametrize(
    ("preset", "cases", "models"),
    [
        ("dermcase", "cases.jsonl", ("evaluate/careful.jsonl", "evaluate/hasty.jsonl")),
        ("medsyn", "evaluate/medsyn_cases.jsonl", ("evaluate/medsyn_reader.jsonl",
                                                   "evaluate/medsyn_seer.jsonl")),
        ("mediconfusion", "evaluate/mediconfusion_questions.csv", (
            "evaluate/mediconfusion_model.jsonl", "evaluate/mediconfusion_same.jsonl")),
    ],
)  # fmt: skip
def test_every_digit_is_the_same_with_the_rows_in_another_order(
    preset: str, cases: str, models: tuple[str, ...]
) -> None:
    given = read_rows(EXAMPLES / cases)[:16]
    ids = {row["id"] for row in given}
    rows = {
        Path(name).stem: [row for row in read_rows(EXAMPLES / name) if row["id"] in ids]
        for name in models
    }
    tables = []
    for seed in (None, 1):
        order = random.Random(seed) if seed else None
        mixed = order.sample(given, len(given)) if order else given
        answers = {model: order.sample(own, len(own)) if order else own
                   for model, own in rows.items()}  # fmt: skip
        types = {model: {"type": "open"} for model in rows}
        made = dxjudge.evaluate(mixed, answers, preset=preset, resamples=50, models=types)
        by_name = {table.name: table for table in all_tables(made.evaluation)}
        kept = [
            by_name[name] for name in ("summary", "differences", "ranks", "model_groups", "paper")
        ]
        signature = made.evaluation.signature["id"]
        tables.append(repr([table.rows for table in kept]).replace(signature, ""))
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("{metric: accuracy_at_home}", "no task fills the metric 'accuracy_at_home'"),
        ("{title: T}", "either a metric or a table"),
        ("{table: variants}", "a table and a value belong together"),
        ("{table: scores, value: value}", "table"),
        ("{metric: bleu, colour: red}", "colour"),
    ],
)
def test_a_column_that_nothing_fills_is_an_error(column: str, message: str) -> None:
    text = f"source: s\ntables: [{{name: t, title: T, columns: [{column}]}}]"
    with pytest.raises(UsageError, match=message):
        check_paper(read_paper(text, "t.yaml"), read_settings(None, preset="dermcase"))


def test_a_value_that_a_table_of_ours_lacks_is_an_error() -> None:
    text = "source: s\ntables: [{name: t, title: T, columns: [{table: ranks, value: place}]}]"
    with pytest.raises(UsageError, match="ranks has no column place; it has metric, judge"):
        fill_paper(read_paper(text, "t.yaml"), choices({"one": "AABB" * 5}))


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_every_metric_of_every_paper_is_filled_by_the_tasks_of_its_preset(preset: str) -> None:
    paper = load_paper(preset)
    if paper is None:
        return
    settings = read_settings(None, preset=preset)
    check_paper(paper, settings)
    names = [table.name for table in paper.tables]
    assert len(names) == len({*names})


@pytest.fixture(scope="module")
def dermcase(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    cases = load_cases(str(EXAMPLES / "cases.jsonl"))
    responses = load_responses([f"{name}={path}" for name, path in MODELS.items()], cases)
    with ProtocolServer(make_judge()) as first, ProtocolServer(make_judge(1)) as second:
        judges = (first.judge(), second.judge())
        settings = read_settings(None, preset="dermcase", resamples=50)
        return evaluate(cases, responses, settings, judges=judges)


def test_dermcase_has_a_table_for_each_judge_where_a_judge_decides(dermcase: Evaluation) -> None:
    views = paper_views(dermcase)
    names = [(view.table.name, bool(view.judge)) for view in views]
    assert names.count(("reasoning", True)) == 2 and names.count(("overlap", False)) == 1
    files = paper_latex(views, dermcase)
    assert {"paper_reasoning_1", "paper_reasoning_2", "paper_overlap"} <= set(files)
    assert "Micro Precision & Micro Recall & Micro F1" in files["paper_differential_1"]
    drawn = {figure.name for figure in paper_figures(views, dermcase)}
    assert {"paper_reasoning_1", "paper_errors_2"} <= drawn


def test_a_table_fits_a_terminal_of_80_columns(dermcase: Evaluation) -> None:
    for view in paper_views(dermcase):
        text = paper_text(view, dermcase)
        parts = list(fitted(text.header, text.rows, 80))
        assert [name for header, _ in parts for name in header[1:]] == list(text.header[1:])
        for header, rows in parts:
            lines = [header, *rows]
            widths = [max(len(piece) for line in lines for piece in line[at].split("\n"))
                      for at in range(len(header))]  # fmt: skip
            assert sum(widths) + 3 * len(widths) <= 80 or len(header) == 2


def test_the_command_prints_the_tables_and_writes_them(tmp_path: Path) -> None:
    paths = [str(path) for path in MODELS.values()]
    command = ["evaluate", str(EXAMPLES / "cases.jsonl"), *paths, "-o", str(tmp_path),
               "--preset", "dermcase", "--resamples", "50"]  # fmt: skip
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 3, result.output
    for title in ("Micro", "Jaccard", "ROUGE-2", "BERTScore", "Missing: Knowledge (5)"):
        assert title in result.output, title
    rows = list(csv.DictReader(io.StringIO((tmp_path / "paper.csv").read_text("utf-8"))))
    by_title = {(row["model"], row["title"]): row for row in rows}
    summary = {
        (row["model"], row["metric"]): row
        for row in csv.DictReader(io.StringIO((tmp_path / "summary.csv").read_text("utf-8")))
        if not row["group_by"] and not row["slice"]
    }
    for title, metric in (("ROUGE-2", "rouge_2"), ("Micro Jaccard", "semantic_micro_jaccard")):
        row = by_title["careful", title]
        assert row["metric"] == metric
        assert row["estimate"] == summary["careful", metric]["value"]
        assert row["sd"] == summary["careful", metric]["sd"] != ""
    assert "pass --judge" in by_title["careful", "Total (100)"]["reason"]
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Tables of the paper" in page and "Micro Precision" in page
    assert (tmp_path / "paper_overlap.tex").exists()
    signature = json.loads((tmp_path / "signature.json").read_text("utf-8"))["id"]
    assert {row["signature"] for row in rows} == {signature}


def test_the_deviation_is_over_the_units_own_numbers() -> None:
    import numpy as np

    # own numbers 1/2, 1, 0: mean 1/2, squares 0, 1/4, 1/4, divided by 2: sqrt(1/4) = 1/2
    above, below = np.array([[1.0], [3.0], [0.0], [0.0]]), np.array([[2.0], [3.0], [1.0], [0.0]])
    assert deviation_over_units(above, below) == pytest.approx(0.5)
    # harmonic means 2/3 (of 1 and 1/2) and 0: sd = (2/3) / sqrt(2)
    pairs = np.array([[1.0, 0.5], [0.0, 0.0]])
    assert deviation_over_units(pairs, np.ones((2, 2)), "harmonic") == pytest.approx(
        2 / 3 / math.sqrt(2)
    )
    assert math.isnan(deviation_over_units(above[:1], below[:1]))
