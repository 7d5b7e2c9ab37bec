"""From the columns of a file to the inputs of a step."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..agents.step import Step
from ..errors import UsageError
from ..files.cells import is_empty
from ..files.rows_in import Sheet
from ..ontology.reading.query import split_diagnoses

# Fields that name a data file: a column of that name is taken only where --set says so.
_DATA = {"rubric", "taxonomy", "scale", "rules"}


def field_columns(
    step: Step[Any, Any], sheet: Sheet, named: Sequence[str], given: Mapping[str, Any]
) -> dict[str, int]:
    """Field -> place of its column: those named by `FIELD=COLUMN`, then those of the same name.

    Raises UsageError, listing the columns, for a field or column that does not exist, or a
    field that is needed and has none.
    """
    places: dict[str, int] = {}
    for field, column in _pairs(step, named, "--set").items():
        if column not in sheet.columns:
            raise UsageError(
                f"{sheet.name} has no column {column!r}; there are: {', '.join(sheet.columns)}"
            )
        if field in given:
            raise UsageError(f"{field} has values of both --set and --give: one of them counts")
        places[field] = sheet.columns.index(column)
    folded = [_bare(column) for column in sheet.columns]
    for field in step.input.model_fields:
        if field in places or field in given or field in _DATA:
            continue
        alike = [place for place, name in enumerate(folded) if name == _bare(field)]
        if len(alike) > 1:
            names = " or ".join(repr(sheet.columns[place]) for place in alike)
            raise UsageError(f"{field} may be {names} of {sheet.name}: say which with --set")
        if alike:
            places[field] = alike[0]
    _check_needed(step, sheet, places, given)
    return places


def given_values(step: Step[Any, Any], given: Sequence[str]) -> dict[str, Any]:
    """The fields that every row shares, from `FIELD=VALUE`. Raises UsageError."""
    pairs = _pairs(step, given, "--give")
    return {field: read_field(step, field, value) for field, value in pairs.items()}


def row_inputs(
    step: Step[Any, Any], sheet: Sheet, places: Mapping[str, int], given: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The inputs of every row, as they came; the step validates them."""
    return [
        {
            **given,
            **{
                field: value
                for field, place in places.items()
                if (value := _cell(step, field, row[place])) is not None
            },
        }
        for row in sheet.rows
    ]


def _cell(step: Step[Any, Any], field: str, cell: Any) -> Any:
    """A cell as the field takes it; None for an empty cell of a field with a default."""
    if is_empty(cell):
        known = step.input.model_fields[field]
        return "" if known.is_required() and known.annotation is str else None
    return read_field(step, field, cell)


def read_field(step: Step[Any, Any], field: str, value: Any) -> Any:
    """A cell as a field of the step's input takes it: text, a list in any of its forms, JSON."""
    annotation = step.input.model_fields[field].annotation
    if annotation is str:
        return value if isinstance(value, str) else str(value)
    if isinstance(value, dict):  # Parquet gives every row the keys of all
        return {key: each for key, each in value.items() if each is not None}
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if annotation == tuple[str, ...]:
        return split_diagnoses(value)
    return value


def _pairs(step: Step[Any, Any], texts: Sequence[str], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not equals or field not in step.input.model_fields:
            known = ", ".join(step.input.model_fields)
            raise UsageError(
                f"{option} {text!r}: write FIELD=..., the fields of {step.prompt_name} are {known}"
            )
        if field in pairs:
            raise UsageError(f"{option} names {field} twice: one of them counts")
        pairs[field] = value
    return pairs


def _check_needed(
    step: Step[Any, Any], sheet: Sheet, places: Mapping[str, int], given: Mapping[str, Any]
) -> None:
    needed = [name for name, field in step.input.model_fields.items() if field.is_required()]
    missing = [name for name in needed if name not in places and name not in given]
    if missing:
        raise UsageError(
            f"{step.prompt_name} needs {', '.join(missing)}: name the columns with "
            f"--set {missing[0]}=COLUMN; {sheet.name} has {', '.join(sheet.columns)}"
        )


def _bare(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
