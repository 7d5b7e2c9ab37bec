"""All routes of `dxjudge view`."""

from fastapi import APIRouter

from .cases import add_cases
from .compare import add_compare
from .judges import add_judges
from .open_runs import OpenRuns, RunLine
from .overview import add_overview
from .progress import add_progress


def make_view_api(runs: OpenRuns) -> APIRouter:
    """Return the routes of the pages over these runs."""
    api = APIRouter()

    @api.get("/runs")
    def list_runs() -> list[RunLine]:
        """Return the runs."""
        return [run.line for run in runs.runs]

    add_cases(api, runs)
    add_overview(api, runs)
    add_judges(api, runs)
    add_compare(api, runs)
    add_progress(api, runs)
    return api
