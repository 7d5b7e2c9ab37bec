"""`dxjudge curate`: a data set from case reports, every statement checked against its source."""

from pathlib import Path
from typing import Annotated

import typer

from .command import grouped
from .option_groups import JudgeModelOptions, RunOptions
from .options import Delimiter, Encoding, InputFormat, SheetName

_ROWS, _WRITING = "Reports in, data out", "Writing"

Procedure = Annotated[str, typer.Argument(metavar="NAME", help="The procedure; there is dermcase.")]
Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="A folder of .html, .txt or .md files, or a table with a column report, html or "
        "text, and an id.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Where items.jsonl, pairs.jsonl and summary.json go.",
        rich_help_panel=_ROWS,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="The model that writes and verifies: openai:gpt-4o, anthropic:MODEL, or "
        "openai:MODEL@http://127.0.0.1:8080/v1.",
        rich_help_panel=_WRITING,
    ),
]
Tries = Annotated[
    int,
    typer.Option(
        min=1,
        help="How often a text is written while the verifier objects.",
        rich_help_panel=_WRITING,
    ),
]
Seed = Annotated[
    int, typer.Option(help="Draws the structure of each question.", rich_help_panel=_WRITING)
]
Codes = Annotated[
    bool,
    typer.Option(
        "--codes/--no-codes",
        help="A wrong diagnosis must have another ICD-10 code than the truth; without codes, "
        "another name.",
        rich_help_panel=_WRITING,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


@grouped
def curate(
    *,
    name: Procedure,
    input: Input,
    output: Output,
    judge: Model,
    tries: Tries = 3,
    seed: Seed = 0,
    codes: Codes = True,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    asked: JudgeModelOptions,
    run: RunOptions,
    quiet: Quiet = False,
) -> None:
    """Make a data set from case reports.

    Reports go in; a case record with verbatim quotes, a question about the
    images, a reasoning and preference pairs come out. Every statement is
    checked against its report. Each item ends accepted, rejected with the
    check that it failed, or failed where it could not be asked or read (then
    the exit code is 3, or 7 where the budget was reached). The same command,
    run again after a crash, asks only for what was not answered.

    Examples:
      dxjudge curate dermcase reports/ -o dermcase --judge openai:gpt-4o
    """
    from ..files.forms import Form
    from .runs.curate_run import run_curate

    code = run_curate(
        name,
        input,
        output,
        asked.judge(judge),
        run,
        tries=tries,
        seed=seed,
        codes=codes,
        form=Form(input_format, delimiter, encoding, sheet),
        quiet=quiet,
    )
    raise typer.Exit(code)
