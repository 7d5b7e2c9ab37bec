"""`dxjudge check-table`: check a published table against the identities it must keep."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files.counted import counted
from ..files.forms import FORMS_IN, Form
from .options import AsJson, Delimiter, Encoding, SheetName
from .terminal import completion

if TYPE_CHECKING:
    from ..evaluation.published import TableCheck


def check_table(
    table: Annotated[Path, typer.Argument(help=f"The table, a row for each model: {FORMS_IN}.")],
    preset: Annotated[
        str,
        typer.Option(
            autocompletion=completion.presets,
            help="The preset whose paper has this table: dermcase, hddx, ...",
        ),
    ],
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Check a published table against the identities that its numbers must keep.

    In: a table with the columns of the paper, under its titles or under our
    names. Out: a line for each number that cannot follow from the others,
    whatever was rounded: F1 from precision and recall, Jaccard from F1, a
    total from its parts.

    Exit code 3: a row breaks an identity, or lacks a number of one.

    Examples:
      dxjudge check-table table2.csv --preset dermcase
    """
    from ..errors import UsageError
    from ..evaluation.paper import load_paper
    from ..evaluation.presets import find_preset
    from ..evaluation.published import check_published
    from ..evaluation.read import read_rows
    from .exit_codes import SOME_FAILED
    from .terminal.printing import print_json

    paper = load_paper(find_preset(preset).name)
    if paper is None or not paper.identities:
        raise UsageError(f"the preset {preset} has no table with identities")
    rows = read_rows(table, Form(None, delimiter, encoding, sheet))
    check = check_published(rows, paper, str(table))
    for metric, column in check.columns.items():
        typer.echo(f"{column} is read as {metric}", err=True)
    for identity in check.unchecked:
        names = ", ".join((*identity.of, identity.gives))
        typer.echo(f"not checked: {identity.gives}, which needs {names}", err=True)
    for row in check.skipped:
        typer.echo(f"not checked: {row}", err=True)
    count = sum(check.checked.values())
    if as_json:
        print_json(_plain(check, len(rows)))
        raise typer.Exit(SOME_FAILED if check.broken or check.skipped else 0)
    for one in check.broken:
        violation = one.violation
        typer.echo(
            f"{one.row}: {check.columns[violation.identity.gives]} is {violation.printed:g}, but "
            f"{_say_law(violation.identity.law)} gives {violation.lowest:.4g} to "
            f"{violation.highest:.4g}"
        )
    typer.echo(
        f"{counted(count, 'identity', 'identities')} checked in {counted(len(rows), 'row')}, "
        f"{len(check.broken)} broken"
    )
    raise typer.Exit(SOME_FAILED if check.broken or check.skipped else 0)


def _plain(check: "TableCheck", rows: int) -> dict[str, Any]:
    broken = [
        {
            "row": one.row,
            "column": check.columns[one.violation.identity.gives],
            "law": one.violation.identity.law,
            "printed": one.violation.printed,
            "lowest": one.violation.lowest,
            "highest": one.violation.highest,
        }
        for one in check.broken
    ]
    return {
        "rows": rows,
        "checked": sum(check.checked.values()),
        "columns": check.columns,
        "not_checked": [*(one.gives for one in check.unchecked), *check.skipped],
        "broken": broken,
    }


def _say_law(law: str) -> str:
    return {
        "harmonic": "the harmonic mean of precision and recall",
        "jaccard": "F1 / (2 - F1)",
        "overlap": "P R / (P + R - P R) of precision and recall",
        "sum": "the sum of its parts",
        "pairs": "set accuracy + confusion / 2, where all answers are valid,",
        "rest": "what set accuracy leaves of 100 %",
    }[law]
