"""`dxjudge power`: how many cases a wished difference of two models needs."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, Form
from .options import AsJson, Delimiter, Encoding, SheetName
from .terminal import completion

Source = Annotated[
    Path,
    typer.Argument(
        metavar="PILOT",
        help=f"The output folder of `dxjudge evaluate`, or a table with two columns of scores: "
        f"{FORMS_IN}.",
    ),
]
Metric = Annotated[
    str | None, typer.Option(help="For a folder: the metric. By default the first of its table.")
]
Models = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="For a folder: two models. By default every two models."),
]
JudgeName = Annotated[
    str | None, typer.Option("--judge", help="For a folder: one judge. By default each.")
]
First = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns,
        help="For a table: the column of the first model's scores.",
    ),
]
Second = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns,
        help="For a table: the column of the second model's scores.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns,
        help="For a table: the column that names what belongs together, such as a pair.",
    ),
]
Differences = Annotated[
    str, typer.Option("--difference", help="The wished differences, separated by commas.")
]
Power = Annotated[float, typer.Option(help="The chance to show a difference that exists.")]
Alpha = Annotated[float, typer.Option(help="The p-value below which a difference is shown.")]
Tests = Annotated[
    int,
    typer.Option(
        min=1,
        help="How many p-values will be corrected together: alpha is divided by this number. "
        "K models have K (K - 1) / 2 pairs.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Also write the rows to this table.")
]


def power(
    pilot: Source,
    metric: Metric = None,
    models: Models = None,
    judge: JudgeName = None,
    first: First = None,
    second: Second = None,
    cluster: Cluster = None,
    difference: Differences = "0.02,0.05,0.1",
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    tests: Tests = 1,
    output: Output = None,
    as_json: AsJson = False,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
) -> None:
    """Say how many cases a wished difference of two models needs.

    In: a pilot, which is a finished evaluation or a table with the scores of
    two models on the same cases. Out: for each wished difference the number of
    cases, and the difference that the pilot's own number of cases shows.

    The variance is that of the pilot's paired differences; cases that belong
    together count together. Empty cells are unresolved cases.

    Examples:
      dxjudge power out --models careful,hasty --difference 0.05,0.1
      dxjudge power pilot.csv --first model_a --second model_b --power 0.9
    """
    from .runs.power_run import Request, run_power

    request = Request(
        pilot, metric, models, judge, first, second, cluster, difference, power, alpha, tests,
        output, as_json, Form(None, delimiter, encoding, sheet),
    )  # fmt: skip
    run_power(request)
