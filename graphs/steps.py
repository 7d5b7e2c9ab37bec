"""Every judging step as a compiled graph of one node.

Each function takes the judge and the run of `step_graph`; the graph takes
`{"inputs": {...}}` and returns `{"outcome": {...}}` in plain JSON. As a node of another graph:
`step_node(EXTRACT_DDX, judge)`.
"""

from typing import TYPE_CHECKING

from ..agents.assign_category import ASSIGN_CATEGORY
from ..agents.choose_best import CHOOSE_BEST
from ..agents.engine.judges import AnyJudge
from ..agents.engine.run import Run
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from ..agents.generate_ddx import GENERATE_DDX
from ..agents.grade_ddx import GRADE_DDX
from ..agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, JUDGE_EQUIVALENCE_CORRECT
from ..agents.label_errors import LABEL_ERRORS
from ..agents.match_option import MATCH_OPTION
from ..agents.score_free_answer import SCORE_FREE_ANSWER
from ..agents.score_open_answer import SCORE_OPEN_ANSWER
from ..agents.score_rubric import SCORE_RUBRIC
from ..agents.translate_diagnosis import TRANSLATE_DIAGNOSIS
from .step_graph import step_graph

if TYPE_CHECKING:
    from .step_graph import StepGraph


def final_diagnosis_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Find the one diagnosis that a response commits to."""
    return step_graph(EXTRACT_FINAL_DIAGNOSIS, judge, run)


def ddx_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """List the diagnoses that a text considers."""
    return step_graph(EXTRACT_DDX, judge, run)


def generation_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Name the five most likely diagnoses of a patient."""
    return step_graph(GENERATE_DDX, judge, run)


def translation_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Put a diagnosis into English."""
    return step_graph(TRANSLATE_DIAGNOSIS, judge, run)


def equivalence_graph(
    judge: AnyJudge | None = None, run: Run | None = None, *, style: str = "yes-no"
) -> "StepGraph":
    """Judge whether two diagnoses are the same disease; `style` is "yes-no" or "correct"."""
    step = JUDGE_EQUIVALENCE_CORRECT if style == "correct" else JUDGE_EQUIVALENCE
    return step_graph(step, judge, run)


def ddx_grade_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Grade how near a differential comes to the true diagnosis."""
    return step_graph(GRADE_DDX, judge, run)


def final_grade_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Grade how near a final diagnosis comes to the true one."""
    return step_graph(GRADE_FINAL_DIAGNOSIS, judge, run)


def rubric_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Score a response on the dimensions of a rubric."""
    return step_graph(SCORE_RUBRIC, judge, run)


def error_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Label the errors of a response."""
    return step_graph(LABEL_ERRORS, judge, run)


def option_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Match a free answer to the options of a question."""
    return step_graph(MATCH_OPTION, judge, run)


def free_answer_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Score a free answer's closeness to two options."""
    return step_graph(SCORE_FREE_ANSWER, judge, run)


def open_answer_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Score an open answer by the rules of its kind of question."""
    return step_graph(SCORE_OPEN_ANSWER, judge, run)


def category_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Assign a text to categories."""
    return step_graph(ASSIGN_CATEGORY, judge, run)


def best_answer_graph(judge: AnyJudge | None = None, run: Run | None = None) -> "StepGraph":
    """Choose the best of several answers to one question."""
    return step_graph(CHOOSE_BEST, judge, run)
