"""The route behind the page "Compare"."""

from fastapi import APIRouter

from .open_runs import OpenRuns


def add_compare(api: APIRouter, runs: OpenRuns) -> None:
    """Add the route."""
