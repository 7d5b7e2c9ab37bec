"""The presets, which are tasks and main tables as data, and the columns of a main table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import UsageError
from ..files.nearest import did_you_mean
from .settings import Column, Settings
from .tasks import fillable, tasks_of


@dataclass(frozen=True)
class Preset:
    """The tasks of an evaluation, and the columns of its main table.

    needs: the columns that a file of cases must have for this preset.
    settings: the settings that differ from the defaults.
    before, after: the two metrics whose rankings are compared.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    columns: tuple[Column, ...]
    needs: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    before: str = ""
    after: str = ""


_RUBRIC = (
    Column("rubric_total", "Rubric total"),
    Column("rubric_knowledge", "Knowledge"),
    Column("rubric_image_interpretation", "Image"),
    Column("rubric_laboratory_interpretation", "Laboratory"),
    Column("rubric_differential_diagnosis", "Differential"),
    Column("rubric_reasoning_chain", "Reasoning"),
)

PRESETS: tuple[Preset, ...] = (
    Preset(
        "diagnosis",
        "Diagnosis",
        (
            "extract_final_diagnosis",
            "extract_ddx",
            "map_to_icd10",
            "judge_equivalence",
            "judge_equivalence_ddx",
            "grade_ddx",
            "grade_final_diagnosis",
            "score_rubric",
            "label_errors",
        ),
        (
            Column("final_accuracy", "Accuracy"),
            Column("top_1", "Top-1"),
            Column("top_5", "Top-5"),
            Column("hdp", "HDP"),
            Column("hdr", "HDR"),
            Column("hdf1", "HDF1"),
            Column("ddx_grade", "DDx grade"),
            Column("rubric_total", "Rubric total"),
        ),
        ("diagnosis",),
        before="top_5",
        after="hdf1",
    ),
    Preset(
        "hddx",
        "H-DDx",
        ("extract_ddx", "map_to_icd10", "judge_equivalence_ddx"),
        (
            Column("top_1", "Top-1"),
            Column("top_3", "Top-3"),
            Column("top_5", "Top-5"),
            Column("hdp", "HDP"),
            Column("hdr", "HDR"),
            Column("hdf1", "HDF1"),
        ),
        ("diagnosis", "ddx"),
        {"truth": "ddx"},
        before="top_5",
        after="hdf1",
    ),
    Preset(
        "dermcase",
        "DermCase",
        (
            "extract_final_diagnosis",
            "extract_ddx",
            "judge_equivalence",
            "semantic",
            "text_overlap",
            "score_rubric",
            "label_errors",
        ),
        (
            Column("final_accuracy", "Accuracy"),
            Column("semantic_precision", "Precision"),
            Column("semantic_recall", "Recall"),
            Column("semantic_f1", "F1"),
            Column("semantic_jaccard", "Jaccard"),
            Column("answered_ddx", "Coverage"),
            Column("bleu", "BLEU"),
            Column("meteor", "METEOR"),
            Column("rouge_l", "ROUGE-L"),
            Column("bert_score", "BERTScore"),
            *_RUBRIC,
        ),
        ("diagnosis", "ddx"),
        {"style": "correct", "truth": "ddx", "errors_of": "wrong"},
        before="final_accuracy",
        after="rubric_total",
    ),
    Preset(
        "medsyn",
        "MEDSYN",
        (
            "extract_final_diagnosis",
            "extract_ddx",
            "grade_ddx",
            "grade_final_diagnosis",
            "match_option",
            "ablations",
            "evidence_sensitivity",
        ),
        (
            Column("ddx_coverage", "DDx coverage"),
            Column("ddx_grade", "DDx mean grade"),
            Column("choice_accuracy", "FDx accuracy"),
            Column("ddx_fdx_gap", "Gap"),
            Column("final_grade", "Open FDx grade"),
        ),
        ("diagnosis",),
        before="ddx_coverage",
        after="choice_accuracy",
    ),
    Preset(
        "healthbench",
        "HealthBench",
        ("judge_criteria",),
        (
            Column("criteria_score", "Score"),
            Column("axis: *", "Axis"),
            Column("physician_f1", "Physicians"),
        ),
        ("criteria",),
    ),
    Preset(
        "pairwise",
        "Pairwise comparison",
        ("choose_better",),
        (
            Column("strength", "Strength"),
            Column("win_rate", "Win rate"),
            Column("order_flips", "Order flips"),
        ),
        (),
    ),
    Preset(
        "choice",
        "Multiple choice",
        ("match_option",),
        (
            Column("choice_accuracy", "", by="category"),
            Column("choice_accuracy", "Accuracy"),
        ),
        ("question", "answer"),
    ),
    Preset(
        "mediconfusion",
        "MediConfusion",
        ("score_free_answer",),
        (
            Column("set_accuracy", "Set accuracy"),
            Column("individual_accuracy", "Individual accuracy"),
            Column("confusion", "Confusion"),
        ),
        ("pair", "question", "answer"),
        before="individual_accuracy",
        after="set_accuracy",
    ),
    Preset(
        "medlesionvqa",
        "MedLesionVQA",
        ("match_option", "score_open_answer", "label_errors"),
        (
            Column("answer_score", "", by="ability"),
            Column("choice_score", "Choice"),
            Column("open_score", "Open"),
            Column("answer_score", "Overall"),
            Column("answer_score_macro", "Macro mean"),
        ),
        ("question", "answer"),
        {"taxonomy": "medlesionvqa", "multiple": True, "errors_of": "wrong"},
        before="choice_score",
        after="open_score",
    ),
)


def find_preset(name: str) -> Preset:
    """Return the preset of this name. Raises UsageError that lists the names."""
    names = {preset.name: preset for preset in PRESETS}
    if name in names:
        return names[name]
    hint = did_you_mean(name, names, f"there are {', '.join(names)}")
    raise UsageError(f"no preset {name!r}; {hint}")


def main_columns(settings: Settings) -> tuple[Column, ...]:
    """The columns of the main table: those of the settings, or else of the preset and the tasks.

    A task that the settings add to those of the preset adds its columns too.

    Raises UsageError for a column that no task of the settings fills, and for a task that does
    not exist.
    """
    preset = find_preset(settings.preset)
    known = fillable(settings)
    if settings.columns is not None:
        return tuple(_titled(column, known) for column in settings.columns)
    columns = [column for column in preset.columns if _fitting(column, known)]
    for task in tasks_of(settings) if settings.tasks != preset.tasks else ():
        own = task.columns(settings)
        if not any(one.covers(column.metric) for column in columns for one in own):
            columns += own
    return tuple(_titled(column, known) for column in columns)


def title_of(settings: Settings) -> str:
    """The title of an evaluation: that of its preset, or its tasks where they are others."""
    preset = find_preset(settings.preset)
    tasks = [task.name for task in tasks_of(settings)]
    if tasks and not {*preset.tasks} <= {*tasks}:
        return ", ".join(tasks)
    added = [name for name in tasks if name not in preset.tasks]
    return f"{preset.title} with {', '.join(added)}" if added else preset.title


def _fitting(column: Column, known: Sequence[Column]) -> Column | None:
    """The first column of a task that covers this column; None without one."""
    return next((one for one in known if one.covers(column.metric)), None)


def _titled(column: Column, known: Sequence[Column]) -> Column:
    """The column with a title: its own, or else that of the task which fills it."""
    filled = _fitting(column, known)
    if filled is None:
        listed = ", ".join(dict.fromkeys(one.metric for one in known)) or "none"
        metrics = [one.metric for one in known]
        hint = did_you_mean(column.metric, metrics, f"the tasks fill {listed}")
        raise UsageError(
            f"evaluation settings: columns: no task fills the column {column.metric!r}; {hint}"
        )
    if column.title or column.by:
        return column
    return replace(
        column,
        title=filled.title_of(column.metric) if filled.metric != column.metric else filled.title,
    )
