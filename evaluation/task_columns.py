"""The columns of the main table that depend on the settings."""

from ..prompts.load_data import load_rubric, load_taxonomy
from .settings import Column, Settings

_OVERALL = (Column("answer_score", "Overall"), Column("answer_score_macro", "Macro mean"))


def top_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of top-k accuracy, one for each k."""
    return tuple(Column(f"top_{k}", f"Top-{k}") for k in settings.top)


def rubric_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of the rubric's points: in total, and on each dimension."""
    dimensions = load_rubric(settings.rubric).dimensions
    return (
        Column("rubric_total", "Rubric total"),
        *(Column(f"rubric_{dimension.name}", dimension.title) for dimension in dimensions),
    )


def error_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of the share of responses with each category of error."""
    categories = load_taxonomy(settings.taxonomy).categories
    names = [category.name for category in categories]
    return tuple(Column(f"error: {name}", f"Error: {name}") for name in names)


def instance_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of the share of each category among all errors, and of the errors in a response."""
    categories = load_taxonomy(settings.taxonomy).categories
    return (
        *(Column(f"error instances: {one.name}", f"Instances: {one.name}") for one in categories),
        Column("errors_per_response", "Errors per response"),
    )


def choice_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of the scores of choices, and of the gap to the coverage of the differential."""
    if settings.multiple:
        return Column("choice_score", "Choice"), *_OVERALL
    accuracy = Column("choice_accuracy", "Choice accuracy")
    with_gap = "grade_ddx" in settings.tasks
    return (accuracy, Column("ddx_fdx_gap", "Gap")) if with_gap else (accuracy,)


def open_columns(settings: Settings) -> tuple[Column, ...]:
    """Columns of the scores of open answers."""
    return (Column("open_score", "Open"), *(_OVERALL if settings.multiple else ()))
