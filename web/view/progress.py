"""The route that shows a run that still goes."""

from fastapi import APIRouter
from pydantic import BaseModel

from ...evaluation.pages.progress import Going, read_going
from .open_runs import OpenRuns, State


class RunProgress(BaseModel):
    """A run that still goes, or has just ended."""

    state: State
    going: Going


def add_progress(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route."""

    @api.get("/progress")
    def progress(run: int) -> RunProgress:
        """Return how far a run is, and its latest faults."""
        opened = runs.run(run)
        return RunProgress(state=opened.state, going=read_going(opened.folder))
