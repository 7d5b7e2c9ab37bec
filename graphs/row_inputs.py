"""Read the inputs of a step from the columns of a file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..agents.images import images_of
from ..agents.step import Step
from ..errors import InputError, UsageError
from ..files.cells import is_empty, plain_text
from ..files.frames import frame_columns, frame_rows
from ..files.json_text import load_cell
from ..files.nearest import did_you_mean, nearest, no_column
from ..files.rows_in import Sheet
from ..files.sequences import Lazy
from ..ontology.reading.several import split_diagnoses

# Fields that name a data file. A column with such a name is used only if --set names it.
_DATA = {"rubric", "taxonomy", "scale", "rules"}


def field_columns(
    step: Step[Any, Any], sheet: Sheet, named: Sequence[str], given: Mapping[str, Any]
) -> dict[str, int]:
    """Return the place of each field's column: named by `FIELD=COLUMN`, or with the same name.

    Raises UsageError, which lists the columns, for a field or column that does not exist, or a
    required field without a column.
    """
    places: dict[str, int] = {}
    for field, column in _pairs(step, named, "--set").items():
        if column not in sheet.columns:
            raise UsageError(no_column(sheet.name, column, sheet.columns))
        if field in given:
            raise UsageError(f"{field} is in both --set and --give; name it only once")
        places[field] = sheet.columns.index(column)
    folded = [_bare(column) for column in sheet.columns]
    for field in step.input.model_fields:
        if field in places or field in given or field in _DATA:
            continue
        alike = [place for place, name in enumerate(folded) if name == _bare(field)]
        if len(alike) > 1:
            names = " or ".join(repr(sheet.columns[place]) for place in alike)
            raise UsageError(f"{field} may be {names} of {sheet.name}; choose one with --set")
        if alike:
            places[field] = alike[0]
    _check_needed(step, sheet, places, given)
    return places


def given_values(step: Step[Any, Any], given: Sequence[str]) -> dict[str, Any]:
    """Return the fields that all rows share, from `FIELD=VALUE`.

    Raises UsageError for a text without "=", an unknown field, a field that is named twice, or a
    value that the field cannot have: it would fail every row.
    """
    pairs = _pairs(step, given, "--give")
    values = {field: read_field(step, field, value) for field, value in pairs.items()}
    for field, value in values.items():
        _check_given(step, field, value)
    return values


def _check_given(step: Step[Any, Any], field: str, value: Any) -> None:
    with suppress(KeyError, AttributeError):  # a validator that wants other fields too
        try:
            step.input.model_validate({field: value})
        except ValidationError as fault:
            faults = fault.errors(include_url=False, include_input=False, include_context=False)
            own = [error["msg"] for error in faults if error["loc"][:1] == (field,)]
            if own:
                raise UsageError(f"--give {field}: {'; '.join(own)}") from fault


def row_inputs(
    step: Step[Any, Any], sheet: Sheet, places: Mapping[str, int], given: Mapping[str, Any]
) -> Sequence[dict[str, Any]]:
    """Return the inputs of every row, read when they are asked for; they are not validated yet."""

    def read(number: int) -> dict[str, Any]:
        row = sheet.rows[number]
        cells = ((field, _cell(step, field, row[place])) for field, place in places.items())
        return {**given, **{field: value for field, value in cells if value is not None}}

    return Lazy(len(sheet.rows), read)


def frame_inputs(
    step: Step[Any, Any], frame: Any, named: Sequence[str], given: Mapping[str, Any]
) -> Sequence[dict[str, Any]]:
    """Return the inputs of every row of a frame; `named` and `given` as in `field_columns`.

    Raises UsageError as `field_columns` does.
    """
    rows = frame_rows(frame)
    columns = frame_columns(frame)
    cells = [[row[name] for name in columns] for row in rows]
    sheet = Sheet("the frame", "csv", columns, cells)
    return row_inputs(step, sheet, field_columns(step, sheet, named, given), given)


def _cell(step: Step[Any, Any], field: str, cell: Any) -> Any:
    """Return a cell as a value of the field; None for an empty cell of a field with a default."""
    if is_empty(cell):
        known = step.input.model_fields[field]
        return "" if known.is_required() and known.annotation is str else None
    return read_field(step, field, cell)


def read_field(step: Step[Any, Any], field: str, value: Any) -> Any:
    """Read a cell as a value of a field of the step's input: text, a list in any form, or JSON."""
    if field == "images" and step.images:
        return _images(value)
    annotation = step.input.model_fields[field].annotation
    if annotation is str:
        # A list or an object is no text: the row fails alone, when its input is validated.
        return value if isinstance(value, list | dict) else plain_text(value)
    if isinstance(value, dict):  # in Parquet, every row has the keys of all rows
        return {key: entry for key, entry in value.items() if entry is not None}
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith(("[", "{")):
        try:
            return load_cell(value)
        except ValueError:
            return value
    if annotation == tuple[str, ...]:
        return split_diagnoses(value)
    return value


def _images(cell: Any) -> Any:
    try:
        return images_of(cell, Path(), "images")
    except InputError:
        return cell  # the row fails alone, when its input is validated


def _pairs(step: Step[Any, Any], texts: Sequence[str], option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not equals or field not in step.input.model_fields:
            known = ", ".join(step.input.model_fields)
            fields = f"the fields of {step.prompt_name} are {known}"
            hint = did_you_mean(field, step.input.model_fields, f"write FIELD=..., {fields}")
            raise UsageError(f"{option} {text!r}: {hint}")
        if field in pairs:
            raise UsageError(f"{option} names {field} twice; name it only once")
        pairs[field] = value
    return pairs


def _check_needed(
    step: Step[Any, Any], sheet: Sheet, places: Mapping[str, int], given: Mapping[str, Any]
) -> None:
    needed = [name for name, field in step.input.model_fields.items() if field.is_required()]
    missing = [name for name in needed if name not in places and name not in given]
    if missing:
        unread = [name for place, name in enumerate(sheet.columns) if place not in places.values()]
        likely = {name: nearest(name, unread) for name in missing}
        hints = " ".join(f"--set {name}={column}" for name, column in likely.items() if column)
        raise UsageError(
            f"{step.prompt_name} needs {', '.join(missing)}: name the columns with "
            f"--set {missing[0]}=COLUMN; {f'did you mean {hints}? ' if hints else ''}"
            f"{sheet.name} has {', '.join(sheet.columns)}"
        )


def _bare(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
