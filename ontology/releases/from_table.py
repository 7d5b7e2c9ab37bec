"""Read a release from the user's own table of codes, names, parents and terms, in any form."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import InputError
from ...files.rows_in import Sheet, column_texts, read_sheet
from ..release import Release, Rows
from .records import Record, rows_of


def read_table(
    path: str,
    *,
    code: str = "code",
    name: str = "name",
    parent: str = "parent",
    terms: str = "terms",
    level: str = "level",
    between: str = "|",
) -> Callable[[Release], Rows]:
    """Return a reader of a table, for `Release.read`; `path` starts at the release's folder.

    The file is CSV, TSV, JSON, Parquet or Excel. code, name, parent, terms, level: the names of its
    columns. The columns of codes and names are required. A code without a parent is a root. Terms
    are other names of a code, separated by `between`. A level is one of the release's levels; a
    row without one gets its level from its depth.

    The reader raises InputError, which names file and row, for a table whose codes do not form a
    tree (`rows_of`).
    """

    def read(release: Release) -> Rows:
        file = Path(str(release.folder.joinpath(path)))
        sheet = read_sheet(str(file), list_allowed=False)
        columns = [column.strip() for column in sheet.columns]
        for needed in (code, name):
            if needed not in columns:
                raise InputError(f"{file} needs a column {needed!r}; it has {', '.join(columns)}")
        if not sheet.rows:
            raise InputError(f"{file} has no row with a code")
        places = [
            columns.index(column) if column in columns else None
            for column in (code, name, parent, terms, level)
        ]
        return rows_of(_records(sheet, places, between), release, release.version)

    return read


def _records(sheet: Sheet, places: list[int | None], between: str) -> Iterator[Record]:
    """Yield a record for each row; `places` of code, name, parent, terms and level."""
    nothing = [""] * len(sheet.rows)
    cells = [nothing if place is None else column_texts(sheet, place) for place in places]
    for row, (code, name, parent, terms, level) in enumerate(zip(*cells, strict=True)):
        yield Record(
            sheet.place(row),
            code.strip(),
            name.strip(),
            parent.strip(),
            tuple(filter(None, (term.strip() for term in terms.split(between)))),
            level.strip(),
        )
