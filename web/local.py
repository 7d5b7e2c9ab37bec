"""The pages of `dxjudge view`, `review` and `rate`: a local web app bound to this machine."""

import secrets
import threading
import webbrowser
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel

from ..errors import EnvironmentFault
from .faults import add_faults
from .guard import Guard, guarded
from .listening import bind, serve_until_ended

HOST = "127.0.0.1"
MEGABYTE = 1_000_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""The content security policy: only our own files, and no request to another machine."""

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>dxjudge</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="app.css">
<script type="module" src="app.js"></script>
</head>
<body><div id="app"></div></body>
</html>
"""


class Job(BaseModel):
    """What the pages are for; `title` is the heading and the title of the page."""

    job: Literal["view", "review", "rate"]
    title: str


def built_file(name: str) -> Path:
    """Return the path of a built file of the pages.

    Raises EnvironmentFault in a source tree whose pages were not built.
    """
    path = Path(str(files(__package__))) / "built" / name
    if not path.exists():
        raise EnvironmentFault(f"the pages have no {name}; build them with `make pages`")
    return path


def make_local_app(job: Job, api: APIRouter) -> FastAPI:
    """Return the application of one job: its page at "/", its data below "/api/"."""
    app = FastAPI(title="dxjudge", openapi_url=None, docs_url=None, redoc_url=None)
    script, style = built_file("app.js"), built_file("app.css")

    @app.get("/", response_class=HTMLResponse)
    async def page() -> str:
        """Return the page."""
        return _PAGE

    @app.get("/app.js", response_class=FileResponse)
    async def app_script() -> FileResponse:
        """Return the script of the pages."""
        return FileResponse(script, media_type="text/javascript")

    @app.get("/app.css", response_class=FileResponse)
    async def app_style() -> FileResponse:
        """Return the style sheet of the pages."""
        return FileResponse(style, media_type="text/css")

    @app.get("/api/job")
    async def which_job() -> Job:
        """Return what the pages are for."""
        return job

    @app.middleware("http")
    async def with_headers(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    app.include_router(api, prefix="/api")
    add_faults(app)
    return app


def serve_local(
    job: Job,
    api: APIRouter,
    *,
    port: int = 0,
    show: Callable[[str], None],
    open_browser: bool = True,
    most_bytes: int = 5 * MEGABYTE,
) -> None:
    """Serve the pages until the user ends them with Ctrl-C.

    port: 0 for any free one. show: is given the address with its secret once the pages answer.
    Raises EnvironmentFault for a port in use.
    """
    listening = bind(HOST, port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    guard = Guard(
        token=token,
        hosts=(HOST, "localhost"),
        most_bytes=most_bytes,
        cookie=f"dxjudge-{port}",
        missing="open the whole address that the command printed, with its token",
    )
    app = guarded(make_local_app(job, api), guard)
    address = f"http://{HOST}:{port}/?token={token}"

    def show_and_open() -> None:
        show(address)
        if open_browser:
            threading.Timer(0.3, webbrowser.open, [address]).start()

    serve_until_ended(app, listening, grace=2, show=show_and_open)
