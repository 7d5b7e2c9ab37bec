"""Counts stand with the right form of their noun, and reasons do not repeat their kind."""

import doctest
import re
from pathlib import Path

import pytest

from dxjudge.agents.outcome import Failed
from dxjudge.files import counted as module
from dxjudge.scoring import bootstrap_interval, mean_statistic


def test_the_examples_of_counts_run() -> None:
    assert doctest.testmod(module).failed == 0


def test_a_single_case_is_not_cases() -> None:
    warning = bootstrap_interval(mean_statistic([1.0]), 1).warning
    assert warning == "1 case is too few for an interval (at least 10)"


def test_the_last_reason_does_not_repeat_its_kind() -> None:
    failed = Failed(step="x", version=1, kind="refused", reasons=("late", "refused: no key"))
    assert failed.last_why == "refused: no key"


@pytest.mark.parametrize("folder", ["scoring", "evaluation", "cli"])
def test_no_message_says_cases_of_a_count_that_can_be_one(folder: str) -> None:
    """A count of what is compared stands with `counted`; "1 cases are" was printed before."""
    wrong = re.compile(r"\{[^{}]*\} (cases|clusters|models|judges) (are|have|do)\b")
    files = (Path(__file__).parents[1] / folder).rglob("*.py")
    assert [path.name for path in files if wrong.search(path.read_text(encoding="utf-8"))] == []
