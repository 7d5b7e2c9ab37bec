"""The notebooks of examples/ run, and their stored outputs are the outputs that come out.

`DXJUDGE_NOTEBOOKS=write pytest tests/test_notebooks.py` stores the outputs again.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
jupyter_client = pytest.importorskip("jupyter_client")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
_SIGNATURE = re.compile(r"\b[0-9a-f]{12}\b")
JOBS = {"another_judge", "hddx_table", "judge_in_langgraph", "judge_two_models", "map_diagnoses"}


def _shown(notebook: Any) -> list[list[str]]:
    """The text of each output of each code cell; the kinds of the others, such as figures.

    A signature names every file of words, so it is another one after each edit.
    """
    return [
        [_SIGNATURE.sub("…", output.get("text") or _text(output)) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _text(output: Any) -> str:
    data = output.get("data", {})
    kinds = " ".join(sorted(data))
    return kinds if "image/svg+xml" in data else f"{kinds}: {data.get('text/plain')}"


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """One kernel for all notebooks, which import the same packages for seconds."""
    with pytest.MonkeyPatch.context() as patch:
        for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            patch.delenv(key, raising=False)
        manager = jupyter_client.KernelManager()
        manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


def test_each_job_has_a_notebook() -> None:
    assert {path.stem for path in NOTEBOOKS} == JOBS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_comes_out(path: Path, tmp_path: Path, kernel: Any) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    folder = tmp_path / "examples/notebooks"
    stored = nbformat.read(path, as_version=4)
    ran = nbformat.read(path, as_version=4)
    # The names of another notebook are gone, as in a kernel of its own.
    start = nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {folder}")
    ran.cells.insert(0, start)
    client = nbclient.NotebookClient(ran, km=kernel, timeout=300, record_timing=False)
    client.execute()
    ran.cells.remove(start)
    if os.environ.get("DXJUDGE_NOTEBOOKS") == "write":
        nbformat.write(ran, path)
        stored = ran
    assert _shown(ran) == _shown(stored)
    assert any(output for output in _shown(stored)), "a notebook is stored with its outputs"
    text = path.read_text("utf-8")
    assert "Traceback" not in text and str(Path.home()) not in text and str(ROOT) not in text
