"""The wheel as it would be released, and environments of it with what it needs, and no more."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
_ROOT_FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "py.typed")


def build_wheel(folder: Path) -> Path:
    """Build the wheel into a folder, from a copy: a build in place would leave files behind."""
    build(copy_sources(folder / "sources"), "build_wheel", folder)
    return next(folder.glob("*.whl"))


def copy_sources(folder: Path) -> Path:
    """Link the files that a wheel is made from into a folder."""
    for path in _sources():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, copy)
    return folder


def build(sources: Path, how: str, folder: Path, settings: dict[str, str] | None = None) -> None:
    """Call a function of the build backend (PEP 517, 660): a wheel comes into the folder."""
    program = f"from setuptools import build_meta; build_meta.{how}({str(folder)!r}, {settings!r})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=sources
    )
    assert done.returncode == 0, done.stderr


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


def empty_environment(folder: Path) -> tuple[Path, Path]:
    """Make an environment without any package; return its Python and its folder of packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return python, next(folder.rglob("site-packages"))


def unpack(wheel: Path, packages: Path) -> None:
    """Put the files of a wheel where an installer would put them."""
    with zipfile.ZipFile(wheel) as files:
        files.extractall(packages)


def link_needed(name: str, packages: Path) -> None:
    """Link what a package in the folder needs, as it is in this environment, beside it.

    So the environment holds what an installer would bring, without a package index.
    """
    (own,) = (one for one in Distribution.discover(path=[str(packages)]) if one.name == name)
    for one in _needed(own):
        for file in one.files or ():
            if ".." not in file.parts:  # with their bytecode, which is as valid behind a link
                target = packages / file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(Path(str(file.locate())))


def _needed(own: Distribution) -> Iterator[Distribution]:
    """Yield each distribution that this one needs, directly or through others, once."""
    left, known = [(own, "")], {(own.name, "")}
    done: set[str] = set()
    while left:
        one, extra = left.pop()
        for requirement in map(Requirement, one.requires or ()):
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = distribution(requirement.name)
            for wanted in ("", *requirement.extras):
                if (needed.name, wanted) not in known:
                    known.add((needed.name, wanted))
                    left.append((needed, wanted))
            if needed.name not in done:
                done.add(needed.name)
                yield needed
