"""The presets on small files, against numbers worked out by hand."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from dxjudge.errors import UsageError
from dxjudge.evaluation.evaluate import evaluate
from dxjudge.evaluation.judging import Panel
from dxjudge.evaluation.presets import PRESETS, find_preset
from dxjudge.evaluation.read import load_cases, load_responses
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.report.latex import escape, latex_table, main_rows
from dxjudge.evaluation.report.tables import all_tables
from dxjudge.evaluation.result import Evaluation
from dxjudge.evaluation.run import Coder
from dxjudge.ontology.mapping import Mapping
from dxjudge.ontology.tree import load_tree

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")

FOLDER = Path(__file__).parents[1] / "examples" / "evaluate"
CODES = {
    "COPD exacerbation": "J44.1",
    "Pulmonary embolism": "I26.99",
    "Bronchiectasis": "J47.9",
    "Viral pneumonia": "J12.9",
    "Hypertension": "I10",
}


def by_list(texts: list[str]) -> list[Mapping]:
    """A mapper that is a list; what is not on it does not map."""
    tree = load_tree()
    found = []
    for text in texts:
        code = CODES.get(text)
        name = tree.name(code) if code else None
        status: Any = "mapped" if code else "unmapped"
        found.append(Mapping(text, status, code, name, decided_by="exact" if code else "none"))
    return found


def run(
    cases: str,
    models: list[str],
    preset: str,
    judges: tuple[str, ...] = (),
    conditions: str | None = None,
    **settings: Any,
) -> Evaluation:
    made = load_cases(FOLDER / cases, conditions=FOLDER / conditions if conditions else None)
    responses = load_responses([str(FOLDER / model) for model in models], made)
    held = read_settings(None, preset=preset, resamples=20, judges=judges, **settings)
    coder = Coder(by_list, lambda: {"ontology": "icd10cm"})
    return evaluate(made, responses, held, Panel(held.judges), coder)


def value(made: Evaluation, metric: str, model: str, **where: str) -> float:
    found = made.number(metric, model, made.judged.judges[0], **where)
    assert found is not None, (metric, model)
    return found.value


def values_of(made: Evaluation, task: str) -> list[Any]:
    held = made.judged.outcomes.items()
    return [each.value for key, verdicts in held if key[0] == task for each in verdicts]


@pytest.fixture(scope="module")
def hddx() -> Evaluation:
    return run(
        "ddxplus_patients.csv",
        ["ddxplus_broad.jsonl", "ddxplus_narrow.jsonl"],
        "hddx",
        conditions="ddxplus_conditions.json",
    )


def test_hddx_scores_a_case_as_the_definition_says(hddx: Evaluation) -> None:
    # Truth of case 0: J40, J17+J18, A15, J47, J81.0. Augmented: chapters 10 and 1; blocks
    # J09-J18, J40-J4A, J80-J84, A15-A19; categories J40, J17, J18, A15, J47, J81; J81.0:
    # 2 + 4 + 6 + 1 = 13 nodes. Predicted J47.9, I10, J44.1, I26.99, J12.9: chapters 10, 9;
    # blocks J40-J4A, I10-I1A, J09-J18, I26-I28; categories J47, I10, J44, I26, J12; below
    # J47.9, J44.1, I26.9, I26.99, J12.9: 2 + 4 + 5 + 5 = 16 nodes. Shared: 10, J40-J4A,
    # J09-J18, J47 = 4. F1 = 8 / 29.
    measure = next(
        m for m in hddx.measures if (m.metric, m.model, m.slice) == ("hdf1", "ddxplus_broad", "")
    )
    assert measure.values()[0] == pytest.approx(2 * 4 / (13 + 16))
    assert measure.numerator[0].tolist() == [4 / 16, 4 / 13]


def test_hddx_levels_are_numbers_of_their_own(hddx: Evaluation) -> None:
    measure = next(
        m for m in hddx.measures
        if (m.metric, m.model, m.slice) == ("hdf1", "ddxplus_broad", "level: block")
    )  # fmt: skip
    # Blocks of case 0: two of four predicted are among the four true ones.
    assert measure.numerator[0].tolist() == [0.5, 0.5]
    slices = {one.slice for one in hddx.numbers}
    assert {"level: chapter", "level: category", "level: subcategory", "chapter: 10"} <= slices


def test_hddx_counts_what_is_unmapped_and_what_abstains(hddx: Evaluation) -> None:
    broad, narrow = (hddx.number("hdf1", m) for m in ("ddxplus_broad", "ddxplus_narrow"))
    assert broad is not None and narrow is not None
    assert broad.unmapped == 18 - 6  # 18 predictions, six of which are on the list of codes
    assert (narrow.abstained, narrow.failed) == (1, 0)  # an empty response holds no differential


def test_hddx_lists_misses_with_the_deepest_level_that_is_right(hddx: Evaluation) -> None:
    miss = {
        row.diagnosis: (row.level, row.shared)
        for row in hddx.misses
        if row.model == "ddxplus_broad" and row.case == "0"
    }
    assert miss == {
        "Bronchitis": ("block", "J40-J4A"),
        "Pneumonia": ("block", "J09-J18"),
        "Tuberculosis": ("none", ""),
        "Acute pulmonary edema": ("chapter", "10"),
    }


def test_hddx_ranks_by_flat_and_by_hierarchical_score(hddx: Evaluation) -> None:
    # Equivalence is known on 2 and 3 of 6 cases, none of them the same: there is no ranking.
    flat = [one for one in hddx.ranks if one.metric == "top_5" and not one.group_by]
    assert [(one.rank, one.n) for one in flat] == [(None, 0), (None, 0)]
    # If everything unresolved were wrong: 1 of 6 against 2 of 6.
    assert [one.rank_if_wrong for one in flat] == [2, 1]
    assert all(one.overlaps for one in flat)
    assert hddx.shifts == {}
    assert {rank.metric for rank in hddx.ranks} >= {"top_5", "hdf1", "hdp"}
    pairs = [gap for gap in hddx.gaps if gap.metric == "hdf1" and not gap.slice and not gap.group]
    assert [(gap.first, gap.second) for gap in pairs] == [("ddxplus_broad", "ddxplus_narrow")]
    assert math.isnan(pairs[0].low) and "6 cases are too few" in pairs[0].warning


def test_medsyn_scores_choices_and_dependence_on_evidence() -> None:
    made = run("medsyn_cases.jsonl", ["medsyn_reader.jsonl", "medsyn_seer.jsonl"], "medsyn")
    assert value(made, "choice_accuracy", "medsyn_reader") == 0.8  # the last of five is wrong
    seer = made.number("choice_accuracy", "medsyn_seer", "stand-ins")
    assert seer is not None  # "either of two" is for a model to read: no verdict without one
    assert (seer.value, seer.worst, seer.best, seer.failed) == (1.0, 0.8, 1.0, 1)
    assert value(made, "choice_accuracy", "medsyn_reader", group_by="language", group="es") == 1.0
    assert [entry.task for entry in made.left_out] == ["grade_ddx", "grade_final_diagnosis"]
    # The reader hardly needs the image, the seer does.
    assert value(made, "sensitivity: imaging as image", "medsyn_reader") < 0.02
    assert value(made, "sensitivity: imaging as image", "medsyn_seer") > 0.1
    rows = [row for row in made.modal if row.model == "medsyn_reader"]
    assert [(row.evidence, row.share_below_diagonal, row.cases) for row in rows] == [
        ("imaging", 1.0, 5), ("(mean)", 1.0, 5)
    ]  # fmt: skip


def presented(folder: Path) -> Evaluation:
    """Two types of evidence on two cases, shown as image and as text; one type lacks a text."""
    cases = [{"id": name, "diagnosis": "d", "question": "?", "A": "a", "B": "b", "answer": "A"}
             for name in ("1", "2")]  # fmt: skip
    sure, even, none = {"A": 1.0}, {"A": 0.5, "B": 0.5}, {"B": 1.0}
    rows = []
    for case, kind, way, given in (
        ("1", "CT", "image", even), ("1", "CT", "text", none), ("2", "CT", "image", sure),
        ("2", "CT", "text", none), ("1", "ECG", "image", none), ("1", "ECG", "text", none),
        ("2", "ECG", "image", even),
    ):  # fmt: skip
        rows.append({"id": case, "withheld": kind, "presented_as": way, "probabilities": given})
    for case in ("1", "2"):
        for way in ("image", "text"):
            rows.append({"id": case, "presented_as": way, "answered": "A", "probabilities": sure})
    for name, table in (("cases", cases), ("m", rows)):
        text = "".join(json.dumps(row) + "\n" for row in table)
        (folder / f"{name}.jsonl").write_text(text)
    return run(str(folder / "cases.jsonl"), [str(folder / "m.jsonl")], "medsyn")


def test_the_cross_modal_gap_is_by_type_of_evidence_and_the_mean_over_types(
    tmp_path: Path,
) -> None:
    made = presented(tmp_path)
    found = {row.evidence: row for row in made.modal}
    # S of (1, 0) against (0, 1) is 1, against itself 0, against (1/2, 1/2): H(3/4) - 1/2 = 0.3113.
    half = 0.8112781 - 0.5
    # CT: images 0.3113 and 0, texts 1 and 1: ((1 - 0.3113)^2 + 1) / 2; both below the diagonal.
    assert found["CT"].nmse_gap == pytest.approx(((1 - half) ** 2 + 1) / 2)
    assert (found["CT"].share_below_diagonal, found["CT"].cases) == (1.0, 2)
    # ECG: on case 1 both are 1; case 2 has no answer without the text, and is counted.
    assert (found["ECG"].nmse_gap, found["ECG"].share_below_diagonal) == (0.0, 0.0)
    assert (found["ECG"].cases, found["ECG"].unpaired) == (1, 1)
    mean = found["(mean)"]
    assert mean.nmse_gap == pytest.approx(found["CT"].nmse_gap / 2)
    assert (mean.share_below_diagonal, mean.cases, mean.unpaired) == (0.5, 3, 1)
    assert value(made, "sensitivity: ECG as image", "m") == pytest.approx((1 + half) / 2)


def test_medsyn_with_a_judge_has_coverage_and_the_gap() -> None:
    with ProtocolServer(make_judge()) as server:
        made = run("medsyn_cases.jsonl", ["medsyn_reader.jsonl"], "medsyn", (server.judge(),))
    grades = [
        v.value.score for k, vs in made.judged.outcomes.items() if k[0] == "grade_ddx" for v in vs
    ]
    assert len(grades) == 5
    coverage = sum(grade >= 4 for grade in grades) / 5
    assert value(made, "ddx_coverage", "medsyn_reader") == coverage
    assert value(made, "ddx_grade", "medsyn_reader") == pytest.approx(sum(grades) / 5)
    gap = value(made, "ddx_fdx_gap", "medsyn_reader")
    assert gap == pytest.approx(coverage - value(made, "choice_accuracy", "medsyn_reader"))


def test_mediconfusion_scores_pairs() -> None:
    made = run(
        "mediconfusion_questions.csv",
        ["mediconfusion_model.jsonl", "mediconfusion_same.jsonl"],
        "mediconfusion",
    )
    same = "mediconfusion_same"
    assert value(made, "individual_accuracy", same) == 0.5
    assert (value(made, "set_accuracy", same), value(made, "confusion", same)) == (0.0, 1.0)
    # Variant "plain": pairs right, confused, right, and one half without a verdict whose other
    # half is right. Variant "polite": right, right, confused, right. Over both, set accuracy
    # is 2/3 of the settled 3 and 3/4: five of seven, and 5/8 to 6/8 with the open one.
    found = made.number("set_accuracy", "mediconfusion_model", "stand-ins")
    assert found is not None
    assert found.value == pytest.approx(5 / 7)
    assert (found.worst, found.best, found.failed, found.n) == (5 / 8, 6 / 8, 1, 4)
    confusion = made.number("confusion", "mediconfusion_model", "stand-ins")
    assert confusion is not None
    assert confusion.value == pytest.approx(2 / 7)
    assert (confusion.worst, confusion.best) == (2 / 8, 3 / 8)
    spread = made.spreads["mediconfusion_model", "stand-ins"]
    assert spread.lowest == pytest.approx(2 / 3)
    assert (spread.highest, spread.n) == (0.75, 2)


def test_medlesionvqa_averages_by_ability() -> None:
    made = run(
        "medlesionvqa_questions.csv",
        ["medlesionvqa_model.jsonl", "medlesionvqa_other.jsonl"],
        "medlesionvqa",
    )
    model = "medlesionvqa_model"
    # Lesions: both letters 1, desquamation is scale 1. Attributes: purple for red 0.5, oval
    # for round 0.5, 20 mm for 2 cm 1. Diagnosis: psoriasis 1, a wrong letter 0.
    assert value(made, "answer_score", model, group_by="ability", group="lesion recognition") == 1
    attributes = value(made, "answer_score", model, group_by="ability", group="attributes")
    assert attributes == pytest.approx(2 / 3)
    assert value(made, "answer_score", model, group_by="ability", group="diagnosis") == 0.5
    assert value(made, "answer_score", model) == pytest.approx(5 / 7)
    assert value(made, "choice_score", "medlesionvqa_other") == 0.75  # half of A and C; A
    header, _ = main_rows(made)
    assert header[1:7] == [
        "attributes", "diagnosis", "lesion recognition", "Choice", "Open", "Overall"
    ]  # fmt: skip


def test_medlesionvqa_labels_the_errors_of_wrong_answers_only() -> None:
    with ProtocolServer(make_judge()) as server:
        made = run(
            "medlesionvqa_questions.csv", ["medlesionvqa_model.jsonl"], "medlesionvqa",
            (server.judge(),),
        )  # fmt: skip
    asked = {key[3] for key in made.judged.outcomes if key[0] == "label_errors"}
    assert asked == {"les-3", "les-4", "les-7"}


def test_the_choice_preset_reads_vlmevalkit() -> None:
    made = run("vlmevalkit_questions.tsv", ["vlmevalkit_model.tsv"], "choice")
    found = made.number("choice_accuracy", "vlmevalkit_model", "stand-ins")
    assert found is not None
    assert found.worst == pytest.approx(2 / 3)
    assert (found.value, found.failed) == (1.0, 1)


def test_dermcase_has_semantic_and_word_scores_and_rubric_points(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (FOLDER.parent / "cases.jsonl").open(encoding="utf-8")]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows[:4]))
    exact = [
        {"id": r["id"], "response": r["response"], "predicted_diagnosis": r["diagnosis"],
         "predicted_ddx": [d["diagnosis"] for d in r["ddx"]]}
        for r in rows[:4]
    ]  # fmt: skip
    (tmp_path / "exact.jsonl").write_text("".join(json.dumps(r) + "\n" for r in exact))
    with ProtocolServer(make_judge()) as server:
        made = run(
            str(tmp_path / "c.jsonl"), [str(tmp_path / "exact.jsonl")], "dermcase",
            (server.judge(),), errors_of="all",
        )  # fmt: skip
    for metric in ("final_accuracy", "semantic_f1", "answered_ddx", "rouge_l", "bleu"):
        assert value(made, metric, "exact") == pytest.approx(1.0), metric
    totals = [
        v.value.total
        for k, vs in made.judged.outcomes.items()
        if k[0] == "score_rubric"
        for v in vs
    ]
    assert value(made, "rubric_total", "exact") == pytest.approx(sum(totals) / 4)
    shares = [
        one.value for one in made.numbers if one.metric.startswith("error: ") and not one.group_by
    ]
    assert len(shares) == 10


def test_every_table_has_as_many_cells_as_columns_and_signed_numbers(hddx: Evaluation) -> None:
    tables = {table.name: table for table in all_tables(hddx)}
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows), table.name
    for name in ("main_table", "summary", "levels", "chapters"):
        assert {row[-1] for row in tables[name].rows} == {hddx.signature["id"]}
        wanted = {"failed", "abstained", "unmapped", "invalid"}
        assert wanted <= set(tables[name].columns)


def test_the_signature_changes_with_a_setting_and_not_without(hddx: Evaluation) -> None:
    def made(**settings: Any) -> Any:
        return run(
            "ddxplus_patients.csv", ["ddxplus_broad.jsonl", "ddxplus_narrow.jsonl"], "hddx",
            conditions="ddxplus_conditions.json", **settings,
        ).signature["id"]  # fmt: skip

    assert made() == hddx.signature["id"]
    assert made(seed=1) != hddx.signature["id"]


def test_latex_escapes_and_closes_its_table() -> None:
    text = latex_table(["Model", "F_1"], [["a & b", "50%"]], "100 % of it")
    assert r"a \& b & 50\%" in text and r"F\_1" in text
    assert text.count("begin{") == text.count("end{") == 2
    assert escape("\\") == r"\textbackslash{}"


def test_a_preset_that_does_not_exist_is_named_with_a_near_one() -> None:
    assert len({preset.name for preset in PRESETS}) == len(PRESETS)
    with pytest.raises(UsageError, match="did you mean medsyn"):
        find_preset("medsin")


def test_tables_survive_the_csv_module(hddx: Evaluation, tmp_path: Path) -> None:
    from dxjudge.evaluation.report.write import write_table_file

    for table in all_tables(hddx):
        path = write_table_file(table, tmp_path)
        with path.open(encoding="utf-8", newline="") as file:
            assert len(list(csv.reader(file))) == len(table.rows) + 1
