"""The route behind the page "Overview"."""

from fastapi import APIRouter

from .open_runs import OpenRuns


def add_overview(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route."""
