"""`dxjudge leaderboard`: the models of several finished evaluations in one table."""

from pathlib import Path
from typing import Annotated

import typer

from .options import AsJson

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Output folders of `dxjudge evaluate`.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The table or, with the suffix .html, the page to write."),
]
Metrics = Annotated[
    str | None,
    typer.Option(help="Metrics, separated by commas. By default those of the main table."),
]
Separate = Annotated[
    bool,
    typer.Option("--separate", help="Runs that cannot be compared get leaderboards of their own."),
]
Seed = Annotated[int, typer.Option(help="The seed of the resampling.")]
Resamples = Annotated[int, typer.Option(min=1, help="How many resamples the intervals use.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no table.")]


def leaderboard(
    runs: Runs,
    output: Output = None,
    metric: Metrics = None,
    separate: Separate = False,
    seed: Seed = 0,
    resamples: Resamples = 2000,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Put the models of several finished evaluations in one leaderboard.

    In: output folders of `dxjudge evaluate`. Out: rank, number and interval of
    every model over the cases that all runs have, and the models from which
    it is not clearly apart.

    The runs must have the same judges, prompts, settings and mapping. Where
    they differ, the command names each difference and ends; --separate makes a
    leaderboard for each kind of run. Exit code 3: cases or metrics are left
    out, or items of a model failed.

    Examples:
      dxjudge leaderboard out_march out_may -o board.csv
      dxjudge leaderboard out_march out_may -o board.html --metric hdf1,top_5
    """
    from .runs.leaderboard_run import Request, run_leaderboard

    request = Request(tuple(runs), output, metric, separate, seed, resamples, quiet, as_json)
    raise typer.Exit(run_leaderboard(request))
