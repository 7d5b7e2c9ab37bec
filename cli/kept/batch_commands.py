"""`dxjudge batch`: list, fetch and cancel the batches that commands with --batch have sent."""

from typing import Annotated

import typer

from ..command import Command
from ..options import AsJson

app = typer.Typer(
    help="List, fetch and cancel the batches that commands with --batch have sent.",
    no_args_is_help=True,
)

Where = Annotated[
    str | None,
    typer.Option(
        "--cache",
        help="The reply cache that knows the batches: a file or redis://HOST. By default that in "
        "your cache folder.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(help="The batches: the names that `dxjudge batch list` shows. By default all."),
]
Chosen = Annotated[
    list[str] | None,
    typer.Argument(help="The batches: the names that `dxjudge batch list` shows."),
]
All = Annotated[bool, typer.Option("--all", help="Also those whose answers are fetched.")]
Every = Annotated[bool, typer.Option("--all", help="Cancel every batch that is running.")]


@app.command("list", cls=Command)
def list_batches(cache: Where = None, every: All = False, as_json: AsJson = False) -> None:
    """List the batches whose answers are not fetched yet, and ask how far they are.

    Out: the name of each batch, how far it is (running, cancelling, ended,
    expired, cancelled, failed; fetched: its answers are here; unknown: the
    provider does not say; lost: it was not confirmed), and how many of its
    requests are answered. Anthropic counts them only at the end.

    Examples:
      dxjudge batch list
      dxjudge batch list --all --json
    """
    from ..runs.batch_run import list_known

    list_known(cache, every=every, as_json=as_json)


@app.command(cls=Command)
def fetch(names: Names = None, cache: Where = None, as_json: AsJson = False) -> None:
    """Fetch the answers of batches that have ended, without waiting for the others.

    The command that asked checks the answers when you run it again. Providers
    delete answers after some weeks; fetched ones stay in the reply cache.

    Examples:
      dxjudge batch fetch
      dxjudge batch fetch 3f2a9c01
    """
    from ..runs.batch_run import fetch_answers

    raise typer.Exit(fetch_answers(cache, names or [], as_json=as_json))


@app.command(cls=Command)
def cancel(
    names: Chosen = None, cache: Where = None, every: Every = False, as_json: AsJson = False
) -> None:
    """Cancel batches. What was answered before is kept, and paid for.

    The command that asked uses these answers when you run it again; its other
    items fail with the reason, and one more run asks them again.

    Examples:
      dxjudge batch cancel 3f2a9c01
      dxjudge batch cancel --all
    """
    from ..runs.batch_run import cancel_batches

    raise typer.Exit(cancel_batches(cache, names or [], every=every, as_json=as_json))
