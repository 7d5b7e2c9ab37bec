"""A release from a table of a user's own: code, name, parent and terms, in any form of table."""

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
    """A reader of a table in a file beside the release's own, as `Release.read`.

    The file is CSV, TSV, JSON, Parquet or Excel. code, name, parent, terms, level: the names of its
    columns. Code and name are needed. Without a parent a code is a root. Terms, parted by
    `between`, are what else a code is called. The level is one of the release's; where there is
    none, the depth says it.

    The reader raises InputError that names file and row for a table that is no tree (`rows_of`).
    """

    def read(release: Release) -> Rows:
        file = Path(str(release.folder.joinpath(path)))
        sheet = read_sheet(str(file), list_allowed=False)
        columns = [column.strip() for column in sheet.columns]
        for needed in (code, name):
            if needed not in columns:
                raise InputError(f"{file} needs a column {needed!r}; it has {', '.join(columns)}")
        if not sheet.rows:
            raise InputError(f"{file} holds no code")
        places = [
            columns.index(column) if column in columns else None
            for column in (code, name, parent, terms, level)
        ]
        return rows_of(_records(sheet, places, between, file), release, release.version)

    return read


def _records(sheet: Sheet, places: list[int | None], between: str, file: Path) -> Iterator[Record]:
    """A record for each row; `places` are those of code, name, parent, terms and level."""
    nothing = [""] * len(sheet.rows)
    cells = [nothing if place is None else column_texts(sheet, place) for place in places]
    for row, (code, name, parent, terms, level) in enumerate(zip(*cells, strict=True)):
        yield Record(
            f"{file}, {sheet.place(row)}",
            code.strip(),
            name.strip(),
            parent.strip(),
            tuple(filter(None, (term.strip() for term in terms.split(between)))),
            level.strip(),
        )
