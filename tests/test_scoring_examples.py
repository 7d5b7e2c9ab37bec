"""The worked examples in the docstrings of scoring come out as printed."""

import doctest
import importlib
import pkgutil

import pytest

import dxjudge.scoring

MODULES = sorted(module.name for module in pkgutil.iter_modules(dxjudge.scoring.__path__))


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
