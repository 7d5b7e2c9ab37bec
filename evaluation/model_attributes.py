"""Reads the attributes of models, such as type and size, from a table or from the responses."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..files.forms import Form
from .cases import Source
from .cells import text_of
from .read import Data, is_path, read_rows

Attributes = dict[str, dict[str, str]]
"""Model -> attribute -> group."""


def read_models(data: Data, form: Form | None = None) -> Attributes:
    """Read a table with a row for each model: a column `model`, and a column for each attribute.

    Raises InputError for a table without these columns, and for a model with two rows.
    """
    name = str(data) if is_path(data) else "models"
    models: Attributes = {}
    for number, row in enumerate(read_rows(data, form), 1):
        model = text_of(row.get("model"))
        if not model:
            raise InputError(f"{name}, row {number}: the column model is missing or empty")
        if model in models:
            raise InputError(f"{name}, row {number}: a second row for the model {model!r}")
        cells = {column: text_of(value) for column, value in row.items() if column != "model"}
        models[model] = {column: text for column, text in cells.items() if text}
    if not any(models.values()):
        raise InputError(f"{name} has no attribute: add a column such as type or size")
    return models


def with_columns(
    models: Mapping[str, Mapping[str, str]], sources: Mapping[str, Source], columns: Sequence[str]
) -> Attributes:
    """Add the attributes that stand in columns of the responses.

    Raises InputError for a column that no responses have, and for a model with two values.
    """
    attributes = {model: dict(own) for model, own in models.items()}
    for column in columns:
        for model, source in sources.items():
            values = dict.fromkeys(filter(None, (text_of(row.get(column)) for row in source.rows)))
            if len(values) > 1:
                listed = ", ".join(values)
                raise InputError(f"{source.name}: the model {model} has several {column}: {listed}")
            for value in values:
                attributes.setdefault(model, {})[column] = value
        if not any(column in own for own in attributes.values()):
            raise InputError(f"no responses have the column {column!r} of the models")
    return attributes


def about_models(attributes: Mapping[str, Any], models: Sequence[str]) -> list[str]:
    """Sentences on models without attributes, and on attributes without a model."""
    if not attributes:
        return []
    without = [model for model in models if not attributes.get(model)]
    unknown = [model for model in attributes if model not in models]
    notes = []
    if without:
        notes.append(f"no attribute is known of the models {', '.join(without)}")
    if unknown:
        notes.append(f"no responses are there of the models {', '.join(unknown)}")
    return notes
