"""`dxjudge examples`: copy the example files of the package to a folder."""

import shlex
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from ..errors import OutputError
from ..files.bytes import writing

_FOLDER = "examples"
_BYTECODE = "__pycache__"  # pip and Python write it beside the example programs


def copy_examples(
    folder: Annotated[
        Path, typer.Argument(help="The folder to copy to; it is made where it does not exist.")
    ] = Path(_FOLDER),
) -> None:
    """Copy the example files that the pages use, into the folder `examples` by default.

    In: nothing. Out: the files. A file that is there with the same content
    stays; where one has another content, nothing is written.

    Examples:
      dxjudge examples
      dxjudge examples elsewhere
    """
    contents = dict(contents_of(_packaged(), folder))
    kept = {path for path in contents if _is_there(path, contents[path])}
    for path, content in contents.items():
        if path in kept:
            continue
        _make_folder(path.parent)
        with writing(path) as file:
            file.write(content)
    same = f", {len(kept)} were there" if kept else ""
    typer.echo(f"{folder}: {len(contents) - len(kept)} files copied{same}", err=True)
    table = shlex.quote(str(folder / "diagnoses.csv"))
    typer.echo(f"try: dxjudge map {table} -o mapped.csv", err=True)


def _packaged() -> Traversable:
    return resources.files(__name__.partition(".")[0]).joinpath(_FOLDER)


def contents_of(source: Traversable, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield where each file of a folder that someone wrote goes, and its content."""
    for entry in sorted(source.iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith(".") or entry.name == _BYTECODE:
            continue
        if entry.is_dir():
            yield from contents_of(entry, folder / entry.name)
        else:
            yield folder / entry.name, entry.read_bytes()


def _is_there(path: Path, content: bytes) -> bool:
    """Whether the file is there with this content. Raises OutputError where it has another."""
    try:
        if not path.exists():
            return False
        same = path.read_bytes() == content
    except OSError as fault:
        raise OutputError(f"cannot write {path}: {fault.strerror or fault}") from fault
    if not same:
        raise OutputError(
            f"{path} is there with another content; nothing was copied: remove it, or name "
            "another folder"
        )
    return True


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise OutputError(f"cannot make {folder}: {fault.strerror or fault}") from fault
