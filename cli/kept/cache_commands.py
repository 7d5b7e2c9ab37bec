"""`dxjudge cache`: show, clear, export and import the kept replies of models."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import UsageError
from ..command import Command
from ..options import AsJson
from ..terminal import completion

if TYPE_CHECKING:
    from ...cache.replies import Replies

app = typer.Typer(
    help="Show, clear, export and import the kept replies of models.", no_args_is_help=True
)

Where = Annotated[
    str | None,
    typer.Option(
        "--cache", help="The cache: a file or redis://HOST. By default that in your cache folder."
    ),
]
OnlyStep = Annotated[
    str | None,
    typer.Option("--step", autocompletion=completion.steps, help="Only the replies of this step."),
]


@app.command(cls=Command)
def info(cache: Where = None, as_json: AsJson = False) -> None:
    """Show where the cache is and how many replies it has of each step and judge.

    Examples:
      dxjudge cache info
      dxjudge cache info --cache demo.sqlite
    """
    from ..terminal.printing import print_json

    replies = open_replies(cache, there=True)
    counts: dict[tuple[str, str], int] = {}
    for _, entry in replies.entries():
        judge = entry["fields"]["judge"]
        place = f"@{judge['base_url']}" if judge["base_url"] else ""
        name = f"{judge['provider']}:{judge['model']}{place}"
        group = (str(entry["fields"]["step"]), name)
        counts[group] = counts.get(group, 0) + 1
    if as_json:
        rows = [
            {"step": step, "judge": name, "replies": count}
            for (step, name), count in sorted(counts.items())
        ]
        print_json({"place": replies.store.place, "replies": rows})
        return
    typer.echo(f"{replies.store.place}: {sum(counts.values())} replies")
    for (step, name), count in sorted(counts.items()):
        typer.echo(f"  {count:>8}  {step}  {name}")


@app.command(cls=Command)
def clear(
    cache: Where = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete every reply of the cache.

    Examples:
      dxjudge cache clear --cache demo.sqlite --yes
    """
    from ..terminal.facts import Fact, tell

    replies = open_replies(cache, there=True)
    place = replies.store.place
    if not yes:
        typer.confirm(f"Delete every reply in {place}?", abort=True, err=True)
    replies.clear()
    fact = Fact(f"{place}: every reply is deleted", {"place": place, "replies": 0})
    tell([fact], as_json=as_json, file=sys.stdout)


@app.command("export", cls=Command)
def export_replies(
    output: Annotated[Path, typer.Argument(help="The file to write, a cassette (JSONL).")],
    cache: Where = None,
    step: OnlyStep = None,
    as_json: AsJson = False,
) -> None:
    """Write the replies to a file, a cassette, that replays elsewhere without a key.

    Examples:
      dxjudge cache export replies.jsonl
      dxjudge cache export grades.jsonl --step grade_ddx
    """
    from ...cache.cassette import export_cassette

    count = export_cassette(open_replies(cache, there=True), output, step)
    _tell_count(output, count, as_json)


@app.command("import", cls=Command)
def import_replies(
    cassette: Annotated[
        Path, typer.Argument(help="A cassette that `dxjudge cache export` wrote (JSONL).")
    ],
    cache: Where = None,
    as_json: AsJson = False,
) -> None:
    """Add the replies of a cassette to the cache.

    A command with --cache-mode replay then uses these replies alone.

    Examples:
      dxjudge cache import replies.jsonl
      dxjudge cache import replies.jsonl --cache demo.sqlite
    """
    from ...cache.cassette import import_cassette

    count, replaced = import_cassette(open_replies(cache), cassette)
    _tell_count(cassette, count, as_json, replaced)


@app.command(cls=Command)
def why(
    key: Annotated[
        str, typer.Argument(help="The key of a reply, or the first characters of a key.")
    ],
    cache: Where = None,
    as_json: AsJson = False,
) -> None:
    """Show whether a key has a reply, and in which fields the nearest other key differs.

    In: a key, as the error about a missing reply names it. Out: the fields of
    the request that differ from those of the most similar kept reply.

    Examples:
      dxjudge cache why 3f2a9c
    """
    from ..terminal.printing import print_json

    explained = open_replies(cache, there=True).why(key)
    if as_json:
        print_json(vars(explained))
        return
    state = "kept" if explained.kept else "not kept"
    typer.echo(f"{explained.key}: {state}, {explained.fields['step']}")
    if explained.nearest is None:
        typer.echo("there is no other reply to compare it with")
        return
    typer.echo(f"nearest other reply: {explained.nearest}")
    for name, (mine, other) in explained.differences.items():
        typer.echo(f"  {name}\n    this:    {_short(mine)}\n    nearest: {_short(other)}")


def open_replies(cache: str | None, *, there: bool = False) -> "Replies":
    """Open a reply cache. there: the named file must exist, so that no misspelt name is empty."""
    from ...cache.replies import Replies

    if there and cache and "://" not in cache and not Path(cache).exists():
        raise UsageError(f"there is no reply cache {cache}: name an existing file with --cache")

    return Replies(cache)


def _short(value: object, most: int = 300) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _tell_count(cassette: Path, count: int, as_json: bool, replaced: int | None = None) -> None:
    from ..terminal.facts import Fact, tell

    others = f", {replaced} in place of another reply" if replaced else ""
    values: dict[str, Any] = {"cassette": cassette, "replies": count}
    if replaced is not None:
        values["replaced"] = replaced
    fact = Fact(f"{cassette}: {count} replies{others}", values)
    tell([fact], as_json=as_json, file=sys.stdout)
