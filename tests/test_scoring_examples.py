"""The worked examples in the docstrings of scoring come out as printed."""

import doctest
import importlib
import inspect
import pkgutil
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import dxjudge.scoring

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    module.name.removeprefix("dxjudge.scoring.")
    for module in pkgutil.walk_packages(dxjudge.scoring.__path__, "dxjudge.scoring.")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    module = importlib.import_module(f"dxjudge.scoring.{name}")
    assert doctest.testmod(module).failed == 0


def test_formula_modules_show_at_least_one_example() -> None:
    shown = sum(
        doctest.testmod(importlib.import_module(f"dxjudge.scoring.{name}")).attempted > 0
        for name in MODULES
    )
    assert shown >= 8


def test_the_page_of_measures_is_what_the_docstrings_say() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_scoring.py"))
    page = (ROOT / "docs" / "scoring.md").read_text(encoding="utf-8")
    assert page == made["page"](), "run: python docs/make_scoring.py"


TOOLS = {
    "augment", "check_weights", "compare_votes", "counts_by_model", "deepest_shared", "fault_of",
    "identity", "is_number", "is_resolved", "load_encoder", "wordnet_synonyms",
}  # fmt: skip
"""Functions that make no number of their own."""


def test_every_exported_function_has_formula_source_and_example() -> None:
    for name in sorted(set(dxjudge.scoring.__all__) - TOOLS):
        function = getattr(dxjudge.scoring, name)
        if inspect.isfunction(function):
            text = function.__doc__ or ""
            assert "Formula:" in text and "Source:" in text and ">>>" in text, name


def test_what_is_public_in_a_public_module_is_on_the_face_and_loads_nothing_heavy() -> None:
    assert not set(MODULES) & set(dxjudge.scoring.__all__)  # the module would hide the function
    for name in MODULES:
        if name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(f"dxjudge.scoring.{name}")
        public = {
            each
            for each, value in vars(module).items()
            if (inspect.isfunction(value) or inspect.isclass(value))
            and value.__module__ == module.__name__
            and not each.startswith("_")
        }
        assert public <= set(dxjudge.scoring.__all__), name
    command = "import sys; from dxjudge.scoring import top_k_accuracy; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    assert not {"torch", "nltk", "scipy", "sklearn"} & set(done.stdout.split())
