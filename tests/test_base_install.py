"""The base installation runs the commands of the front page, without any extra.

The environment holds the wheel and the packages that its base needs, linked from this one;
`.ci/run` installs them with pip.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from dxjudge.files.folders import VARIABLE

from .built import empty_environment, link_needed, unpack
from .pages import commands as commands_of

_MOST_MB = 530  # without bytecode; what pip compiles of it adds 140 MB (docs/install.md)
_NOT_THERE = (
    "torch",
    "tokenizers",
    "transformers",
    "sentence_transformers",
    "chromadb",
    "pyarrow",
    "sklearn",
)
_FRONT_PAGE = ("examples", "map", "judge", "search", "show", "steps")
_EXTRAS = {
    "search gout --model some/encoder": "encoders",
    "search gout --chroma embedded": "chroma",
    "map examples/diagnoses.csv -o mapped.parquet": "parquet",
    "map examples/diagnoses.csv -o mapped.xlsx": "excel",
    "serve": "serve",
    "mcp": "mcp",
    "map examples/diagnoses.csv -o mapped --cluster": "ray",
}
_MODELS = ("examples/evaluate/careful.jsonl", "examples/evaluate/hasty.jsonl")
_EVALUATION = ["evaluate", "examples/cases.jsonl", *_MODELS, "-o", "report"]
# Runs commands one after the other, so that packages are imported once: prints what the script is,
# of each command its exit code and standard error, and of every module that cannot be imported the
# package that is missing.
_PROGRAM = """
import contextlib, importlib, importlib.metadata, io, json, pkgutil, sys
import dxjudge
from dxjudge.cli.main import run
(script,) = importlib.metadata.entry_points(group="console_scripts", name="dxjudge")
ended = []
for words in json.loads(sys.argv[1]):
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "ab")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    ended.append((code, err.buffer.getvalue().decode()))
missing = []
for module in pkgutil.walk_packages(dxjudge.__path__, "dxjudge."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as fault:
            missing.append(f"{module.name} {fault.name}")
print(json.dumps([script.load().__name__, dxjudge.__file__, ended, missing]))
"""


def test_the_base_runs_the_front_page_and_names_each_missing_extra(
    wheel: Path, tmp_path: Path
) -> None:
    python, packages = empty_environment(tmp_path / "base")
    unpack(wheel, packages)
    link_needed("dxjudge", packages)
    assert not [name for name in _NOT_THERE if (packages / name).exists()]
    files = [path for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in files) / 2**20 < _MOST_MB
    work = tmp_path / "work"
    work.mkdir()
    (work / "diagnoses.csv").write_text("diagnosis\ngout\n")
    pages = _front_page()
    script, home, ended, missing = _run(python, work, [*pages, *map(str.split, _EXTRAS)])
    assert script == "main" and Path(home).is_relative_to(packages)
    for words, (code, said) in zip(pages, ended, strict=False):
        assert code in (0, 3), (words, said)
    assert (work / "mapped.csv").exists() and (work / "report/report.html").exists()
    for (line, extra), (code, said) in zip(_EXTRAS.items(), ended[len(pages) :], strict=True):
        assert code == 6, (line, said)
        assert f"pip install 'dxjudge[{extra}]'" in said, line
    assert missing == [
        "dxjudge.agents.watching.sender opentelemetry.exporter",
        "dxjudge.web.app fastapi_swagger",
        "dxjudge.web.mcp_server mcp",
        "dxjudge.web.metrics prometheus_client",
    ]


def _front_page() -> list[list[str]]:
    """The commands of the front page that ask no model, `examples` first, and an evaluation."""
    lines = [words for words in commands_of("README.md") if words[0] in _FRONT_PAGE]
    lines = [words for words in lines if not {"--model", "--judge"} & set(words)]
    lines.sort(key=lambda words: words[0] != "examples")
    assert lines[0] == ["examples"] and len(lines) >= 6
    return [*lines, _EVALUATION]


def _run(python: Path, work: Path, lines: list[list[str]]) -> Any:
    # The index of the tests' cache is used: this test is about packages, not about building it.
    plain = {"PATH": os.environ["PATH"], "HOME": str(work), VARIABLE: os.environ[VARIABLE]}
    windows = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    done = subprocess.run(
        [str(python), "-I", "-c", _PROGRAM, json.dumps(lines)],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
        env=plain | windows,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
