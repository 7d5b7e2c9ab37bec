"""`dxjudge cache`: look into the reply cache, carry it elsewhere, explain a miss."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .command import Command

if TYPE_CHECKING:
    from ..cache.replies import Replies

app = typer.Typer(help="Look into the cache of model replies.", no_args_is_help=True)

Where = Annotated[
    str | None,
    typer.Option("--cache", help="A file or redis://…; the user's own cache unless given."),
]
OnlyStep = Annotated[str | None, typer.Option("--step", help="Only the replies of this step.")]


@app.command(cls=Command)
def info(cache: Where = None) -> None:
    """Say where the cache is and how many replies it keeps of each step and judge."""
    replies = _open(cache, there=True)
    counts: dict[tuple[str, str], int] = {}
    for _, entry in replies.entries():
        judge = entry["fields"]["judge"]
        place = f"@{judge['base_url']}" if judge["base_url"] else ""
        name = f"{judge['provider']}:{judge['model']}{place}"
        group = (str(entry["fields"]["step"]), name)
        counts[group] = counts.get(group, 0) + 1
    typer.echo(f"{replies.store.place}: {sum(counts.values())} replies")
    for (step, name), count in sorted(counts.items()):
        typer.echo(f"  {count:>8}  {step}  {name}")


@app.command(cls=Command)
def clear(
    cache: Where = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget every reply."""
    replies = _open(cache, there=True)
    if not yes:
        typer.confirm(f"Forget every reply in {replies.store.place}?", abort=True)
    replies.clear()


@app.command("export", cls=Command)
def export_replies(
    output: Annotated[Path, typer.Argument(help="The cassette to write (JSONL).")],
    cache: Where = None,
    step: OnlyStep = None,
) -> None:
    """Write the replies to a cassette that replays on another machine without any key.

    Examples:
      dxjudge cache export replies.jsonl
      dxjudge cache export grades.jsonl --step grade_ddx
    """
    from ..cache.cassette import export_cassette

    count = export_cassette(_open(cache, there=True), output, step)
    typer.echo(f"{output}: {count} replies")


@app.command("import", cls=Command)
def import_replies(
    cassette: Annotated[Path, typer.Argument(help="A cassette (JSONL).")],
    cache: Where = None,
) -> None:
    """Add the replies of a cassette to the cache.

    With --cache-mode replay a command then takes its answers from there alone.

    Examples:
      dxjudge cache import replies.jsonl
      dxjudge cache import replies.jsonl --cache demo.sqlite
    """
    from ..cache.cassette import import_cassette

    count = import_cassette(_open(cache), cassette)
    typer.echo(f"{cassette}: {count} replies")


@app.command(cls=Command)
def why(
    key: Annotated[str, typer.Argument(help="A key, or the start of one.")],
    cache: Where = None,
) -> None:
    """Explain a key: is it kept, and in which fields the nearest other reply differs."""
    found = _open(cache, there=True).why(key)
    typer.echo(f"{found.key}: {'kept' if found.kept else 'not kept'}, {found.fields['step']}")
    if found.nearest is None:
        typer.echo("there is no other reply to compare it with")
        return
    typer.echo(f"nearest other reply: {found.nearest}")
    for name, (mine, other) in found.differences.items():
        typer.echo(f"  {name}\n    this:    {_short(mine)}\n    nearest: {_short(other)}")


def _open(cache: str | None, *, there: bool = False) -> "Replies":
    # `there`: a file that is named must exist, or a slip of the pen would look like an empty cache.
    from ..cache.replies import Replies

    if there and cache and "://" not in cache and not Path(cache).exists():
        raise UsageError(f"there is no reply cache {cache}")

    return Replies(cache)


def _short(value: object, most: int = 300) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
