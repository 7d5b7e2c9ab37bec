"""The tasks of an evaluation: each is declared here once, with everything that belongs to it.

Settings, presets, asking, the signature, tables and the report read `TASKS`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ..agents.choose_best import CHOOSE_BEST
from ..agents.choose_better import CHOOSE_BETTER
from ..agents.extract_ddx import EXTRACT_DDX
from ..agents.extract_final_diagnosis import EXTRACT_FINAL_DIAGNOSIS
from ..agents.grade_ddx import GRADE_DDX
from ..agents.grade_final_diagnosis import GRADE_FINAL_DIAGNOSIS
from ..agents.judge_criteria import JUDGE_CRITERIA
from ..agents.judge_equivalence import JUDGE_EQUIVALENCE, JUDGE_EQUIVALENCE_CORRECT
from ..agents.label_errors import LABEL_ERRORS
from ..agents.match_option import MATCH_OPTION
from ..agents.score_free_answer import SCORE_FREE_ANSWER
from ..agents.score_open_answer import SCORE_OPEN_ANSWER
from ..agents.score_rubric import SCORE_RUBRIC
from ..agents.step import Step
from ..agents.verdict import Verdict
from ..errors import UsageError
from ..files.nearest import did_you_mean
from . import asking, task_columns
from .failures import right_by
from .judged import Judged
from .measures import diagnosis
from .measures.ablations import ablation_measures
from .measures.answers import answer_measures
from .measures.criteria import PHYSICIANS, SCORE, criteria_measures
from .measures.diagnosis import under_each_judge
from .measures.evidence import sensitivity_measures, withheld_kinds
from .measures.hierarchy import hierarchical_measures
from .measures.likeness import find_encoder, overlap_measures, semantic_measures
from .measures.measure import Measure
from .measures.pairs import pair_measures, pair_units
from .measures.pairwise import STRENGTH, pairwise_measures
from .measures.samples import sample_measures
from .own_task import own_task
from .pairing import compared_responses, shown_case
from .settings import Column, OwnTask, Settings
from .task import Need, Task

_FINAL, _DDX = "extract_final_diagnosis", "extract_ddx"
_DIAGNOSIS = Need("a diagnosis (column diagnosis)", lambda case: case.diagnosis)
_ANY_DIAGNOSIS = Need(
    "a diagnosis (column diagnosis or ddx)", lambda case: case.diagnosis or case.ddx
)
_OPTIONS = Need("options (columns A, B, ... or options)", lambda case: case.options, True)
_TWO_OPTIONS = Need(
    "two options (columns A and B, or options)", lambda c: len(c.options) == 2, True
)
_QUESTION = Need("a question (column question)", lambda case: case.question)
_OPEN_QUESTION = Need(
    "an open question (column answer, and no options)",
    lambda case: case.answer and not case.options,
    or_other=True,
)
_REFERENCE = Need(
    "a text and a reference (columns case and reference)",
    lambda case: case.reference and case.case,
)
_CRITERIA = Need(
    "criteria (column criteria, or rubrics in the form of HealthBench)", lambda case: case.criteria
)
_SHOWN = Need("a text or a question (columns case and question)", shown_case)
_STANDARD = Need(
    "a reference or an answer (column reference or answer)",
    lambda case: case.reference or case.answer,
)


def _equivalence(settings: Settings) -> Step[Any, Any]:
    return JUDGE_EQUIVALENCE_CORRECT if settings.style == "correct" else JUDGE_EQUIVALENCE


def _predicted(settings: Settings) -> tuple[str, ...]:
    return {"ddx": (_DDX,), "final": (_FINAL,), "both": (_FINAL, _DDX)}[settings.predicted]


def _judged_right(settings: Settings) -> tuple[str, ...]:
    """The tasks that find the wrong answers, where errors are labelled only in these."""
    return right_by(settings) if settings.errors_of == "wrong" else ()


def _answers(judged: Judged, settings: Settings) -> Iterator[Measure]:
    return answer_measures(judged, multiple=settings.multiple)


def _pairs(judged: Judged, settings: Settings) -> Iterator[Measure]:
    pairs = pair_units(judged.cases)[1]
    yield from pair_measures(judged, pairs)
    yield from sample_measures(judged, pairs, settings)


def _semantic(judged: Judged, settings: Settings) -> Iterator[Measure]:
    return semantic_measures(judged, settings, find_encoder(settings.encoder))


def _overlap(judged: Judged, settings: Settings) -> Iterator[Measure]:
    """Overlap with the truth; BERTScore uses the encoder of the semantic scores, if they run."""
    encoder = find_encoder(settings.encoder) if "semantic" in settings.tasks else None
    return overlap_measures(judged, encoder)


def _sensitivity(judged: Judged, _settings: Settings) -> Iterator[Measure]:
    return sensitivity_measures(judged) if withheld_kinds(judged) else iter(())


TASKS: tuple[Task, ...] = (
    Task(
        name=_FINAL,
        step=lambda _: EXTRACT_FINAL_DIAGNOSIS,
        items=asking.extract_final,
        extracts="final",
    ),
    Task(name=_DDX, step=lambda _: EXTRACT_DDX, items=asking.extract_ddx, extracts="ddx"),
    Task(
        name="map_to_icd10",
        needs=(_ANY_DIAGNOSIS,),
        after=_predicted,
        measures=hierarchical_measures,
        columns=lambda _: (Column("hdp", "HDP"), Column("hdr", "HDR"), Column("hdf1", "HDF1")),
    ),
    Task(
        name="judge_equivalence",
        step=_equivalence,
        items=asking.pair_of_final,
        needs=(_DIAGNOSIS,),
        after=lambda _: (_FINAL,),
        measures=under_each_judge("judge_equivalence", diagnosis.final_accuracy),
        columns=lambda _: (Column("final_accuracy", "Accuracy"),),
        by_ontology=True,
        right="verdict",
    ),
    Task(
        name="judge_equivalence_ddx",
        step=_equivalence,
        items=asking.pairs_of_ddx,
        needs=(_DIAGNOSIS,),
        after=lambda _: (_DDX,),
        measures=under_each_judge("judge_equivalence_ddx", diagnosis.top_accuracies),
        columns=task_columns.top_columns,
        by_ontology=True,
        right="verdict",
    ),
    Task(
        name="grade_ddx",
        step=lambda _: GRADE_DDX,
        items=asking.graded_ddx,
        needs=(_DIAGNOSIS,),
        after=lambda _: (_DDX,),
        measures=under_each_judge("grade_ddx", diagnosis.ddx_grades),
        columns=lambda _: (
            Column("ddx_coverage", "DDx coverage"),
            Column("ddx_grade", "DDx grade"),
        ),
    ),
    Task(
        name="grade_final_diagnosis",
        step=lambda _: GRADE_FINAL_DIAGNOSIS,
        items=asking.graded_final,
        needs=(_DIAGNOSIS,),
        after=lambda _: (_FINAL,),
        measures=under_each_judge("grade_final_diagnosis", diagnosis.final_grades),
        columns=lambda _: (Column("final_grade", "Diagnosis grade"),),
    ),
    Task(
        name="score_rubric",
        step=lambda _: SCORE_RUBRIC,
        items=asking.scored_response,
        needs=(_REFERENCE,),
        measures=under_each_judge("score_rubric", diagnosis.rubric_points),
        columns=task_columns.rubric_columns,
    ),
    Task(
        name=JUDGE_CRITERIA.name,
        step=lambda _: JUDGE_CRITERIA,
        items=asking.judged_criteria,
        needs=(_CRITERIA,),
        measures=criteria_measures,
        columns=lambda _: (
            Column(SCORE, "Score"),
            Column("axis: *", "Axis"),
            Column(PHYSICIANS, "Physicians"),
        ),
    ),
    Task(
        name="label_errors",
        step=lambda _: LABEL_ERRORS,
        items=asking.labelled_response,
        needs=(_STANDARD,),
        after=_judged_right,
        measures=under_each_judge("label_errors", diagnosis.error_shares),
        columns=task_columns.error_columns,
        further=task_columns.instance_columns,
    ),
    Task(
        name="match_option",
        step=lambda _: MATCH_OPTION,
        items=asking.matched_answer,
        every_response=True,
        needs=(_OPTIONS,),
        measures=_answers,
        columns=task_columns.choice_columns,
        right="option",
    ),
    Task(
        name="score_free_answer",
        step=lambda _: SCORE_FREE_ANSWER,
        items=asking.free_answer,
        every_response=True,
        needs=(_TWO_OPTIONS,),
        measures=_pairs,
        columns=lambda _: (
            Column("set_accuracy", "Set accuracy"),
            Column("individual_accuracy", "Individual accuracy"),
            Column("confusion", "Confusion"),
            Column("invalid_answers", "Invalid"),
            Column("set_best_of: *", "Best of"),
            Column("set_oracle: *", "Oracle"),
        ),
        of_pairs=True,
        right="option",
    ),
    Task(
        name="score_open_answer",
        step=lambda _: SCORE_OPEN_ANSWER,
        items=asking.open_answer,
        every_response=True,
        needs=(_OPEN_QUESTION,),
        measures=_answers,
        columns=task_columns.open_columns,
        right="answer",
    ),
    Task(
        name="choose_best",
        step=lambda _: CHOOSE_BEST,
        items=asking.best_of_samples,
        every_response=True,
        needs=(_QUESTION,),
    ),
    Task(
        name=CHOOSE_BETTER.name,
        step=lambda _: CHOOSE_BETTER,
        items=compared_responses,
        needs=(_SHOWN,),
        measures=pairwise_measures,
        columns=lambda _: (
            Column(STRENGTH, "Strength"),
            Column("win_rate", "Win rate"),
            Column("order_flips", "Order flips"),
        ),
    ),
    Task(
        name="semantic",
        needs=(_ANY_DIAGNOSIS,),
        after=_predicted,
        measures=_semantic,
        columns=lambda _: (
            Column("semantic_precision", "Precision"),
            Column("semantic_recall", "Recall"),
            Column("semantic_f1", "F1"),
            Column("semantic_jaccard", "Jaccard"),
            Column("semantic_micro_precision", "Micro precision"),
            Column("semantic_micro_recall", "Micro recall"),
            Column("semantic_micro_f1", "Micro F1"),
            Column("semantic_micro_jaccard", "Micro Jaccard"),
            Column("answered_ddx", "Coverage"),
        ),
    ),
    Task(
        name="text_overlap",
        needs=(_DIAGNOSIS,),
        after=lambda _: (_FINAL,),
        measures=_overlap,
        columns=lambda _: (
            Column("bleu", "BLEU"),
            Column("meteor", "METEOR"),
            Column("rouge_1", "ROUGE-1"),
            Column("rouge_2", "ROUGE-2"),
            Column("rouge_l", "ROUGE-L"),
            Column("bert_score", "BERTScore"),
        ),
    ),
    Task(
        name="ablations",
        needs=(_OPTIONS,),
        after=lambda _: ("match_option",),
        measures=lambda judged, _: ablation_measures(judged),
        further=lambda _: (Column("ablation: *"), Column("ablation change: *")),
    ),
    Task(
        name="evidence_sensitivity",
        needs=(_OPTIONS,),
        measures=_sensitivity,
        columns=lambda _: (Column("sensitivity: *", "Sensitivity"),),
    ),
)

OF_OPTIONS = frozenset(task.name for task in TASKS if task.right == "option")
"""The tasks whose verdict is a chosen option, which may match none."""

EXTRACTIONS = tuple(task.name for task in TASKS if task.extracts)
"""The tasks that the first judge alone does, for all judges."""


def find_task(name: str) -> Task:
    """Return the listed task of this name. Raises UsageError that names the nearest, or all."""
    names = {task.name: task for task in TASKS}
    if name in names:
        return names[name]
    hint = did_you_mean(name, names, f"the tasks are {', '.join(names)}")
    raise UsageError(f"no task {name!r}; {hint}")


def verdicts_of(settings: Settings) -> dict[str, Verdict]:
    """Listed task -> what says which value of its step's result is the verdict."""
    steps = {task.name: task.step(settings) for task in TASKS if task.step is not None}
    return {name: step.verdict for name, step in steps.items() if step.verdict is not None}


def says_right(names: Iterable[str], settings: Settings) -> dict[str, str]:
    """Task -> what says that a response is right (`Task.right`).

    The file of a step of your own is not opened: whoever looks at a run may not have it.
    """
    listed = {task.name: task.right for task in TASKS}
    own = [one for one in settings.tasks if isinstance(one, OwnTask)]
    named = {one.name: "metric" if one.truth else "" for one in own if one.name}
    truths = [one.truth for one in own if not one.name]
    unnamed = "metric" if truths and all(truths) else ""
    return {name: listed.get(name, named.get(name, unnamed)) if name else "" for name in names}


def tasks_of(settings: Settings) -> tuple[Task, ...]:
    """The tasks of the settings in their order, each after the tasks whose results it uses.

    Raises UsageError for a task that does not exist, and for two tasks with one name.
    """
    tasks = [_task(one) for one in settings.tasks]
    names = [task.name for task in tasks]
    for task, setting in zip(tasks, settings.tasks, strict=True):
        if (isinstance(setting, OwnTask) and is_listed(task)) or names.count(task.name) > 1:
            raise UsageError(f"two tasks have the name {task.name!r}; give one of them a `name`")
    return tuple(_with_before(tasks, settings, {}).values())


def is_listed(task: Task) -> bool:
    """Whether a task has the name of a task of dxjudge, and so is not your own."""
    return any(task.name == one.name for one in TASKS)


def _task(setting: str | OwnTask) -> Task:
    return own_task(setting) if isinstance(setting, OwnTask) else find_task(setting)


def _with_before(
    tasks: Iterable[Task], settings: Settings, done: dict[str, Task]
) -> dict[str, Task]:
    for task in tasks:
        _with_before(map(find_task, task.after(settings)), settings, done)
        done.setdefault(task.name, task)
    return done


def every_column(task: Task, settings: Settings) -> tuple[Column, ...]:
    """Every column that a task can fill, also those that no main table has by itself."""
    return (*task.columns(settings), *task.further(settings))


def fillable(settings: Settings) -> tuple[Column, ...]:
    """Every column of a main table that the tasks of the settings can fill."""
    return tuple(column for task in tasks_of(settings) for column in every_column(task, settings))
