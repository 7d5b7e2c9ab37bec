"""The house stands as it is meant to: what is listed by hand equals what is there."""

import ast
import graphlib
import importlib
import pkgutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import resources
from pathlib import Path

import pytest
import yaml

import dxjudge

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
ROOMS = sorted(  # with the inner ones
    ".".join(path.parent.relative_to(ROOT).parts)
    for path in (*ROOT.glob("*/__init__.py"), *ROOT.glob("*/*/__init__.py"))
    if path.relative_to(ROOT).parts[0] in FOLDERS
)
HEAVY = ("torch", "transformers", "langgraph", "langchain_core", "chromadb", "pandas", "pyarrow")


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=folder
    )


def test_every_folder_is_packaged_and_banned_as_a_bare_import() -> None:
    packages = SETTINGS["tool"]["setuptools"]["packages"]
    banned = SETTINGS["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert packages == ["dxjudge", *(f"dxjudge.{name}" for name in ROOMS)]
    assert sorted(banned) == FOLDERS


def test_every_layer_is_in_the_import_contract() -> None:
    contract = SETTINGS["tool"]["importlinter"]["contracts"][0]["layers"]
    layers = {name.strip() for layer in contract for name in layer.split("|")}
    assert layers >= {f"dxjudge.{name}" for name in FOLDERS}


def _imports(path: Path) -> set[Path]:
    """The files of the package that one imports, inside functions and for types too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found |= {folder.with_suffix(".py")}
            found |= {folder / f"{alias.name}.py" for alias in node.names}
    return {each for each in found if each.exists() and each != path}


def test_imports_make_no_circle() -> None:
    modules = [path for room in ROOMS for path in ROOT.joinpath(*room.split(".")).glob("*.py")]
    order = graphlib.TopologicalSorter({path: _imports(path) for path in modules})
    order.prepare()  # raises CycleError, which shows the circle


def test_no_folder_holds_more_than_thirty_modules() -> None:
    folders = (ROOT.joinpath(*room.split(".")) for room in ROOMS)
    sizes = {folder.name: len(list(folder.glob("*.py"))) - 1 for folder in folders}  # __init__
    assert {name: modules for name, modules in sizes.items() if modules > 30} == {}


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == SETTINGS["project"]["version"]


def test_the_root_holds_nothing_that_was_left_there() -> None:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT)
    if listed.returncode:
        pytest.skip("not a git checkout")
    rooms = {"benchmarks", "docs", "examples", "recipe", "tests", "training", *FOLDERS}
    found = {path.partition("/")[0] for path in listed.stdout.splitlines() if "/" in path}
    assert {name for name in found if not name.startswith(".")} == rooms


def test_no_module_or_folder_of_the_root_is_named_like_a_standard_one() -> None:
    modules = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"}
    assert not (modules | set(FOLDERS)) & set(sys.stdlib_module_names)


def test_every_module_imports_and_says_what_it_is() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages(dxjudge.__path__, "dxjudge.")
        if module.name.split(".")[1] in FOLDERS or module.name.count(".") == 1
    ]
    assert len(names) > 50
    for name in (name for name in names if name != "dxjudge.__main__"):
        module = importlib.import_module(name)
        assert module.__doc__, name


def test_the_face_is_sorted_and_holds_what_it_names() -> None:
    assert sorted(dxjudge.__all__) == dir(dxjudge)
    for name in dxjudge.__all__:
        assert getattr(dxjudge, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dxjudge.nothing


def test_data_files_are_packaged() -> None:
    data = SETTINGS["tool"]["setuptools"]["package-data"]
    for package in ("dxjudge", *(f"dxjudge.{name}" for name in ROOMS)):
        folder = Path(str(resources.files(package)))
        held = {
            path.relative_to(folder)
            for path in folder.rglob("*")
            if path.is_file()
            and path.suffix not in {".py", ".pyc"}
            # The source of the built pages, and compiled code while another process writes it
            and not {"ui", "__pycache__"} & set(path.relative_to(folder).parts)
            and not any((above / "__init__.py").exists() for above in _between(path, folder))
        }
        if package == "dxjudge":
            examples = (ROOT / "examples").rglob("*")
            held = {path.relative_to(ROOT) for path in examples if path.is_file()}
            held.add(Path("py.typed"))
        covered = {
            path.relative_to(folder)
            for pattern in data.get(package, [])
            for path in folder.glob(pattern)
            if path.is_file()
        }
        assert held <= covered, package


def _between(path: Path, folder: Path) -> list[Path]:
    """The folders that hold the path, below `folder`."""
    return [above for above in path.parents if folder in above.parents]


def test_the_module_runs_like_the_command() -> None:
    done = run("-m", "dxjudge", "--version")
    assert (done.returncode, done.stdout) == (0, f"dxjudge {dxjudge.__version__}\n")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from dxjudge.cli.main import run\n"
        "code = run(['--help']) + run(['map', '--help']) + run(['show', 'J44.9'])\n"
        "print(code, [name for name in sys.argv[1:] if name in sys.modules])\n"
    )
    done = run("-c", program, *HEAVY)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


def test_help_takes_less_than_half_a_second_of_processor_time() -> None:
    # Not by the clock: a shared machine delays a start by whatever else it does.
    program = (
        "import resource, subprocess, sys\n"
        "def used():\n"
        "    spent = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "    return spent.ru_utime + spent.ru_stime\n"
        "def once():\n"
        "    before = used()\n"
        "    subprocess.run([sys.executable, '-m', 'dxjudge', '--help'], check=True,"
        " stdout=subprocess.DEVNULL)\n"
        "    return used() - before\n"
        "print(min(once() for _ in range(3)))\n"
    )
    done = run("-c", program)
    assert float(done.stdout) < 0.5


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    # Two encoders, of English and of seven other languages, and the vectors of the terms.
    assert wheel.stat().st_size < 80 * 2**20
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    modules = {f"dxjudge/{path.name}" for path in ROOT.glob("*.py")}
    modules |= {
        f"dxjudge/{path.relative_to(ROOT).as_posix()}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
    }
    code = {name for name in held if name.endswith(".py")}
    assert {name for name in code if not name.startswith("dxjudge/examples/")} == modules
    assert {"dxjudge/py.typed", "dxjudge/examples/diagnoses.csv"} <= held
    assert not any("test" in name.split("/")[1] for name in held)
