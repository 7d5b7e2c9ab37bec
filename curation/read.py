"""Read case reports from a folder of HTML and text files, or from a table."""

from pathlib import Path

from ..errors import InputError
from ..files.bytes import decode, read_bytes
from ..files.forms import Form
from ..files.rows_in import column_texts, read_sheet
from .reports import Report

SUFFIXES = (".html", ".htm", ".txt", ".md")
COLUMNS = ("report", "html", "text")


def read_reports(source: str, form: Form | None = None) -> list[Report]:
    """Read the reports of a folder (one in each file) or of a table (one in each row).

    A report of a folder is named after its file. A table has a column `report`, `html` or `text`,
    and may have a column `id`; without it, the reports are numbered from 1. The other columns are
    `about` the report. Raises InputError for
    a file that cannot be read, a folder without a report, and a table without such a column; the
    message names the file and row.
    """
    folder = Path(source)
    if folder.is_dir():
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
        if not files:
            raise InputError(f"{source} has no report; reports end in {', '.join(SUFFIXES)}")
        encoding = form.encoding if form else None
        return [
            Report(path.stem, decode(read_bytes(path), str(path), encoding), folder=folder)
            for path in files
        ]
    sheet = read_sheet(source, form or Form(), list_allowed=False)
    named = [column for column in COLUMNS if column in sheet.columns]
    if len(named) != 1:
        raise InputError(
            f"{sheet.name} needs one column of {', '.join(COLUMNS)}; it has "
            f"{', '.join(sheet.columns)}"
        )
    texts = column_texts(sheet, sheet.columns.index(named[0]))
    if "id" in sheet.columns:
        ids = column_texts(sheet, sheet.columns.index("id"))
    else:
        ids = [str(number) for number in range(1, len(texts) + 1)]
    for number, name in enumerate(ids, 1):
        if not name.strip():
            raise InputError(f"{sheet.name}, row {number}: the id is empty")
    read = ("id", named[0])
    about = [
        {name: cell for name, cell in zip(sheet.columns, row, strict=True) if name not in read}
        for row in sheet.rows
    ]
    return [
        Report(name, text, cells, folder.parent)
        for name, text, cells in zip(ids, texts, about, strict=True)
    ]
