"""`dxjudge curate patterns`: what the pairs have in common that models confuse."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from ..option_groups import JudgeModelOptions, RunOptions
from ..options import AsJson, Delimiter, Encoding, EstimateOnly, InputFormat, SheetName
from .options import ROWS, Model, Seed

_WHICH = "Which pairs"

Questions = Annotated[
    str,
    typer.Argument(
        metavar="QUESTIONS",
        help="The items of the pairs, as `dxjudge evaluate` reads them; a column caption is shown "
        "to the model.",
    ),
]
Report = Annotated[
    Path,
    typer.Argument(
        metavar="REPORT", help="The folder of `dxjudge evaluate --preset mediconfusion`."
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file of the patterns, JSON Lines.",
        rich_help_panel=ROWS,
    ),
]
FailedBy = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="The least share of the models in the report that failed a pair.",
        rich_help_panel=_WHICH,
    ),
]
Pairs = Annotated[
    int,
    typer.Option(
        min=2,
        help="How many failed pairs to show at most; of more, so many are drawn.",
        rich_help_panel=_WHICH,
    ),
]
Most = Annotated[
    int, typer.Option(min=1, help="How many patterns at most.", rich_help_panel=_WHICH)
]


@grouped
def patterns(
    *,
    questions: Questions,
    report: Report,
    output: Output,
    judge: Model,
    failed_by: FailedBy = 1.0,
    pairs: Pairs = 100,
    most: Most = 10,
    seed: Seed = 0,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
    asked: JudgeModelOptions,
    run: RunOptions,
    estimate: EstimateOnly = False,
) -> None:
    """Find patterns in the image pairs that models could not tell apart.

    Each pattern has a name, a description, and two pairs or more as evidence;
    code checks their names. Exit code 3: the model gave no valid patterns.

    Examples:
      dxjudge curate patterns pairs/questions.jsonl report \\
          -o patterns.jsonl --judge openai:gpt-4o
    """
    from ...files.forms import Form
    from .patterns_run import run_patterns

    code = run_patterns(
        questions,
        report,
        output,
        asked.judge(judge),
        run,
        failed_by=failed_by,
        pairs=pairs,
        most=most,
        seed=seed,
        form=Form(input_format, delimiter, encoding, sheet),
        as_json=as_json,
        estimate=estimate,
    )
    raise typer.Exit(code)
