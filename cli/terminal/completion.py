"""What the shell offers at the tab key: steps, presets, releases, and columns of the file named."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

_INPUTS = ("input", "votes", "pilot", "cases", "what")  # the arguments that name a table
_MOST_BYTES = 20_000_000  # a larger table takes too long to read at a key press


def steps(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of steps that begin like this."""
    from ...agents.steps import STEPS, VARIANTS

    return _beginning(incomplete, (step.prompt_name for step in (*STEPS, *VARIANTS)))


def presets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of presets that begin like this."""
    from ...evaluation.presets import PRESETS

    return _beginning(incomplete, (preset.name for preset in PRESETS))


def releases(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of ontology releases that begin like this."""
    from ...ontology.releases.listed import RELEASES

    return _beginning(incomplete, RELEASES)


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns, which begin like this, of the table that the command line names."""
    return _beginning(incomplete, _columns_of(ctx.params))


def fields(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return FIELD=COLUMN for the fields of the named step and the columns of the named table."""
    from ...agents.steps import find_step
    from ...errors import DxjudgeError

    try:
        names = [*find_step(str(ctx.params.get("step"))).input.model_fields]
    except DxjudgeError:
        return []
    field, equals, _ = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in _beginning(field, names)]
    return _beginning(incomplete, (f"{field}={column}" for column in _columns_of(ctx.params)))


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _columns_of(params: dict[str, Any]) -> list[str]:
    """Return the columns of the first table among the arguments; none where it cannot be read."""
    from ...errors import DxjudgeError
    from ...files.forms import Form
    from ...files.rows_in import read_sheet

    named = next((params[name] for name in _INPUTS if params.get(name)), None)
    path = Path(str(named[0] if isinstance(named, list | tuple) else named))
    if path.is_dir():
        path = path / "votes.csv"
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return []
    form = Form(delimiter=params.get("delimiter"), sheet=params.get("sheet"))
    try:
        return [*read_sheet(str(path), form).columns]
    except (DxjudgeError, OSError, ValueError):
        return []
