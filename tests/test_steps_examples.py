"""The examples in the docstrings and on the page about rubrics are true."""

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

from dxjudge.agents import match_option, own_step, score_free_answer
from dxjudge.agents.rules import grading, quotes, technical, wording
from dxjudge.prompts.load_data import load_rubric

PAGE = Path(__file__).parent.parent / "docs" / "howto_rubric.md"
MODULES = (grading, match_option, own_step, quotes, score_free_answer, technical, wording)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_docstring_examples(module: ModuleType) -> None:
    failures, tried = doctest.testmod(module)
    assert (failures, tried > 0) == (0, True)


def test_the_rubric_on_the_page_loads(tmp_path: Path) -> None:
    found = re.search(r"```yaml[^\n]*\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    file = tmp_path / "ward.yaml"
    file.write_text(found[1], "utf-8")
    assert load_rubric(file).best == 30
