"""`dxjudge steps`: list the judging steps, print their schemas, and write a new step."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import AsJson
from .terminal import completion

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        autocompletion=completion.steps,
        help="Show one step: its name, or path/to/file.py:NAME.",
    ),
]
Schema = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="NAME",
        autocompletion=completion.steps,
        help="Print the input, answer and result of a step as JSON Schema.",
    ),
]
New = Annotated[
    str | None,
    typer.Option(
        "--new",
        metavar="NAME",
        help="Write a new step with this name, and its test, for you to change.",
    ),
]
Folder = Annotated[Path, typer.Option("--output", "-o", help="The folder that --new writes to.")]


def list_steps(
    name: Name = None,
    schema: Schema = None,
    new: New = None,
    output: Folder = Path(),
    as_json: AsJson = False,
) -> None:
    """List the judging steps: name, what each returns, its verdict, its source.

    Out: for each step the lines returns, scale, verdict, fields (the columns
    that `dxjudge judge` reads), decides (what can decide without a model:
    code, rules, ontology) and source.

    Examples:
      dxjudge steps
      dxjudge steps grade_ddx
      dxjudge steps --schema grade_ddx
      dxjudge steps --new judge_urgency
      dxjudge steps judge_urgency.py:JUDGE_URGENCY
    """
    from ..agents.steps import STEPS, VARIANTS, find_step
    from ..graphs.described import schemas, step_row
    from .terminal.printing import print_json

    if new is not None:
        from .runs.new_step import write_new_step

        typer.echo("\n".join(write_new_step(new, output)))
        return
    if schema is not None:
        typer.echo(json.dumps(schemas(find_step(schema)), indent=2, ensure_ascii=False))
        return
    steps = (find_step(name),) if name is not None else (*STEPS, *VARIANTS)
    rows = [step_row(step) for step in steps]
    if as_json:
        print_json({"steps": rows})
        return
    for row in rows:
        typer.echo(row["name"])
        for field in ("returns", "scale", "verdict", "fields", "decides", "source"):
            typer.echo(f"  {field:<8} {row[field]}")
