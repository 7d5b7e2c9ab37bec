"""The route behind the page "Judges"."""

from fastapi import APIRouter

from .open_runs import OpenRuns


def add_judges(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route."""
