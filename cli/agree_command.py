"""`dxjudge agree`: how far judges agree, from a table of votes."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT, Form
from .options import AsJson, Delimiter, Encoding, SheetName

_VERDICTS, _NUMBERS = "Verdicts", "Numbers"

Votes = Annotated[
    list[Path],
    typer.Argument(
        help=f"The votes: {FORMS_IN}, with case, step, judge, verdict; or the folder of an "
        "evaluation. Several are taken together: judges in one, people in another."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help=f"Where to write the table: {FORMS_OUT}."),
]
ContestedFile = Annotated[
    Path | None,
    typer.Option("--contested", help="Where to write every contested case, a row a vote."),
]
ScaleName = Annotated[
    str | None,
    typer.Option(
        "--scale",
        help="nominal, ordinal or interval; else by what the verdicts are.",
        rich_help_panel=_VERDICTS,
    ),
]
Categories = Annotated[
    str | None,
    typer.Option(
        help="The levels in order, with commas: low,mid,high. Needed for ordered words.",
        rich_help_panel=_VERDICTS,
    ),
]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="FILE.py:NAME",
        help="A step of your own whose votes are in the table: it says what its verdicts are. "
        "TASK=FILE.py:NAME for a task of an evaluation that has another name. May be repeated.",
        rich_help_panel=_VERDICTS,
    ),
]
Span = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Width of the scale, for consistency; else that of its levels.",
        rich_help_panel=_VERDICTS,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="The verdict that counts as right, for the corrected share: this word, or at least "
        "this number. Yes/no verdicts need none.",
        rich_help_panel=_VERDICTS,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(help="A column to break everything down by. May be repeated."),
]
Item = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that, beside case and step, tells apart what was judged; found where "
        "judges have several votes on a case. May be repeated.",
    ),
]
Human = Annotated[
    str | None,
    typer.Option(help="The judge, or the column, that holds human verdicts."),
]
Level = Annotated[float, typer.Option(help="Of the intervals.", rich_help_panel=_NUMBERS)]
Boot = Annotated[int, typer.Option(min=1, help="How many resamples.", rich_help_panel=_NUMBERS)]
Seed = Annotated[int, typer.Option(help="Of the resampling.", rich_help_panel=_NUMBERS)]
Top = Annotated[int, typer.Option(min=0, help="Contested cases to print.")]


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
    level: Level = 0.95,
    boot: Boot = 2000,
    seed: Seed = 0,
    top: Top = 10,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
) -> None:
    """Show how far judges agree: every measure with its interval over cases.

    Between every two judges, among all of them, with a human, and of each judge with itself
    over repeats. Failed and abstained votes are counted apart and never taken for a verdict.

    Examples:
      dxjudge agree votes.csv
      dxjudge agree votes.csv --human doctor --by specialty -o agreement.csv
      dxjudge agree votes.jsonl --scale interval --json
      dxjudge agree RUN doctor.csv --human doctor
      dxjudge agree votes.csv --step judge_urgency.py:JUDGE_URGENCY
    """
    from .runs.agree_run import Request, run_agree

    terms = {"scale": scale, "span": span, "human": human}
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
    run_agree(request, level=level, resamples=boot, seed=seed)
