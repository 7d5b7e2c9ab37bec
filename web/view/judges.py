"""The route behind the page "Judges"."""

from fastapi import APIRouter
from fastapi.responses import FileResponse

from ...evaluation.pages.judges import JUDGES
from .open_runs import OpenRuns
from .overview import page_data


def add_judges(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route to agreement, pairs of judges and contested cases of a run."""

    @api.get("/judges", response_class=FileResponse)
    def judges(run: int = 0) -> FileResponse:
        """Return what the evaluation has written about its judges; null with fewer than two."""
        return FileResponse(page_data(runs.run(run), JUDGES), media_type="application/json")
