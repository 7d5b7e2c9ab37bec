"""The options of `dxjudge judge` and `dxjudge stress`: the rows, the step and the judges."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_OUT, Form
from .command import given_flags
from .option_groups import JURY, JudgeModelOptions, JudgingRunOptions, JuryOptions, ModelOptions
from .options import (
    MODEL,
    ROWS,
    AddedSources,
    AsJson,
    Cluster,
    Delimiter,
    Encoding,
    EstimateOnly,
    Input,
    InputFormat,
    JournalFile,
    Output,
    OutputFormat,
    Quiet,
    SheetName,
)
from .terminal import completion

_CHANGES = "Changes"

StepName = Annotated[
    str,
    typer.Argument(
        autocompletion=completion.steps,
        help="The step: its name (`dxjudge steps` lists them), or path/to/file.py:NAME.",
    ),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        autocompletion=completion.fields,
        metavar="FIELD=COLUMN",
        help="The column that holds a field of the step. A column with the field's name needs no "
        "--set. May be repeated.",
        rich_help_panel=ROWS,
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--give",
        metavar="FIELD=VALUE",
        help="The same value for every row, such as rubric=mine.yaml. May be repeated.",
        rich_help_panel=ROWS,
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="The judge: openai:gpt-4o, anthropic:MODEL, or openai:MODEL@URL for a server of your "
        "own. May be repeated: several judges are a jury, in which rules, ontology and "
        "human:FILE may vote too.",
        rich_help_panel=MODEL,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="Who decides: auto (rules first, then the judge; the default for one judge), llm (the "
        "judge alone; the default for a jury), rules (no judge), or ontology (only for "
        "judge_equivalence: equal codes, no judge).",
        rich_help_panel=MODEL,
    ),
]
Repeat = Annotated[
    int,
    typer.Option(
        min=0,
        help="The number of this sample. With another number the judge is asked again.",
        rich_help_panel=MODEL,
    ),
]
BothOrders = Annotated[
    bool,
    typer.Option(
        "--both-orders",
        help="For choose_better and one judge: ask with each response first; verdicts that differ "
        "are a tie.",
        rich_help_panel=MODEL,
    ),
]
Votes = Annotated[
    Path | None,
    typer.Option(
        help="The file to write every vote to, one row for each vote.", rich_help_panel=JURY
    ),
]
CaseColumn = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="The column that names each row in the votes. By default id, else the row's number.",
        rich_help_panel=JURY,
    ),
]
StressOutput = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"The file to write every trial to: {FORMS_OUT}.",
        rich_help_panel=ROWS,
    ),
]
StressCase = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="The column that names the case. By default id, else the row's number.",
        rich_help_panel=ROWS,
    ),
]
StressVotes = Annotated[
    Path | None,
    typer.Option(
        help="Also write every verdict to this file, as a table of votes.", rich_help_panel=ROWS
    ),
]
StressJudges = Annotated[
    list[str],
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="The judge: openai:gpt-4o, anthropic:MODEL, or openai:MODEL@URL for a server of your "
        "own. May be repeated.",
        rich_help_panel=MODEL,
    ),
]
Perturb = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LIST",
        help="The changes to try: order, swap, wording (or wording:shorten, ...), whitespace, "
        "case, irrelevant, injection, repeat; separated by commas, or with --perturb repeated. "
        "By default all.",
        rich_help_panel=_CHANGES,
    ),
]
ChangeRepeats = Annotated[
    int, typer.Option(min=1, help="How often the change `repeat` asks.", rich_help_panel=_CHANGES)
]
ChangeTemperature = Annotated[
    float,
    typer.Option(
        min=0,
        max=2,
        help="The temperature of the change `repeat`. All else has that of the step.",
        rich_help_panel=_CHANGES,
    ),
]
ChangeSeed = Annotated[
    int,
    typer.Option(
        help="The seed of the orders, the sentences and the intervals.", rich_help_panel=_CHANGES
    ),
]


@dataclass(frozen=True, kw_only=True)
class StepRows:
    """The rows that a step judges, and the columns from which its fields are read."""

    step: StepName
    input: Input
    fields: Fields = None
    given: Given = None
    input_format: InputFormat = None
    output_format: OutputFormat = None
    delimiter: Delimiter = None
    sheet: SheetName = None
    encoding: Encoding = None

    @property
    def form(self) -> Form:
        """Return the form of the input, as far as options say it."""
        return Form(self.input_format, self.delimiter, self.encoding, self.sheet)


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The options of `dxjudge judge`."""

    rows: StepRows
    output: Output = "-"
    judge: Judges = None
    engine: Engine = None
    model: ModelOptions
    repeat: Repeat = 0
    both_orders: BothOrders = False
    jury: JuryOptions
    votes: Votes = None
    case: CaseColumn = None
    estimate: EstimateOnly = False
    run: JudgingRunOptions
    cluster: Cluster = None
    journal: JournalFile = None
    added_sources: AddedSources = "all"
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def has_jury(self) -> bool:
        """Return whether there are several judges, or an option that only a jury has."""
        several = len(self.judge or ()) > 1
        return several or self.votes is not None or bool(given_flags(self.jury))


@dataclass(frozen=True, kw_only=True)
class StressOptions:
    """The options of `dxjudge stress`."""

    rows: StepRows
    output: StressOutput
    case: StressCase = None
    votes: StressVotes = None
    judge: StressJudges
    model: JudgeModelOptions
    perturb: Perturb = None
    repeats: ChangeRepeats = 3
    temperature: ChangeTemperature = 0.7
    seed: ChangeSeed = 0
    estimate: EstimateOnly = False
    run: JudgingRunOptions
    journal: JournalFile = None
    json: AsJson = False
    quiet: Quiet = False

    @property
    def changes(self) -> tuple[str, ...] | None:
        """Return the names of the perturbations, or None for all."""
        texts = [name.strip() for text in self.perturb or () for name in text.split(",")]
        return tuple(name for name in texts if name) or None
