"""A release from a table of a user's own: TSV or CSV of code, name, parent and terms."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import InputError
from ...files.bytes import decode, read_bytes
from ...files.delimited import Delimited, parse_delimited
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

    code, name, parent, terms, level: the names of its columns. Code and name are needed. Without
    a parent a code is a root. Terms, parted by `between`, are what else a code is called. The level
    is one of the release's; where there is none, the depth says it.

    The reader raises InputError that names file and row for a table that is no tree (`rows_of`).
    """

    def read(release: Release) -> Rows:
        file = Path(str(release.folder.joinpath(path)))
        text = decode(read_bytes(file), str(file), hint="save it as UTF-8")
        cells = parse_delimited(text, str(file), "\t" if "\t" in text.partition("\n")[0] else None)
        columns = [column.strip() for column in cells.columns]
        for needed in (code, name):
            if needed not in columns:
                raise InputError(f"{file} needs a column {needed!r}; it has {', '.join(columns)}")
        if not cells.rows:
            raise InputError(f"{file} holds no code")
        names = {"code": code, "name": name, "parent": parent, "terms": terms, "level": level}
        return rows_of(_records(cells, columns, names, between, file), release, release.version)

    return read


def _records(
    cells: Delimited, columns: list[str], names: dict[str, str], between: str, file: Path
) -> Iterator[Record]:
    for number, (line, row) in enumerate(zip(cells.lines, cells.rows, strict=True), 1):
        of_row = dict(zip(columns, row, strict=True))
        cell = {field: of_row.get(column, "").strip() for field, column in names.items()}
        yield Record(
            f"{file}, row {number} (line {line})",
            cell["code"],
            cell["name"],
            cell["parent"],
            tuple(filter(None, (term.strip() for term in cell["terms"].split(between)))),
            cell["level"],
        )
