"""Tasks of an evaluation: those of a preset, and what a settings file names beyond them."""

import json
from pathlib import Path

import pytest

from dxjudge.evaluation.presets import PRESETS, main_columns
from dxjudge.evaluation.read_settings import read_settings
from dxjudge.evaluation.settings import Column, Settings
from dxjudge.evaluation.tasks import TASKS, fillable, tasks_of

from .evaluation_judge import make_judge
from .protocol_server import ProtocolServer
from .test_evaluation_run import few_cases, responses, rows_of, run, some_responses

pytestmark = pytest.mark.usefixtures("texts_are_mapped_once")


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_the_tasks_of_a_preset_exist_and_fill_its_columns(preset: str) -> None:
    settings = read_settings(None, preset=preset)
    assert [task.name for task in tasks_of(settings)] == list(settings.tasks)
    known = {column.metric for column in fillable(settings)}
    assert {column.metric for column in main_columns(settings)} <= known
    assert all(column.title or column.by for column in main_columns(settings))


def test_a_task_comes_after_what_it_builds_on() -> None:
    settings = Settings(tasks=("judge_equivalence", "grade_ddx"))
    assert [task.name for task in tasks_of(settings)] == [
        "extract_final_diagnosis", "judge_equivalence", "extract_ddx", "grade_ddx",
    ]  # fmt: skip


def test_a_task_named_beyond_the_preset_brings_its_columns(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("tasks: [judge_equivalence, grade_final_diagnosis]\n")
    with ProtocolServer(make_judge(0)) as first, ProtocolServer(make_judge(1)) as second:
        done = run(
            few_cases(tmp_path), *some_responses(tmp_path), "-o", tmp_path / "out",
            "--config", config, "--judge", first.judge(), "--judge", second.judge(),
            "--resamples", 20, "--cache-mode", "off",
        )  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    table = rows_of(tmp_path / "out" / "main_table.csv")
    assert len(table) == 4  # two models under two judges
    for row in table:
        assert 1 <= float(row["Diagnosis grade"]) <= 5
        assert 0 <= float(row["Accuracy"]) <= 1
        assert int(row["n"]) > 0
    assert "final_grade" in {row["metric"] for row in rows_of(tmp_path / "out" / "swap_scores.csv")}


def test_the_columns_of_the_settings_are_those_of_the_table(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    held = {"tasks": ["judge_equivalence_ddx", "map_to_icd10"],
            "columns": ["hdr", {"metric": "top_3", "title": "Hit at 3"}]}  # fmt: skip
    config.write_text(json.dumps(held))  # JSON is YAML
    cases = few_cases(tmp_path)
    rows = [{"id": json.loads(line)["id"], "predicted_ddx": ["psoriasis"]} for line in cases.open()]
    done = run(cases, responses(tmp_path, "m", rows), "-o", tmp_path / "out",
               "--config", config, "--resamples", 20)  # fmt: skip
    assert done.exit_code in (0, 3), done.output
    header = list(rows_of(tmp_path / "out" / "main_table.csv")[0])
    # Each column has eight cells: the number, its limits, deviation and bounds, and two counts.
    assert (header[2], header[10], header[18]) == ("HDR", "Hit at 3", "n")


def test_a_title_is_that_of_the_task_unless_the_settings_give_one() -> None:
    named = (Column("hdf1"), Column("top_1", "First"))
    settings = Settings(tasks=("map_to_icd10", "judge_equivalence_ddx"), columns=named)
    assert [column.title for column in main_columns(settings)] == ["HDF1", "First"]


def test_every_task_stands_once() -> None:
    names = [task.name for task in TASKS]
    assert len(set(names)) == len(names)
