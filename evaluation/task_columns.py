"""Columns of the main table that depend on the settings."""

from ..prompts.data import load_rubric, load_taxonomy
from .settings import Column, Settings


def top_columns(settings: Settings) -> tuple[Column, ...]:
    """Top-k accuracies."""
    return tuple(Column(f"top_{k}", f"Top-{k}") for k in settings.top)


def rubric_columns(settings: Settings) -> tuple[Column, ...]:
    """Points in all and on each dimension."""
    dimensions = load_rubric(settings.rubric).dimensions
    return (
        Column("rubric_total", "Rubric total"),
        *(Column(f"rubric_{each.name}", each.title) for each in dimensions),
    )


def error_columns(settings: Settings) -> tuple[Column, ...]:
    """A share for each category of the taxonomy."""
    categories = load_taxonomy(settings.taxonomy).categories
    return tuple(Column(f"error: {each.name}", f"Error: {each.name}") for each in categories)


def choice_columns(settings: Settings) -> tuple[Column, ...]:
    """Scores of choices, and their distance from the coverage of the differential."""
    if settings.multiple:
        return Column("choice_score", "Choice"), Column("answer_score", "Overall")
    accuracy = Column("choice_accuracy", "Choice accuracy")
    with_gap = "grade_ddx" in settings.tasks
    return (accuracy, Column("ddx_fdx_gap", "Gap")) if with_gap else (accuracy,)


def open_columns(settings: Settings) -> tuple[Column, ...]:
    """Scores of open answers."""
    overall = (Column("answer_score", "Overall"),) if settings.multiple else ()
    return (Column("open_score", "Open"), *overall)
