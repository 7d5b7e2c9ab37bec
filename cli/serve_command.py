"""`dxjudge serve`: mapping, codes and judging over HTTP."""

import os
from typing import Annotated

import typer

from ..errors import MissingExtra, UsageError
from .command import grouped
from .options import Quiet
from .serving_options import ServingOptions

TOKEN = "DXJUDGE_TOKEN"  # noqa: S105  the name of a variable
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SERVER, _LIMITS = "Server", "Limits"

Host = Annotated[
    str,
    typer.Option(
        help="The address to listen at. Another one than this machine's own needs a token.",
        rich_help_panel=_SERVER,
    ),
]
Port = Annotated[
    int,
    typer.Option(min=0, max=65535, help="The port; 0 takes a free one.", rich_help_panel=_SERVER),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        help="A host name under which the service also answers, such as codes.example.org; * for "
        "every name. May be repeated.",
        rich_help_panel=_SERVER,
    ),
]
NoToken = Annotated[
    bool,
    typer.Option(
        "--no-token",
        help="Listen at another address without a token: everyone who reaches it may ask.",
        rich_help_panel=_SERVER,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Batches of texts that are mapped at once. By default the number of cores.",
        rich_help_panel=_LIMITS,
    ),
]
MostTexts = Annotated[
    int,
    typer.Option(min=1, help="The most texts or items in one request.", rich_help_panel=_LIMITS),
]
MostWaiting = Annotated[
    int,
    typer.Option(
        min=1,
        help="The most texts that wait; a request beyond them is answered with 503.",
        rich_help_panel=_LIMITS,
    ),
]


@grouped
def serve(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    allow_host: AllowHost = None,
    no_token: NoToken = False,
    workers: Workers = None,
    max_texts: MostTexts = 1000,
    max_waiting: MostWaiting = 10000,
    serving: ServingOptions,
    quiet: Quiet = False,
) -> None:
    """Serve mapping, codes and judging over HTTP, for programs on this machine.

    Routes: /map, /search, /codes/CODE, /steps, /judge/STEP, FHIR's
    $translate and $lookup under /fhir, /health, /metrics; /docs shows all of
    them. DXJUDGE_TOKEN in the environment is the token that requests must show.

    Examples:
      dxjudge serve
      dxjudge serve --port 9000 --judge openai:gpt-4o --max-cost 5
    """
    try:
        from ..web.app import make_app
        from ..web.guard import guarded
        from ..web.listening import bind, serve_until_ended
    except ImportError as fault:
        raise MissingExtra("dxjudge serve", "serve", fault) from fault
    from dataclasses import replace

    token = os.environ.get(TOKEN) or None
    if host not in _LOOPBACK and token is None and not no_token:
        raise UsageError(
            f"--host {host} is open to other machines: set {TOKEN} to a secret that requests must "
            "show, or add --no-token"
        )
    shown = f"[{host}]" if ":" in host else host
    # Before the index is loaded, which takes seconds.
    with bind(host, port) as socket, serving.open() as service:
        service = replace(
            service,
            token=token,
            hosts=(*service.hosts, shown, *(allow_host or ())),
            workers=workers or os.cpu_count() or 1,
            most_texts=max_texts,
            most_waiting=max_waiting,
        )
        app = guarded(make_app(service), service.guard)
        address = f"http://{shown}:{socket.getsockname()[1]}"

        def say() -> None:
            if not quiet:
                typer.echo(f"dxjudge: the service is at {address}; Ctrl-C ends it", err=True)

        serve_until_ended(app, socket, grace=10, show=say)
