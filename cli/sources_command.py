"""`dxjudge sources`: keep further terms, from official ontologies and from your own files."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command import Command
from .options import AsJson, Delimiter
from .terminal import completion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ontology.sources.added import AddedSource
    from ..ontology.sources.adding import Added
    from .terminal.facts import Fact

app = typer.Typer(
    help="Keep further sources of terms: mondo, doid, ordo, or your own file.",
    no_args_is_help=True,
)
_SHOWN = 5  # skipped rows that are shown

What = Annotated[
    str,
    typer.Argument(help="mondo, doid, ordo, or a file (SSSOM, OBO, XML or a table)."),
]
Name = Annotated[
    str | None, typer.Option(help="The name of the source. By default that of the file.")
]
Weight = Annotated[
    float | None, typer.Option(help="The weight of its matches, above 0 and at most 1.")
]
Licence = Annotated[
    str | None, typer.Option(help="The licence of the file, where the file does not say it.")
]
Version = Annotated[
    str | None,
    typer.Option("--release", help="The version of the file, where the file does not say it."),
]
Inexact = Annotated[
    bool, typer.Option("--inexact", help="Also use diseases whose code is wider than they are.")
]
TermColumn = Annotated[
    str | None,
    typer.Option(autocompletion=completion.columns, help="The column with the terms, for a table."),
]
CodeColumn = Annotated[
    str | None,
    typer.Option(autocompletion=completion.columns, help="The column with the codes, for a table."),
]
Encoding = Annotated[str | None, typer.Option(help="The encoding of the file. By default UTF-8.")]
Address = Annotated[
    str | None, typer.Option(help="Fetch the release from this address, not from its usual one.")
]
Checksum = Annotated[
    str | None, typer.Option(help="The SHA-256 checksum that the download must have.")
]
OneSource = Annotated[str, typer.Argument(help="The name of an added source.")]


@app.command("list", cls=Command)
def list_sources(as_json: AsJson = False) -> None:
    """List the added sources, and the sources that can be fetched by name.

    Examples:
      dxjudge sources list
    """
    from dataclasses import asdict

    from ..ontology.sources.added import list_added
    from ..ontology.sources.catalogue import known_sources
    from .terminal.printing import print_json

    added = list_added()
    if as_json:
        known = [
            {"name": one.name, "title": one.title, "licence": one.licence}
            for one in known_sources().values()
        ]
        print_json({"added": [asdict(source) for source in added], "known": known})
        return
    if added:
        _print_table(added)
    else:
        typer.echo("no source is added")
    added_names = {source.name for source in added}
    for one in known_sources().values():
        if one.name not in added_names:
            typer.echo(f"dxjudge sources add {one.name}: {one.title}, {one.licence}")


@app.command(cls=Command)
def add(
    what: What,
    name: Name = None,
    weight: Weight = None,
    licence: Licence = None,
    release: Version = None,
    inexact: Inexact = False,
    term_column: TermColumn = None,
    code_column: CodeColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    url: Address = None,
    sha256: Checksum = None,
    as_json: AsJson = False,
) -> None:
    """Fetch an official release, or read a file, and keep its terms.

    In: the name of a release, or a file with terms and codes. From then on
    map, search, judge and evaluate search these terms too; --added-sources
    none leaves them out. Write ./mondo for a file that is named mondo.

    Examples:
      dxjudge sources add mondo
      dxjudge sources add icd10cm_index_2026.xml --name index \\
        --licence "public domain"
      dxjudge sources add ward.csv --name ward --term-column said \\
        --code-column icd
    """
    from ..errors import UsageError
    from ..files.forms import Form
    from ..ontology.sources.adding import add_file, add_known
    from ..ontology.sources.catalogue import known_sources
    from ..ontology.sources.tabular import Columns
    from .terminal.facts import tell
    from .terminal.progress import stages

    if what in known_sources() and name in (None, what):
        for option, value in (("--licence", licence), ("--release", release)):
            if value is not None:
                raise UsageError(f"{option} is for files; the release {what} says its own")
        with stages(quiet=False) as progress:
            added = add_known(what, url=url, sha256=sha256, weight=weight, progress=progress)
    else:
        if url or sha256:
            raise UsageError(
                f"--url and --sha256 are for {', '.join(known_sources())}, not for files"
            )
        added = add_file(
            Path(what),
            name=name or _name_of(Path(what)),
            weight=weight,
            licence=licence,
            version=release,
            inexact=inexact,
            columns=Columns(term_column, code_column, Form(delimiter=delimiter).delimiter),
            encoding=encoding,
        )
    tell(_facts(added), as_json=as_json, file=sys.stdout)


@app.command(cls=Command)
def remove(name: OneSource, as_json: AsJson = False) -> None:
    """Remove an added source.

    Examples:
      dxjudge sources remove ward
    """
    from ..ontology.sources.added import remove_source
    from .terminal.facts import Fact, tell

    remove_source(name)
    tell([Fact(f"removed {name}", {"removed": name})], as_json=as_json, file=sys.stdout)


@app.command("set", cls=Command)
def change(
    name: OneSource,
    weight: Weight = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Whether runs use it by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change the weight of an added source, or whether runs use it.

    Examples:
      dxjudge sources set ward --weight 0.8
      dxjudge sources set mondo --inactive
    """
    from ..errors import UsageError
    from ..ontology.sources.added import change_source
    from ..ontology.sources.catalogue import check_weight
    from .terminal.facts import Fact, tell

    if weight is None and active is None:
        raise UsageError("there is nothing to change: give --weight, --active or --inactive")
    changes: dict[str, float | bool] = {} if active is None else {"active": active}
    if weight is not None:
        changes["weight"] = check_weight(weight)
    source = change_source(name, **changes)
    line = f"{source.label()}, {'active' if source.active else 'inactive'}"
    tell([Fact(line, {"source": source})], as_json=as_json, file=sys.stdout)


def say_added(sources: "tuple[AddedSource, ...]") -> None:
    """Print on standard error which added sources a run uses, if any."""
    from ..ontology.sources.added import describe

    if sources:
        print(f"dxjudge: {describe(sources)}", file=sys.stderr)


def read_which(text: str) -> "str | list[str]":
    """Return the value of --added-sources in the form that `Mapper` takes."""
    return text if text in {"all", "none"} else [part.strip() for part in text.split(",")]


def _name_of(path: Path) -> str:
    return path.name.split(".")[0].lower().replace(" ", "-")


def _facts(added: "Added") -> "Iterator[Fact | str]":
    from .terminal.facts import Fact

    source, reading = added.source, added.reading
    counts = ", ".join(f"{count:,} for {release}" for release, count in source.terms.items())
    lines = (
        f"{source.name}: {source.title}, {source.version or 'no version'}",
        f"  from      {source.origin}",
        f"  sha256    {source.sha256}",
        f"  licence   {source.licence}",
        f"  terms     {counts}; {reading.inexact:,} of {source.rows:,} rows are inexact",
        f"  weight    {source.weight:g}",
    )
    yield Fact("\n".join(lines), {"source": source, "inexact": reading.inexact})
    if reading.skipped:
        about = f"  skipped   {len(reading.skipped):,} rows, for example:"
        rows = [{"where": r.where, "text": r.text, "reason": r.reason} for r in reading.skipped]
        shown = (f"    {row.where}: {row.text!r}: {row.reason}" for row in reading.skipped[:_SHOWN])
        yield Fact("\n".join((about, *shown)), {"skipped": rows})
    yield "the next run builds its index again"


def _print_table(added: "list[AddedSource]") -> None:
    header = ("name", "rows", "terms", "licence", "version", "added", "weight", "active")
    rows = [
        (
            source.name,
            f"{source.rows:,}",
            " ".join(f"{release} {count:,}" for release, count in source.terms.items()),
            source.licence,
            source.version or "-",
            source.added,
            f"{source.weight:g}",
            "yes" if source.active else "no",
        )
        for source in added
    ]
    widths = [max(len(row[index]) for row in (header, *rows)) for index in range(len(header))]
    for row in (header, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
