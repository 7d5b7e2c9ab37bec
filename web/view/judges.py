"""The route behind the page "Judges"."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from ...evaluation.pages.plain import plain
from ...evaluation.records import JUDGES_PAGE
from .open_runs import OpenRuns
from .overview import page_data


def add_judges(api: APIRouter, runs: OpenRuns) -> None:
    """Add the routes to agreement, pairs of judges, contested cases and people of a run."""

    @api.get("/judges", response_class=FileResponse)
    def judges(run: int = 0) -> FileResponse:
        """Return what the evaluation has written about its judges; null with fewer than two."""
        return FileResponse(page_data(runs.run(run), JUDGES_PAGE), media_type="application/json")

    @api.get("/people")
    def people(run: int = 0) -> Any:
        """Return judges and people on the same items; null where no person said anything."""
        return plain(runs.run(run).people)
