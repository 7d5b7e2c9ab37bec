"""The public functions say what each argument is, what they return and what they raise."""

import inspect
import logging
import re
from operator import attrgetter
from typing import Any

import pytest

import dxjudge
import dxjudge.scoring

griffe = pytest.importorskip("griffe")

FUNCTIONS = [name for name in dxjudge.__all__ if inspect.isfunction(getattr(dxjudge, name))]
# The classes that a user builds, and the methods that a user calls with arguments.
BUILT = [
    "JudgeBatch", "JudgeExample", "MapBatch", "Mapper", "Parts", "Prompt", "Run", "Step", "Verdict",
]  # fmt: skip
CALLED = [
    "AnswerResult.write", "EvaluationResult.number", "EvaluationResult.table",
    "EvaluationResult.write", "Mapper.map", "Mapper.map_many", "Mapper.search", "Mapper.stream",
]  # fmt: skip
FORMULAS = [
    thing
    for name in dxjudge.scoring.__all__
    if inspect.isfunction(thing := getattr(dxjudge.scoring, name))
]


def _sections(function: Any) -> dict[str, list[tuple[str, str]]]:
    logging.getLogger("griffe").setLevel(logging.CRITICAL)  # it asks for types, which we have
    text = inspect.getdoc(function) or ""
    parsed = griffe.Docstring(text, parser="google").parse()
    found = {}
    for section in parsed:
        kind = section.kind.value.replace("yields", "returns")
        if kind in ("parameters", "returns", "raises"):
            entries = section.value
            found[kind] = [(getattr(entry, "name", ""), entry.description) for entry in entries]
    return found


@pytest.mark.parametrize("name", [*FUNCTIONS, *BUILT, *CALLED])
def test_each_argument_is_described(name: str) -> None:
    thing = attrgetter(name)(dxjudge)
    described = {
        one.strip(" *")
        for names, text in _sections(thing).get("parameters", [])
        for one in names.split(",")
        if text
    }
    text = inspect.getdoc(thing) or ""
    for line in re.findall(r"^    (\w+(?:, \w+)+): ", text, re.MULTILINE):
        described |= set(line.split(", "))  # several arguments that share a description
    wanted = set(inspect.signature(thing).parameters) - {"self"}
    assert described >= wanted, f"{name} does not describe {sorted(wanted - described)}"


@pytest.mark.parametrize("name", [*FUNCTIONS, *CALLED])
def test_what_comes_back_and_what_is_raised_is_said(name: str) -> None:
    function = attrgetter(name)(dxjudge)
    sections = _sections(function)
    if inspect.signature(function).return_annotation not in (None, "None"):
        assert sections.get("returns"), f"{name} does not say what it returns"
    assert all(text for _, text in sections.get("raises", []))


def test_each_function_of_scoring_says_what_it_takes_and_gives() -> None:
    """What it gives may stand in the first sentence: "Return the share of ..."."""
    assert len(FORMULAS) > 130
    for function in FORMULAS:
        sections = _sections(function)
        described = {name for name, text in sections.get("parameters", []) if text}
        parameters = inspect.signature(function).parameters
        assert described == set(parameters), function.__name__
        text = inspect.getdoc(function) or ""
        gives = text.startswith("Return") or sections.get("returns")
        assert gives or inspect.signature(function).return_annotation is None, function.__name__
