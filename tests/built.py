"""The wheel as it would be released, and an environment that holds it and what it needs."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
_ROOT_FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "py.typed")


def build_wheel(folder: Path) -> Path:
    """Build the wheel into a folder, from a copy: a build in place would leave files behind."""
    sources = folder / "sources"
    for path in _sources():
        copy = sources / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, copy)
    program = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=sources,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def _sources() -> list[Path]:
    inner = (path for name in (*FOLDERS, "examples") for path in (ROOT / name).rglob("*.*"))
    return [
        *(ROOT / name for name in _ROOT_FILES),
        *ROOT.glob("*.py"),
        *(
            path
            for path in inner
            if path.is_file() and not {"__pycache__", "node_modules"} & set(path.parts)
        ),
    ]


def install(wheel: Path, folder: Path) -> tuple[Path, str]:
    """Install a wheel and its dependencies, from pip's index, into a new environment.

    Returns the folder of its commands, and what pip said where it failed ("" where it did not).
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python"), "install"]
    done = subprocess.run(
        [*pip, "--quiet", "--no-compile", str(wheel)], capture_output=True, text=True, check=False
    )
    return commands, "" if done.returncode == 0 else done.stderr or "pip failed"
