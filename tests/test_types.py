"""The types that a user sees are right without casts, in a plain and in an editable install.

`make types` checks the same file over the folder of links, as `tests/` is checked.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
USER = ROOT / "tests/data/types/user.py"
# Kept between runs, so that mypy reads the packages that dxjudge uses only once.
KEPT = ROOT / "build/test-cache/mypy-user"
NOT_COPIED = shutil.ignore_patterns(".*", "build", "tests", "ui", "docs", "*.egg-info")


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def _installed(place: Path, *options: str) -> Path:
    """Install a copy of the sources without its dependencies, which a path file adds."""
    source, environment = place / "source", place / "env"
    shutil.copytree(ROOT, source, ignore=NOT_COPIED)
    made = _run(sys.executable, "-m", "venv", "--without-pip", str(environment), folder=place)
    assert made.returncode == 0, made.stderr
    packages = next((environment / "lib").glob("python3*/site-packages"))
    here = sysconfig.get_path("purelib")
    shared = [path for path in sys.path if path.endswith("site-packages") and path != here]
    (packages / "zz_shared.pth").write_text("\n".join([here, *shared]) + "\n")
    python = str(environment / "bin/python")
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--ignore-installed")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", *flags)
    installed = _run(*pip, *options, str(source), folder=place)
    assert installed.returncode == 0, installed.stderr
    return environment


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _installed(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    strict = ("--config-settings", "editable_mode=strict", "--editable")
    return _installed(tmp_path_factory.mktemp("editable"), *strict)


def _pyright(environment: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("pyright")
    if _run(sys.executable, "-m", "pyright", "--version", folder=folder).returncode:
        pytest.skip("pyright needs node and, once, the network")
    where = {"venvPath": str(environment.parent), "venv": environment.name}
    settings = {"include": [USER.name], "typeCheckingMode": "strict", **where}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    shutil.copy(USER, folder)
    return _run(sys.executable, "-m", "pyright", "-p", str(folder), folder=folder)


@pytest.mark.parametrize("kind", ["plain", "editable"])
def test_pyright_knows_the_types(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    checked = _pyright(request.getfixturevalue(kind), tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.startswith("0 errors")


def test_pyright_reports_a_wrong_type(plain: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    _pyright(plain, wrong)
    (wrong / USER.name).write_text(USER.read_text().replace("value.equivalent, bool", "value, int"))
    checked = _run(sys.executable, "-m", "pyright", "-p", str(wrong), folder=wrong)
    assert checked.returncode == 1 and "Equivalence" in checked.stdout


def test_mypy_knows_the_types(plain: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    shutil.copy(USER, tmp_path)
    options = ("--strict", "--python-executable", str(plain / "bin/python"))
    kept = ("--cache-dir", str(KEPT))
    command = (sys.executable, "-m", "mypy", *options, *kept, USER.name)
    environment = {name: value for name, value in os.environ.items() if name != "MYPYPATH"}
    checked = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    assert "no issues found" in checked.stdout
