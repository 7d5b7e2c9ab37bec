"""The graphs that langgraph.json names, for LangGraph Studio and `langgraph dev`.

A step's graph takes its judge in its input: {"inputs": {...}, "judge": "openai:gpt-4o"}. The
case's graph takes it from the configuration: {"configurable": {"judge": ..., "branches": [...]}}.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs.case import BRANCHES, case_graph
from ..graphs.steps import (
    best_answer_graph,
    category_graph,
    ddx_grade_graph,
    ddx_graph,
    equivalence_graph,
    error_graph,
    final_diagnosis_graph,
    final_grade_graph,
    free_answer_graph,
    generation_graph,
    open_answer_graph,
    option_graph,
    rubric_graph,
    translation_graph,
)

if TYPE_CHECKING:
    from ..graphs.case import CaseGraph
    from ..graphs.step_graph import StepGraph

# What the graph of a case is drawn with before anybody has chosen; nothing is asked of it then.
DEFAULT_JUDGE = "openai:gpt-4o"


def case(config: Mapping[str, Any]) -> "CaseGraph":
    """A whole case; without the branch "mapping" unless that is asked for and can run."""
    chosen = config.get("configurable") or {}
    branches = chosen.get("branches") or [name for name in BRANCHES if name != "mapping"]
    return case_graph(chosen.get("judge") or DEFAULT_JUDGE, branches=branches)


def extract_final_diagnosis() -> "StepGraph":
    """Find the one diagnosis that a response commits to."""
    return final_diagnosis_graph()


def extract_ddx() -> "StepGraph":
    """List the diagnoses that a text considers."""
    return ddx_graph()


def generate_ddx() -> "StepGraph":
    """Name the five most likely diagnoses of a patient."""
    return generation_graph()


def translate_diagnosis() -> "StepGraph":
    """Say a diagnosis in English."""
    return translation_graph()


def judge_equivalence() -> "StepGraph":
    """Judge whether two diagnoses are the same disease."""
    return equivalence_graph()


def judge_equivalence_correct() -> "StepGraph":
    """The same, asked as Correct or Incorrect."""
    return equivalence_graph(style="correct")


def grade_ddx() -> "StepGraph":
    """Grade how near a differential comes to the true diagnosis."""
    return ddx_grade_graph()


def grade_final_diagnosis() -> "StepGraph":
    """Grade how near a final diagnosis comes to the true one."""
    return final_grade_graph()


def score_rubric() -> "StepGraph":
    """Score a response on the dimensions of a rubric."""
    return rubric_graph()


def label_errors() -> "StepGraph":
    """Label the errors of a response."""
    return error_graph()


def match_option() -> "StepGraph":
    """Match a free answer to the options of a question."""
    return option_graph()


def score_free_answer() -> "StepGraph":
    """Score a free answer's closeness to two options."""
    return free_answer_graph()


def score_open_answer() -> "StepGraph":
    """Score an open answer by the rules of its kind of question."""
    return open_answer_graph()


def assign_category() -> "StepGraph":
    """Assign a text to categories."""
    return category_graph()


def choose_best() -> "StepGraph":
    """Choose the best of several answers to one question."""
    return best_answer_graph()
