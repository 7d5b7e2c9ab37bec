"""`dxjudge rate`: verdicts of people, in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from ..judging_options import Fields, Given
from ..options import ROWS, AsJson, Delimiter, Encoding, InputFormat, SheetName
from .options import PagesOptions

_SAMPLE = "Sample"

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|RUN",
        help="A table of items (CSV, TSV, JSON, JSON Lines, Parquet, Excel), or the output folder "
        "of `dxjudge evaluate`.",
    ),
]
StepName = Annotated[
    str | None,
    typer.Option(
        "--step",
        help="The step whose verdict people give: its name, or path/to/file.py:NAME. By default "
        "the column step names it for each row.",
        rich_help_panel=ROWS,
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        help="For the folder of an evaluation: only this task. May be repeated.",
        rich_help_panel=ROWS,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The table of votes to write. By default FILE-ratings.csv beside the file, or "
        "RUN/ratings.csv. The answers are kept in OUTPUT.answers.jsonl.",
        rich_help_panel=ROWS,
    ),
]
CaseColumn = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="COLUMN",
        help="The column that names each row in the votes. By default id, else the row's number.",
        rich_help_panel=ROWS,
    ),
]
RaterName = Annotated[
    str, typer.Option("--rater", help="Your name in the votes. By default the page asks for it.")
]
Sample = Annotated[
    int | None,
    typer.Option(min=1, help="How many items to draw. By default all.", rich_help_panel=_SAMPLE),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Draw as many items of each value of this column.",
        rich_help_panel=_SAMPLE,
    ),
]
Disagree = Annotated[
    list[Path] | None,
    typer.Option(
        "--where-judges-disagree",
        metavar="VOTES",
        help="Draw half of the sample where the votes of this table (or of this folder of an "
        "evaluation) differ. May be repeated.",
        rich_help_panel=_SAMPLE,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="The seed of the sample and of the order. By default 0.",
                 rich_help_panel=_SAMPLE),
]  # fmt: skip


@grouped
def rate(
    *,
    source: Source,
    step: StepName = None,
    task: Tasks = None,
    output: Output = None,
    fields: Fields = None,
    given: Given = None,
    case: CaseColumn = None,
    rater: RaterName = "",
    sample: Sample = None,
    by: By = None,
    disagree: Disagree = None,
    seed: Seed = None,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    pages: PagesOptions,
    as_json: AsJson = False,
) -> None:
    """Give verdicts as a person, in the browser: the same questions that judges get.

    In: rows for a step, a questionnaire whose column step names it, or the
    folder of an evaluation. Out: a table of votes, as `dxjudge agree` and
    juries read it. The pages show neither models nor judges, and the items in
    an order drawn by --seed. Each answer is saved at once; run the same
    command again to go on. Several people can rate, each under a name.

    Examples:
      dxjudge rate pairs.csv --step judge_equivalence
      dxjudge rate dermcase/questionnaire.jsonl
      dxjudge rate out --task judge_equivalence --sample 100 \\
        --where-judges-disagree out
    """
    from ...evaluation.people.from_table import Reading
    from ...evaluation.people.sample import Design
    from ...files.forms import Form
    from .rate_run import Request, run_rate

    form = Form(input_format, delimiter, encoding, sheet)
    reading = Reading(step, tuple(fields or ()), tuple(given or ()), case, form)
    design = Design(sample, by, tuple(disagree or ()))
    request = Request(source, reading, tuple(task or ()), output, rater, design, seed, pages)
    run_rate(request, as_json=as_json)
