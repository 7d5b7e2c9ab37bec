"""`dxjudge curate export`: questions in the forms of other tools, with a data card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..options import AsJson, Delimiter, Encoding, InputFormat, SheetName
from ..terminal import completion

Questions = Annotated[
    str,
    typer.Argument(metavar="QUESTIONS", help="The questions, as `dxjudge evaluate` reads them."),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
]
FormName = Annotated[
    str,
    typer.Option(
        "--form",
        help="datasets (a file for each split, and a data card), inspect (samples of inspect_ai) "
        "or vlmevalkit (a TSV table with the images).",
    ),
]
Chapters = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="A column with diagnoses; the rows get the column chapter, that of ICD-10-CM.",
    ),
]
Title = Annotated[
    str | None, typer.Option(help="The name of the data set. By default that of the file.")
]


def export(
    questions: Questions,
    output: Output,
    form: FormName,
    title: Title = None,
    chapters: Chapters = None,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Write questions in the form of another tool.

    The data card of the form datasets is counted from the rows: splits, groups,
    chapters, right options, and what is solved without the image. balance.svg
    draws the groups.

    Examples:
      dxjudge curate export pairs/questions.jsonl -o hub --form datasets
    """
    from ...curation.exports import FORMS, export_rows
    from ...errors import UsageError
    from ...files.forms import Form
    from ...files.rows_in import read_sheet, records
    from ..terminal.facts import named, tell

    if form not in FORMS:
        raise UsageError(f"--form {form!r} is not one of {', '.join(FORMS)}")
    given = Form(input_format, delimiter, encoding, sheet)
    rows = records(read_sheet(questions, given, list_allowed=False))
    if chapters is not None:
        rows = _with_chapters(rows, chapters, questions)
    source = Path(questions)
    paths = export_rows(rows, form, output, source.parent, title or source.stem)
    tell(named(("written", path) for path in paths), as_json=as_json)


def _with_chapters(
    rows: Sequence[Mapping[str, Any]], column: str, name: str
) -> list[Mapping[str, Any]]:
    from ...errors import UsageError
    from ...files.nearest import no_column
    from ...graphs.codes import chapters_of
    from ...graphs.mapper import Mapper

    columns = list(dict.fromkeys(key for row in rows for key in row))
    if column not in columns:
        raise UsageError(no_column(name, column, columns))
    chapter = chapters_of(Mapper())
    return [{**row, "chapter": chapter(str(row.get(column) or ""))} for row in rows]
