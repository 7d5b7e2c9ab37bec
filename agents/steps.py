"""List the steps of the toolkit and find a step by its name."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files.nearest import did_you_mean
from ..prompts.variants import MARK
from .assign_category import ASSIGN_CATEGORY
from .choose_best import CHOOSE_BEST
from .choose_better import CHOOSE_BETTER
from .choose_candidate import CHOOSE_CANDIDATE
from .extract_ddx import EXTRACT_DDX
from .extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from .generate_ddx import GENERATE_DDX
from .grade_ddx import GRADE_DDX
from .grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from .judge_criteria import JUDGE_CRITERIA
from .judge_equivalence import JUDGE_EQUIVALENCE, JUDGE_EQUIVALENCE_CORRECT
from .label_errors import LABEL_ERRORS
from .match_option import MATCH_OPTION
from .own_step import load_own, split_own
from .people.made_item import JUDGE_MADE_ITEM
from .people.questionnaire import CHOOSE_CLOSER_PAIR, GRADE_IMAGE_LABEL, GRADE_LIKENESS
from .score_free_answer import SCORE_FREE_ANSWER
from .score_open_answer import SCORE_OPEN_ANSWER
from .score_rubric import SCORE_RUBRIC
from .step import Step, vary
from .translate_diagnosis import TRANSLATE_DIAGNOSIS
from .verdict import Verdict

STEPS: tuple[Step[Any, Any], ...] = (
    EXTRACT_FINAL_DIAGNOSIS,
    EXTRACT_DDX,
    GENERATE_DDX,
    TRANSLATE_DIAGNOSIS,
    CHOOSE_CANDIDATE,
    JUDGE_EQUIVALENCE,
    GRADE_DDX,
    GRADE_FINAL_DIAGNOSIS,
    SCORE_RUBRIC,
    JUDGE_CRITERIA,
    LABEL_ERRORS,
    MATCH_OPTION,
    SCORE_FREE_ANSWER,
    SCORE_OPEN_ANSWER,
    ASSIGN_CATEGORY,
    CHOOSE_BEST,
    CHOOSE_BETTER,
    GRADE_IMAGE_LABEL,
    GRADE_LIKENESS,
    CHOOSE_CLOSER_PAIR,
    JUDGE_MADE_ITEM,
)

# Steps of the list with other prompts; each is named like its prompt.
VARIANTS: tuple[Step[Any, Any], ...] = (JUDGE_EQUIVALENCE_CORRECT,)


def find_step(step: str | Step[Any, Any]) -> Step[Any, Any]:
    """Return the step for a name or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.

    Args:
        step: a step, its name, or `path/to/file.py:NAME`, optionally followed by `~VARIANT`.

    Returns:
        the step.

    Raises:
        UsageError: for an unknown name (the message suggests the nearest name or lists all of
            them), and in the same cases as `load_own`.
    """
    if isinstance(step, Step):
        return step
    own = split_own(step)
    if own is not None:
        path, name, variant = own
        return vary(load_own(path, name), variant) if variant else load_own(path, name)
    if MARK in step:
        name, _, variant = step.partition(MARK)
        return vary(find_step(name), variant)
    names = {known.prompt_name: known for known in (*STEPS, *VARIANTS)}
    if step in names:
        return names[step]
    listed = f"the steps are {', '.join(sorted(names))}, or path/to/file.py:NAME"
    hint = did_you_mean(step, names, listed)
    if Path(f"{step}.py").exists():
        hint = f"a step of the file {step}.py is named {step}.py:NAME"
    raise UsageError(f"no step {step!r}; {hint}")


def find_verdict(name: str, own: Iterable[Step[Any, Any]] = ()) -> tuple[Verdict | None, str]:
    """Return the verdict of votes on `STEP` or `STEP.PART`, and the part ("" for the whole).

    own: steps that are searched before those of the toolkit. The verdict is None for an unknown
    step.
    """
    step, _, part = name.partition(".")
    known_step = next((one for one in (*own, *STEPS) if one.name == step), None)
    if known_step is None or known_step.verdict is None or known_step.verdict.kind_of(part) is None:
        return None, part
    return known_step.verdict, part
