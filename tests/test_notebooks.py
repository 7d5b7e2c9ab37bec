"""The notebooks of examples/ run, and their stored outputs are the outputs that come out.

`DXJUDGE_NOTEBOOKS=write pytest tests/test_notebooks.py` stores the outputs again.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
JOBS = {"another_judge", "hddx_table", "judge_in_langgraph", "judge_two_models", "map_diagnoses"}


def _shown(notebook: Any) -> list[list[str]]:
    """The text of each output of each code cell; the kinds of the others, such as figures."""
    return [
        [output.get("text") or _text(output) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _text(output: Any) -> str:
    data = output.get("data", {})
    kinds = " ".join(sorted(data))
    return kinds if "image/svg+xml" in data else f"{kinds}: {data.get('text/plain')}"


def test_each_job_has_a_notebook() -> None:
    assert {path.stem for path in NOTEBOOKS} == JOBS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_comes_out(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    folder = tmp_path / "examples/notebooks"
    stored = nbformat.read(path, as_version=4)
    ran = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(ran, timeout=300, resources=where, record_timing=False)
    client.execute()
    if os.environ.get("DXJUDGE_NOTEBOOKS") == "write":
        nbformat.write(ran, path)
        stored = ran
    assert _shown(ran) == _shown(stored)
    assert any(output for output in _shown(stored)), "a notebook is stored with its outputs"
    text = path.read_text("utf-8")
    assert "Traceback" not in text and str(Path.home()) not in text and str(ROOT) not in text
