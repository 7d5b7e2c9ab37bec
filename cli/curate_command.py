"""`dxjudge curate`: make a data set from case reports, with every statement checked."""

from pathlib import Path
from typing import Annotated

import typer

from .command import grouped
from .option_groups import JudgeModelOptions, RunOptions
from .options import Delimiter, Encoding, InputFormat, SheetName

_ROWS, _WRITING = "Reports in, data out", "Writing"

Procedure = Annotated[str, typer.Argument(metavar="NAME", help="The procedure: dermcase.")]
Input = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="The reports: a folder of .html, .txt or .md files, or a table with a column report, "
        "html or text, and a column id.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="The folder to write: items.jsonl, pairs.jsonl and summary.json.",
        rich_help_panel=_ROWS,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="The model that writes and verifies: openai:gpt-4o, anthropic:MODEL, or "
        "openai:MODEL@URL for a server of your own.",
        rich_help_panel=_WRITING,
    ),
]
Tries = Annotated[
    int,
    typer.Option(
        min=1,
        help="How often a text is written at most, where the verifier rejects it.",
        rich_help_panel=_WRITING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        help="The seed that draws the structure of each question.", rich_help_panel=_WRITING
    ),
]
Codes = Annotated[
    bool,
    typer.Option(
        "--codes/--no-codes",
        help="Whether a wrong diagnosis must have another ICD-10 code than the truth, or only "
        "another name.",
        rich_help_panel=_WRITING,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]


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

    In: a folder or table of reports. Out: for each report a case record with
    verbatim quotes, a question about the images, a reasoning, and preference
    pairs. Every statement is checked against its report. Each item is
    accepted, rejected (the item names the check), or failed, where the model
    gave no answer that can be read. Exit code 3: some items failed. Exit code
    7: the budget was reached. After a crash run the same command again: it
    asks only what was not answered.

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
