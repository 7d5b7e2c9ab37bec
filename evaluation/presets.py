"""The evaluations of the five systems, and the general one: tasks and main tables as data."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from .settings import Column, Task


@dataclass(frozen=True)
class Preset:
    """What a system's evaluation runs, and the columns of its main table.

    `needs` names the columns without which a case file is of another kind. `before` and
    `after` are the two metrics whose rankings are compared.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
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
        {"style": "correct", "truth": "ddx"},
        before="final_accuracy",
        after="rubric_total",
    ),
    Preset(
        "medsyn",
        "MEDSYN",
        ("extract_ddx", "grade_ddx", "match_option", "evidence_sensitivity"),
        (
            Column("ddx_coverage", "DDx coverage"),
            Column("ddx_grade", "DDx mean grade"),
            Column("choice_accuracy", "FDx accuracy"),
            Column("ddx_fdx_gap", "Gap"),
        ),
        ("diagnosis",),
        before="ddx_coverage",
        after="choice_accuracy",
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
        ),
        ("question", "answer"),
        {"taxonomy": "medlesionvqa"},
        before="choice_score",
        after="open_score",
    ),
)


def find_preset(name: str) -> Preset:
    """The preset of this name. Raises UsageError that lists the names."""
    names = {preset.name: preset for preset in PRESETS}
    if name in names:
        return names[name]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
    raise UsageError(f"no preset {name!r}; {hint}")
