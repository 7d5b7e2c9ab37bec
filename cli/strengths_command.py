"""`dxjudge strengths`: strengths of models from a table of comparisons of two."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT, Form
from .options import AsJson, Delimiter, Encoding, SheetName
from .terminal import completion


def strengths(
    votes: Annotated[
        Path,
        typer.Argument(
            help=f"The comparisons: {FORMS_IN}, with the columns case, a, b and winner."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help=f"The file to write the strengths to: {FORMS_OUT}."),
    ] = None,
    differences: Annotated[
        Path | None,
        typer.Option(help="The file to write the difference of every two strengths to."),
    ] = None,
    case: Annotated[
        str, typer.Option(autocompletion=completion.columns, help="The column that names the case.")
    ] = "case",
    level: Annotated[float, typer.Option(help="The level of the intervals.")] = 0.95,
    boot: Annotated[int, typer.Option(min=1, help="How many resamples the intervals use.")] = 2000,
    seed: Annotated[int, typer.Option(help="The seed of the resampling.")] = 0,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Compute strengths of models from comparisons of two (Bradley and Terry).

    In: a row for each comparison: case, the two models (a and b, first and
    second, or model_a and model_b), and winner, which is the name of a model,
    the name of its column, tie, or empty for no verdict. A column judge gives
    strengths for each judge. Out: strength, interval over cases, win rate and
    rank of each model. A tie is half a win for each.
    Exit code 3: a comparison has no verdict.

    Examples:
      dxjudge strengths comparisons.csv
      dxjudge strengths RUN/comparisons.csv -o strengths.csv
    """
    from ..scoring.bootstrap import Plan
    from .runs.strengths_run import run_strengths

    code = run_strengths(
        votes,
        case,
        Form(None, delimiter, encoding, sheet),
        Plan(level=level, resamples=boot, seed=seed),
        output=output,
        differences=differences,
        as_json=as_json,
    )
    raise typer.Exit(code)
