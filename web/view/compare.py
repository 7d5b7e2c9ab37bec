"""The route behind the page "Compare"."""

from typing import Any

from fastapi import APIRouter

from ...evaluation.pages.compare import compare_runs
from ...evaluation.pages.plain import plain
from .open_runs import OpenRuns


def add_compare(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route to what moved between two runs, and why."""

    @api.get("/compare")
    def compare(first: int = 0, second: int = 1) -> Any:
        """Return what differs between two finished runs."""
        return plain(compare_runs(runs.run(first).finished, runs.run(second).finished))
