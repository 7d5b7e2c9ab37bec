"""The tables of MedLesionVQA and H-DDx: means over abilities, the radar, ties of ranks, types."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxjudge.scoring.flat import rank_changes
from dxjudge.scoring.ratios import ratio_of_sums

from .test_evaluation_run import responses, rows_of, run

SMALL = ("--resamples", 20)


def lesions(*abilities: str) -> list[dict[str, Any]]:
    """A question with the right options A and B for each ability."""
    return [
        {"id": f"q{at}", "question": "Which lesions?", "A": "scale", "B": "plaque", "C": "wheal",
         "answer": "A,B", "ability": ability}
        for at, ability in enumerate(abilities)
    ]  # fmt: skip


def evaluated(folder: Path, cases: list[dict[str, Any]], letters: dict[str, str]) -> Path:
    rows = [{"id": name, "response": text} for name, text in letters.items()]
    config = folder / "c.yaml"
    config.write_text('group_order: {ability: [Sites, lesions, "doctor\'s advice"]}\n')
    done = run(
        responses(folder, "cases", cases), responses(folder, "m", rows), "-o", folder / "out",
        "--preset", "medlesionvqa", "--config", config, *SMALL,
    )  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    return folder / "out"


ABILITIES = ("lesions", "lesions", "lesions", "sites", "doctor's advice")
# Lesions: 1, 1/2 and 0 (C is wrong); sites 1; advice 1/2.
LETTERS = {"q0": "AB", "q1": "A", "q2": "AC", "q3": "Answer: AB", "q4": "(B)"}


def test_the_micro_mean_is_over_questions_and_the_macro_mean_over_abilities(
    tmp_path: Path,
) -> None:
    out = evaluated(tmp_path, lesions(*ABILITIES), LETTERS)
    row = rows_of(out / "main_table.csv")[0]
    assert float(row["Overall"]) == pytest.approx((1 + 0.5 + 0 + 1 + 0.5) / 5)
    # Lesions 1.5 / 3 = 1/2, sites 1, advice 1/2.
    assert float(row["Macro mean"]) == pytest.approx((0.5 + 1 + 0.5) / 3)


def test_half_of_the_answers_missing_moves_the_bounds_of_the_macro_mean(tmp_path: Path) -> None:
    out = evaluated(tmp_path, lesions(*ABILITIES), {"q0": "AB", "q3": "AB"})
    row = rows_of(out / "main_table.csv")[0]
    assert float(row["Macro mean"]) == 1  # lesions and sites; no answer about advice is there
    # At worst lesions (1 + 0 + 0) / 3, sites 1, advice 0; at best everything is right.
    assert float(row["Macro mean worst"]) == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert float(row["Macro mean best"]) == 1


def test_the_abilities_stand_in_the_given_order_and_the_radar_is_drawn(tmp_path: Path) -> None:
    out = evaluated(tmp_path, lesions(*ABILITIES, "other"), {**LETTERS, "q5": "AB"})
    titles = [row["title"] for row in rows_of(out / "paper.csv") if row["table"] == "main"]
    order = ["sites", "lesions", "doctor's advice", "other"]
    assert titles == [*order, "Micro mean", "Macro mean"]
    assert [name for name in rows_of(out / "main_table.csv")[0] if name in order] == order
    drawing = ET.parse(out / "figures" / "paper_abilities.svg").getroot()
    texts = [one.text for one in drawing.iter() if one.tag.endswith("text")]
    assert [text for text in texts if text in order] == order and "m" in texts


def test_the_order_of_the_questions_does_not_change_the_tables(tmp_path: Path) -> None:
    tables = []
    for name, order in (("one", 1), ("two", -1)):
        (tmp_path / name).mkdir()
        letters = dict(list(LETTERS.items())[::order])
        out = evaluated(tmp_path / name, lesions(*ABILITIES)[::order], letters)
        rows = rows_of(out / "paper.csv")
        tables.append([{**row, "signature": ""} for row in rows])
    assert tables[0] == tables[1]


def test_the_mean_of_ratios_leaves_out_a_ratio_over_nothing() -> None:
    sums, counts = np.array([[3.0, 1.0, 0.0]]), np.array([[4.0, 4.0, 0.0]])
    assert ratio_of_sums(sums, counts, "mean").tolist() == [0.5]  # (3/4 + 1/4) / 2
    assert np.isnan(ratio_of_sums(np.zeros((1, 2)), np.zeros((1, 2)), "mean")).all()


def test_a_shared_rank_names_the_models_that_share_it() -> None:
    flat = {"a": 0.5, "b": 0.5, "c": 0.4}
    changes = {one.model: one for one in rank_changes(flat, {"a": 0.1, "b": 0.3, "c": 0.2})}
    assert (changes["a"].tied_before, changes["a"].shown) == (("b",), ("1=", "3"))
    assert (changes["c"].tied_before, changes["c"].shown, changes["c"].change) == (
        (), ("3", "2"), 1,
    )  # fmt: skip


DIFFERENTIALS = {
    "right": ["asthma", "gout"], "same": ["asthma", "gout"], "near": ["asthma"],
    "the \"wrong\" one": ["psoriasis"],
}  # fmt: skip


def test_hddx_shows_ties_of_ranks_types_of_models_and_levels(tmp_path: Path) -> None:
    cases = [
        {"id": f"c{n}", "diagnosis": "asthma", "codes": ["J45"],
         "ddx": [{"diagnosis": "asthma", "codes": ["J45"]},
                 {"diagnosis": "gout", "codes": ["M10"]}]}
        for n in range(2)
    ]  # fmt: skip
    rows = [
        {"id": case["id"], "model": model, "predicted_ddx": names}
        for model, names in DIFFERENTIALS.items()
        for case in cases
    ]
    config = tmp_path / "c.yaml"
    config.write_text(
        'models: {right: {type: open}, same: {type: proprietary}, "the \\"wrong\\" one": '
        "{type: open}}\n"
    )
    done = run(
        responses(tmp_path, "cases", cases), responses(tmp_path, "all", rows), "-o",
        tmp_path / "out", "--preset", "hddx", "--config", config, *SMALL,
    )  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    ranks = {row["model"]: row for row in rows_of(tmp_path / "out" / "rank_change.csv")}
    assert (ranks["right"]["rank hdf1"], ranks["right"]["same rank hdf1"]) == ("1", "same")
    assert ranks["near"]["same rank hdf1"] == ""
    table = (tmp_path / "out" / "paper_ranks.tex").read_text()
    assert "right & 1= & 1= & 0" in table and "same & 1= & 1= & 0" in table
    means = {
        (row["model"], row["title"]): row["estimate"]
        for row in rows_of(tmp_path / "out" / "paper.csv")
        if row["table"] == "model_types"
    }
    # Open: right has Top-1 1, the wrong one 0.
    assert float(means["open", "Top-1"]) == 0.5
    assert float(means["proprietary", "HDF1"]) == 1
    levels = [
        row["title"] for row in rows_of(tmp_path / "out/paper.csv") if row["table"] == "levels"
    ]
    assert levels[:4] == ["Chapter", "Section", "Category", "Subcategory"]
