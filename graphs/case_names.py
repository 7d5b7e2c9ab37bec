"""What the rows of a file are called where their verdicts are votes."""

from ..errors import InputError, UsageError
from ..files.cells import is_empty
from ..files.rows_in import Sheet


def case_names(sheet: Sheet, column: str | None) -> list[str]:
    """The cells of a column, `id` where there is one; else the rows' numbers from 1.

    Raises UsageError for a column that does not exist; InputError, naming the row, for a cell
    that is empty or a name that is there twice.
    """
    wanted = column if column is not None else "id" if "id" in sheet.columns else None
    if wanted is None:
        return [str(number) for number in range(1, len(sheet.rows) + 1)]
    if wanted not in sheet.columns:
        raise UsageError(f"{sheet.name} has no column {wanted!r}: {', '.join(sheet.columns)}")
    place = sheet.columns.index(wanted)
    cells = (row[place] for row in sheet.rows)
    cases = ["" if is_empty(cell) else str(cell) for cell in cells]
    rows: dict[str, int] = {}
    for number, case in enumerate(cases, 1):
        if not case.strip() or case in rows:
            what = f"the same as in row {rows[case]}" if case in rows else "empty"
            raise InputError(
                f"{sheet.name}, row {number}: {wanted} is {what}; votes need a name for each "
                "row: name another column with --case"
            )
        rows[case] = number
    return cases
