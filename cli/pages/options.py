"""The options of the commands that open pages: `view`, `review` and `rate`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fastapi import APIRouter

    from ...web.local import Job

_PAGES = "Pages"


@dataclass(frozen=True)
class PagesOptions:
    """Where the pages are served, and whether the browser is opened."""

    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="The port; 0 takes a free one.", rich_help_panel=_PAGES
        ),
    ] = 0
    no_open: Annotated[
        bool,
        typer.Option(
            "--no-open",
            help="Print the address and open no browser.",
            rich_help_panel=_PAGES,
        ),
    ] = False

    def serve(self, job: "Job", api: "APIRouter") -> None:
        """Serve the pages until the user ends them. Raises EnvironmentFault for a port in use."""
        from ...web.local import serve_local

        show = _say_address(self.no_open)
        serve_local(job, api, port=self.port, show=show, open_browser=not self.no_open)


def _say_address(no_open: bool) -> Callable[[str], None]:
    def say(address: str) -> None:
        what = "open in a browser" if no_open else "opening in the browser"
        typer.echo(f"dxjudge: {what}: {address}", err=True)
        typer.echo("dxjudge: Ctrl-C ends the pages", err=True)

    return say
