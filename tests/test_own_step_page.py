"""Every command on the page about a step of one's own runs as it is written."""

import csv
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from dxjudge.cli.main import run as dxjudge

from .protocol_server import ProtocolServer, Seen

PAGE = Path(__file__).parents[1] / "docs" / "own_step.md"
BLOCKS = [
    re.sub(r"\\\n\s*", " ", block)
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
]
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


def in_shell(lines: list[str]) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def in_process(line: str) -> str:
    """Run a dxjudge command without the seconds that its own process would take to start."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = dxjudge(shlex.split(line)[1:])
    assert code == 0, f"{line}\n{printed.getvalue()}"
    return printed.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder after all blocks, and what each of them printed."""
    path = tmp_path_factory.mktemp("own")
    with ProtocolServer(judge) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "none")
        patch.setenv("DXJUDGE_CACHE_DIR", str(path / "cache"))
        patch.setenv("COLUMNS", "200")
        patch.chdir(path)
        printed = [in_shell(BLOCKS[0].splitlines())]  # as a reader starts: the installed command
        for block in BLOCKS[1:]:
            lines = block.splitlines()
            own = [line for line in lines if line.startswith("dxjudge ")]
            said = in_shell([line for line in lines if line not in own])
            printed.append(said + "".join(map(in_process, own)))
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
