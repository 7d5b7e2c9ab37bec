"""Every command on the page about a step of one's own runs as it is written."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .protocol_server import ProtocolServer, Seen

PAGE = Path(__file__).parents[1] / "docs" / "own_step.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
LEVELS = {"Chest pain": 3, "A mole": 0, "Fever": 2, "the gym": 0}


def judge(seen: Seen) -> Any:
    """gpt-4o says the level, gpt-4.1 one less of a fever, the small one always 0."""
    level = next(level for words, level in LEVELS.items() if words in seen.user)
    model = seen.body["model"]
    if model == "gpt-4o-mini":
        level = 0
    if model == "gpt-4.1" and level == 2:
        level = 1
    return {"rationale": f"{model} says {level}.", "level": level}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder after all blocks, and what each of them printed."""
    path = tmp_path_factory.mktemp("own")
    with ProtocolServer(judge) as server:
        settings = {
            **os.environ,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "none",
            "DXJUDGE_CACHE_DIR": str(path / "cache"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "200",
        }
        printed = []
        for block in BLOCKS:
            done = subprocess.run(
                ["bash", "-e", "-c", block],
                cwd=path,
                env=settings,
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
            )
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
            printed.append(done.stdout + done.stderr)
    return path, printed


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_files_to_start_from_pass_their_own_test(folder: Any) -> None:
    path, printed = folder
    assert (path / "judge_urgency.py").exists()
    assert "pip install pytest" in printed[0] and "pip install pytest" in PAGE.read_text("utf-8")
    assert "2 passed" in printed[1]
    assert "level: number, ordinal, levels 0, 1, 2, 3; words: rationale" in printed[1]


def test_one_judge_says_a_level_of_every_row(folder: Any) -> None:
    found = rows(folder[0] / "judged.csv")
    assert [row["level"] for row in found] == ["3", "0", "2", "0"]
    assert found[0]["rationale"] == "gpt-4o says 3."


def test_the_jury_takes_the_median_and_its_judges_are_compared(folder: Any) -> None:
    path, printed = folder
    found = rows(path / "jury.csv")
    # 3, 3, 0: 3; 0, 0, 0: 0; 2, 1, 0: 1; 0, 0, 0: 0
    assert [row["verdict"] for row in found] == ["3", "0", "1", "0"]
    assert [row["level"] for row in found] == ["3", "0", "1", "0"]
    assert {row["step"] for row in rows(path / "votes.csv")} == {"judge_urgency"}
    assert (
        "the verdicts are numbers, compared as ordinal (the step's own), levels 0, 1, 2, 3"
        in (printed[3])
    )


def test_the_three_files_of_an_evaluation_give_the_column_of_the_step(folder: Any) -> None:
    (row,) = rows(folder[0] / "out" / "main_table.csv")
    # levels 3 and 0: the mean is 1.5
    assert (row["model"], row["Urgency"], row["n"]) == ("my-model", "1.5", "2")


def test_a_stress_test_tries_the_wordings_that_the_prompt_has(folder: Any) -> None:
    found = rows(folder[0] / "trials.csv")
    assert {row["perturbation"] for row in found} >= {"wording:reorder", "irrelevant"}
    assert {row["flipped"] for row in found} == {"false"}
    assert {row["base"] for row in found} == {"3", "0", "2"}
