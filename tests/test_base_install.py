"""The base installation runs the commands of the front page, without any extra.

The wheel is installed with pip into an environment of its own, which takes half a minute. Where no
package index can be reached the test is skipped; with CI=true (.ci/run) it fails then.
"""

import os
import subprocess
from pathlib import Path

import pytest

from dxjudge.files.folders import VARIABLE

from .built import build_wheel, install
from .pages import commands as commands_of

_MOST_MB = 530  # without bytecode; what pip compiles of it adds 170 MB (docs/install.md)
_NOT_THERE = ("torch", "transformers", "sentence_transformers", "chromadb", "pyarrow", "sklearn")
_FRONT_PAGE = ("examples", "map", "judge", "search", "show", "steps")
_EXTRAS = {
    "search gout --model some/encoder": "encoders",
    "search gout --chroma embedded": "chroma",
    "map examples/diagnoses.csv -o mapped.parquet": "parquet",
    "map examples/diagnoses.csv -o mapped.xlsx": "excel",
    "serve": "serve",
    "mcp": "mcp",
}
# Every module that a base installation cannot import, as pairs of module and missing package.
_IMPORTS = """
import importlib, pkgutil, dxjudge
for module in pkgutil.walk_packages(dxjudge.__path__, "dxjudge."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as fault:
            print(module.name, fault.name)
"""


def test_the_base_runs_the_front_page_and_names_each_missing_extra(tmp_path: Path) -> None:
    home, fault = install(build_wheel(tmp_path), tmp_path / "base")
    if fault and not os.environ.get("CI"):
        pytest.skip(f"pip cannot install the base: {fault.strip().splitlines()[-1]}")
    assert not fault, fault
    site = next((tmp_path / "base").rglob("site-packages"))
    assert not [name for name in _NOT_THERE if (site / name).exists()]
    sizes = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    assert sizes / 2**20 < _MOST_MB
    work = tmp_path / "work"
    work.mkdir()
    _run_front_page(home, work)
    for line, extra in _EXTRAS.items():
        done = _run(home, work, "dxjudge", *line.split())
        assert done.returncode == 6, (line, done.stderr)
        assert f"pip install 'dxjudge[{extra}]'" in done.stderr, line
    missing = _run(home, work, "python", "-c", _IMPORTS).stdout.splitlines()
    assert missing == ["dxjudge.web.app prometheus_client", *_web()]


def _web() -> list[str]:
    return ["dxjudge.web.mcp_server mcp", "dxjudge.web.metrics prometheus_client"]


def _run_front_page(home: Path, work: Path) -> None:
    lines = [words for words in commands_of("README.md") if words[0] in _FRONT_PAGE]
    lines = [words for words in lines if not {"--model", "--judge"} & set(words)]
    examples = [words for words in lines if words[0] == "examples"]
    lines.remove(examples[0])
    models = ("examples/evaluate/careful.jsonl", "examples/evaluate/hasty.jsonl")
    evaluation = ["evaluate", "examples/cases.jsonl", *models, "-o", "report"]
    ran = 0
    for words in (*examples, *lines, evaluation):
        files = [word for word in words if word.endswith((".csv", ".jsonl")) and "/" not in word]
        if words[0] == "map" and files and files[0] == "diagnoses.csv":
            (work / "diagnoses.csv").write_text("diagnosis\ngout\n")
        done = _run(home, work, "dxjudge", *words)
        assert done.returncode in (0, 3), (words, done.stderr)
        ran += 1
    assert ran >= 6
    assert (work / "mapped.csv").exists() and (work / "report/report.html").exists()


def _run(home: Path, work: Path, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    # The index of the tests' cache is used: this test is about packages, not about building it.
    plain = {"PATH": os.environ["PATH"], "HOME": str(work), VARIABLE: os.environ[VARIABLE]}
    windows = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return subprocess.run(
        [str(home / name), *words],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
        env=plain | windows,
    )
