"""Name the cases of a file's rows, so that their verdicts can be votes."""

from ..errors import InputError, UsageError
from ..files.cells import is_empty, plain_text
from ..files.nearest import no_column
from ..files.rows_in import Sheet


def case_names(sheet: Sheet, column: str | None) -> list[str]:
    """Return the case names of a sheet: the cells of a column, or the rows' numbers from 1.

    column: the column to use; None for the column `id`, if there is one. Raises UsageError for a
    column that does not exist, and InputError (the message names the row) for an empty cell or a
    repeated name.
    """
    wanted = column if column is not None else "id" if "id" in sheet.columns else None
    if wanted is None:
        return [str(number) for number in range(1, len(sheet.rows) + 1)]
    if wanted not in sheet.columns:
        raise UsageError(no_column(sheet.name, wanted, sheet.columns))
    place = sheet.columns.index(wanted)
    cells = (row[place] for row in sheet.rows)
    cases = ["" if is_empty(cell) else plain_text(cell) for cell in cells]
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
