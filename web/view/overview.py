"""The routes behind the pages "Overview" and "Judges" of a run."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from ...errors import InputError
from ...evaluation.pages.overview import OVERVIEW
from .open_runs import OpenRun, OpenRuns


def add_overview(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route to the numbers, figures and tables of a run."""

    @api.get("/overview", response_class=FileResponse)
    def overview(run: int = 0) -> FileResponse:
        """Return what the evaluation has written for its front page."""
        return FileResponse(page_data(runs.run(run), OVERVIEW), media_type="application/json")


def page_data(run: OpenRun, name: str) -> Path:
    """Return the path of the data of a page. Raises InputError where the run has none yet."""
    path = run.folder / name
    if path.exists():
        return path
    if run.state != "finished":
        raise InputError(
            f"{run.name} is still going, or it stopped: its numbers are computed at the end. The "
            "cases that are judged so far are on the page Cases"
        )
    raise InputError(
        f"{run.name} has no {name}: it is of an earlier version; run the same dxjudge evaluate "
        "again, which asks nothing that it knows"
    )
