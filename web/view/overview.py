"""The routes behind the pages "Overview" and "Judges" of a run."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from ...errors import InputError
from ...evaluation.records import OVERVIEW
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
    if not path.exists():
        raise InputError(
            f"{run.name} has no {name} yet: the evaluation is still going, or it stopped; the same "
            "dxjudge evaluate command goes on with it"
        )
    return path
