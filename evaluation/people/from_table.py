"""Read what people rate from a table: rows for one step, or rows that name theirs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.images import Image
from ...agents.stand_ins import ALWAYS
from ...agents.step import Step
from ...agents.steps import STEPS, VARIANTS, find_step
from ...errors import DxjudgeError, InputError, UsageError
from ...files.cells import is_empty, plain_text
from ...files.forms import Form
from ...files.nearest import did_you_mean
from ...files.rows_in import Sheet, read_sheet
from ...graphs.case_names import case_names
from ...graphs.jury.votes_file import COLUMNS
from ...graphs.row_inputs import field_columns, given_values, row_inputs
from .to_rate import Found, ToRate

STEP = "step"
_LONGEST_GROUP = 100
_NAMES = ("model", "judge")


@dataclass(frozen=True)
class Reading:
    """How a table is read: the step of all rows, its columns and constants, the names of cases."""

    step: str | None = None
    fields: Sequence[str] = ()
    given: Sequence[str] = ()
    case: str | None = None
    form: Form = Form()


def read_to_rate(path: str, how: Reading) -> Found:
    """Return the items of a table.

    With `how.step` every row is for this step. Otherwise the column `step` names a step of
    dxjudge for each row, and a step of your own is not run because a table names it.

    Raises UsageError and InputError, each naming the file, for a table without a step, a column
    that is missing, or a step without a verdict.
    """
    sheet = read_sheet(path, how.form, list_allowed=False)
    cases = _case_names(sheet, how.case)
    items: list[ToRate | str] = [""] * len(sheet.rows)
    for step, places in _steps(sheet, how).items():
        own = replace(sheet, rows=[sheet.rows[at] for at in places])
        rows = _read(step, own, how, Path(path).parent, [cases[at] for at in places])
        for at, row in zip(places, rows, strict=True):
            items[at] = row
    hidden = {
        str(row[at]).strip()
        for name in _NAMES
        for at, column in enumerate(sheet.columns)
        if column == name
        for row in sheet.rows
    }
    return Found(
        tuple(one for one in items if isinstance(one, ToRate)),
        tuple(one for one in items if isinstance(one, str)),
        frozenset(hidden - {"", "human"}),
    )


def _case_names(sheet: Sheet, column: str | None) -> list[str]:
    if column is None and "id" not in sheet.columns and "case" in sheet.columns:
        cells = [str(row[sheet.columns.index("case")]) for row in sheet.rows]
        if len(set(cells)) == len(cells) and max(map(len, cells), default=0) < _LONGEST_GROUP:
            return case_names(sheet, "case")
    return case_names(sheet, column)


def _steps(sheet: Sheet, how: Reading) -> dict[Step[Any, Any], list[int]]:
    """Return the places of the rows of each step."""
    if how.step is not None:
        return {_with_verdict(find_step(how.step)): list(range(len(sheet.rows)))}
    if STEP not in sheet.columns:
        raise UsageError(
            f"{sheet.name} has no column {STEP!r}: name the step whose verdict people give with "
            "--step, for example --step grade_ddx (dxjudge steps lists them)"
        )
    listed = {one.prompt_name: one for one in (*STEPS, *VARIANTS)}
    places: dict[Step[Any, Any], list[int]] = {}
    column = sheet.columns.index(STEP)
    for at, row in enumerate(sheet.rows):
        name = "" if is_empty(row[column]) else str(row[column]).strip()
        if name not in listed:
            hint = did_you_mean(name, listed, "--step FILE.py:NAME names a step of your own")
            raise InputError(f"{sheet.name}, row {at + 1}: no step {name!r}; {hint}")
        places.setdefault(_with_verdict(listed[name]), []).append(at)
    return places


def _with_verdict(step: Step[Any, Any]) -> Step[Any, Any]:
    step.demand_verdict()
    return step


def _read(
    step: Step[Any, Any],
    sheet: Sheet,
    how: Reading,
    folder: Path,
    cases: Sequence[str],
) -> list[ToRate | str]:
    constants = given_values(step, how.given)
    column_of = field_columns(step, sheet, how.fields, constants)
    rows = row_inputs(step, sheet, column_of, constants)
    return [
        _item(step, inputs, folder, case, _groups(sheet, row, set(column_of.values())))
        for inputs, row, case in zip(rows, sheet.rows, cases, strict=True)
    ]


def _item(
    step: Step[Any, Any], inputs: dict[str, Any], folder: Path, case: str, groups: dict[str, str]
) -> ToRate | str:
    try:
        typed = step.read_input(_in_folder(inputs, folder) if step.images else inputs)
    except DxjudgeError as fault:
        return f"case {case}: {fault}"
    decided = by_code(step, typed)
    if decided:
        return f"case {case}: {decided}"
    return ToRate(step, step.name, case, typed, groups)


def by_code(step: Step[Any, Any], inputs: Any) -> str:
    """Return why an item needs no judge at all, because code decides it; "" if it needs one."""
    rule = step.stand_ins.get(ALWAYS)
    if rule is None or rule(inputs) is None:
        return ""
    return f"code decides {step.name} here (an empty or broken text); nobody is asked"


def _in_folder(inputs: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the inputs with paths of images that begin at the folder of the table."""
    images = inputs.get("images")
    if not isinstance(images, list | tuple):
        return inputs
    moved = [
        Image(path=folder / one.path)
        if isinstance(one, Image) and one.path is not None and not one.path.is_absolute()
        else one
        for one in images
    ]
    return {**inputs, "images": moved}


def _groups(sheet: Sheet, row: Sequence[Any], read: set[int]) -> dict[str, str]:
    """Return the short cells that are neither fields nor columns of votes: groups of the votes."""
    cells = {
        name: plain_text(cell)
        for at, (name, cell) in enumerate(zip(sheet.columns, row, strict=True))
        if at not in read and name not in (*COLUMNS, "id") and not is_empty(cell)
    }
    return {name: cell for name, cell in cells.items() if len(cell) <= _LONGEST_GROUP}
