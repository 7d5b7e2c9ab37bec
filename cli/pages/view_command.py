"""`dxjudge view`: look at evaluations in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from .options import PagesOptions

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Output folders of `dxjudge evaluate`.")
]


@grouped
def view(*, runs: Runs, pages: PagesOptions) -> None:
    """Look at evaluations in the browser: numbers, cases, judges, and two runs side by side.

    In: output folders of `dxjudge evaluate`, also of a run that is still going.
    The pages are served on this machine only, to whoever has the address with its
    secret, until you press Ctrl-C.

    Examples:
      dxjudge view out
      dxjudge view out_march out_may --no-open
    """
    from ...web.local import Job
    from ...web.view.api import make_view_api
    from ...web.view.open_runs import OpenRuns

    opened = OpenRuns(tuple(runs))
    pages.serve(Job(job="view", title=opened.title), make_view_api(opened))
