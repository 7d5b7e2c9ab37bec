"""The types that a user sees are right without casts, in a plain and in an editable install.

`make types` checks the same file over the folder of links, as `tests/` is checked.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from .built import build, copy_sources, empty_environment, unpack

ROOT = Path(__file__).resolve().parents[1]
USER = ROOT / "tests/data/types/user.py"
# Kept between runs, so that mypy reads the packages that dxjudge uses only once. It begins with
# what `make types` knows of them.
KEPT = ROOT / "build/test-cache/mypy-user"
MADE = ROOT / ".mypy_cache"


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def _installed(wheel: Path, place: Path) -> Path:
    """Install a wheel without its dependencies, which a path file adds."""
    _, packages = empty_environment(place / "env")
    here = sysconfig.get_path("purelib")
    shared = [path for path in sys.path if path.endswith("site-packages") and path != here]
    (packages / "zz_shared.pth").write_text("\n".join([here, *shared]) + "\n")
    unpack(wheel, packages)
    return place / "env"


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _installed(wheel, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("editable")
    sources = copy_sources(place / "source")
    build(sources, "build_editable", place, {"editable_mode": "strict"})
    return _installed(next(place.glob("*.whl")), place)


def _pyright(environment: Path, folder: Path, *files: str) -> list[dict[str, Any]]:
    """Return what pyright reports as errors."""
    pytest.importorskip("pyright")
    where = {"venvPath": str(environment.parent), "venv": environment.name}
    settings = {"include": list(files), "typeCheckingMode": "strict", **where}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    checked = _run(
        sys.executable, "-m", "pyright", "--outputjson", "-p", str(folder), folder=folder
    )
    works = checked.stdout.startswith("{")
    if not works and _run(sys.executable, "-m", "pyright", "--version", folder=folder).returncode:
        pytest.skip("pyright needs node and, once, the network")
    report = json.loads(checked.stdout)
    assert report["summary"]["filesAnalyzed"] >= len(files), checked.stdout
    return [one for one in report["generalDiagnostics"] if one["severity"] == "error"]


def test_pyright_knows_the_types_and_reports_a_wrong_one(plain: Path, tmp_path: Path) -> None:
    shutil.copy(USER, tmp_path)
    wrong = USER.read_text().replace("value.equivalent, bool", "value, int")
    (tmp_path / "wrong.py").write_text(wrong)
    (fault,) = _pyright(plain, tmp_path, USER.name, "wrong.py")
    assert fault["file"].endswith("wrong.py") and "Equivalence" in fault["message"]


def test_pyright_knows_the_types_of_an_editable_install(editable: Path, tmp_path: Path) -> None:
    shutil.copy(USER, tmp_path)
    assert _pyright(editable, tmp_path, USER.name) == []


def test_mypy_knows_the_types(plain: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    if MADE.exists() and not KEPT.exists():
        shutil.copytree(MADE, KEPT)
    shutil.copy(USER, tmp_path)
    # What mypy knows of a package counts under the same options only, and dxjudge depends on some
    # that `make types` reads with options of their own.
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    options_of_packages = re.search(
        r"^\[\[tool\.mypy\.overrides.*?(?=^\[tool\.pyr)", text, re.M | re.S
    )
    assert options_of_packages
    (tmp_path / "pyproject.toml").write_text(options_of_packages[0], "utf-8")
    options = ("--strict", "--python-executable", str(plain / "bin/python"))
    kept = ("--cache-dir", str(KEPT))
    command = (sys.executable, "-m", "mypy", *options, *kept, USER.name)
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    checked = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    assert "no issues found" in checked.stdout
