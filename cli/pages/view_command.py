"""`dxjudge view`: look at evaluations in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from .options import PagesOptions

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Output folders of `dxjudge evaluate`.")
]
People = Annotated[
    list[Path] | None,
    typer.Option(
        "--people",
        metavar="TABLE",
        help="Verdicts of people on the same items, as a table of votes with the columns case, "
        "step, judge (the person), verdict and model. May be repeated.",
    ),
]


@grouped
def view(*, runs: Runs, people: People = None, pages: PagesOptions) -> None:
    """Look at evaluations in the browser: numbers, cases, judges, and two runs side by side.

    In: output folders of `dxjudge evaluate`, also of a run that is still going.
    The pages are served on this machine only, to whoever has the address with its
    secret, until you press Ctrl-C.

    Examples:
      dxjudge view out
      dxjudge view out_march out_may --no-open
      dxjudge view out --people raters.csv
    """
    import gc

    # Imports leave no garbage, and looking for it takes a sixth of their time.
    gc.disable()
    from ...graphs.jury.votes_file import read_votes
    from ...web.local import Job
    from ...web.view.api import make_view_api
    from ...web.view.open_runs import OpenRuns

    gc.enable()

    votes = [vote for table in people or () for vote in read_votes(table, by_groups=True)]
    opened = OpenRuns(runs, votes)
    for run in opened.runs:
        run.read_ahead()
    pages.serve(Job(job="view", title=opened.title), make_view_api(opened))
