"""`dxjudge agree`: measure how far judges agree, from tables of votes."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT, Form
from .options import AsJson, Delimiter, Encoding, SheetName
from .terminal import completion

_VERDICTS, _NUMBERS = "Verdicts", "Numbers"

Votes = Annotated[
    list[Path],
    typer.Argument(
        help=f"The votes: {FORMS_IN}, with the columns case, step, judge and verdict; or the "
        "folder of an evaluation. Several are read as one table: judges in one, people in "
        "another."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help=f"The file to write the measures to: {FORMS_OUT}."),
]
ContestedFile = Annotated[
    Path | None,
    typer.Option(
        "--contested", help="The file to write every contested case to, one row for each vote."
    ),
]
ScaleName = Annotated[
    str | None,
    typer.Option(
        "--scale",
        help="The scale of the verdicts: nominal, ordinal or interval. By default that of the "
        "step, else it is read from the verdicts.",
        rich_help_panel=_VERDICTS,
    ),
]
Categories = Annotated[
    str | None,
    typer.Option(
        help="The levels in their order, separated by commas: low,mid,high. Needed for verdicts "
        "that are ordered words.",
        rich_help_panel=_VERDICTS,
    ),
]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="FILE.py:NAME",
        help="Your own step whose votes are in the table; it says what its verdicts are. "
        "TASK=FILE.py:NAME where the task of the evaluation has another name. May be repeated.",
        rich_help_panel=_VERDICTS,
    ),
]
Span = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="The width of the scale, for consistency. By default that of its levels.",
        rich_help_panel=_VERDICTS,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="The verdict that counts as right, for the corrected share: this word, or a number "
        "from this one up. Not needed for yes/no verdicts.",
        rich_help_panel=_VERDICTS,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        autocompletion=completion.columns,
        help="A column whose groups are measured apart. May be repeated.",
    ),
]
Item = Annotated[
    list[str] | None,
    typer.Option(
        autocompletion=completion.columns,
        help="A column that, together with case and step, names what was judged. By default it "
        "is detected where judges have several votes on a case. May be repeated.",
    ),
]
Human = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns, help="The judge, or the column, with the human verdicts."
    ),
]
Sampling = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="How the units for the human were drawn: the column with the probability with which "
        "each was chosen, or a column within whose values (model; verdict for the judge's own "
        "verdict) units were drawn at random. May be repeated for such columns.",
    ),
]
Level = Annotated[float, typer.Option(help="The level of the intervals.", rich_help_panel=_NUMBERS)]
Boot = Annotated[
    int, typer.Option(min=1, help="How many resamples the intervals use.", rich_help_panel=_NUMBERS)
]
Seed = Annotated[int, typer.Option(help="The seed of the resampling.", rich_help_panel=_NUMBERS)]
Top = Annotated[int, typer.Option(min=0, help="How many contested cases to print.")]


def agree(
    votes: Votes,
    output: Output = None,
    contested: ContestedFile = None,
    step: Steps = None,
    scale: ScaleName = None,
    categories: Categories = None,
    span: Span = None,
    positive: Positive = None,
    by: By = None,
    item: Item = None,
    human: Human = None,
    sampling: Sampling = None,
    level: Level = 0.95,
    boot: Boot = 2000,
    seed: Seed = 0,
    top: Top = 10,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far judges agree: each measure with its interval over cases.

    In: one or more tables of votes (case, step, judge, verdict), such as
    `dxjudge judge --votes` writes, or the folder of an evaluation. Out: tables
    of the agreement between every two judges, among all judges, with a human,
    and of each judge with itself over repeats. Failed and abstained votes are
    counted apart; they are not verdicts. Exit code 3: a vote failed.

    Examples:
      dxjudge agree votes.csv
      dxjudge agree votes.csv --human doctor --by specialty -o agreement.csv
      dxjudge agree votes.jsonl --scale interval --json
      dxjudge agree RUN doctor.csv --human doctor
      dxjudge agree RUN doctor.csv --human doctor --sampling model
      dxjudge agree votes.csv --step judge_urgency.py:JUDGE_URGENCY
    """
    from .runs.agree_run import Request, run_agree

    drawn = tuple(sampling) if sampling else None
    terms = {"scale": scale, "span": span, "human": human, "sampling": drawn}
    request = Request(
        votes=tuple(votes),
        output=output,
        contested=contested,
        terms={name: value for name, value in terms.items() if value is not None},
        categories=categories,
        positive=positive,
        by=tuple(by or ()),
        item=tuple(item) if item else None,
        top=top,
        steps=tuple(step or ()),
        as_json=as_json,
        form=Form(None, delimiter, encoding, sheet),
    )
    raise typer.Exit(run_agree(request, level=level, resamples=boot, seed=seed))
