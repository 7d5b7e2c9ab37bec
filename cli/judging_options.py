"""What `dxjudge judge` and `dxjudge stress` are asked for: rows of a step, and who judges them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_OUT, Form
from .command import given_flags
from .option_groups import JURY, JudgeModelOptions, JuryOptions, ModelOptions, RunOptions
from .options import (
    MODEL,
    ROWS,
    AddedSources,
    AsJson,
    Delimiter,
    Encoding,
    Input,
    InputFormat,
    JournalFile,
    Output,
    OutputFormat,
    Quiet,
    SheetName,
)

_CHANGES = "Changes"

StepName = Annotated[str, typer.Argument(help="The step; `dxjudge steps` lists them.")]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=COLUMN",
        help="Which column holds a field of the step; columns of the same name need no word.",
        rich_help_panel=ROWS,
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--give",
        metavar="FIELD=VALUE",
        help="The same value for every row, such as rubric=mine.yaml.",
        rich_help_panel=ROWS,
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="openai:gpt-4o, anthropic:MODEL, or openai:MODEL@http://127.0.0.1:8080/v1 for a "
        "local server. Several form a jury, on which rules, ontology and human:FILE may sit too.",
        rich_help_panel=MODEL,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="auto (rules first, then the judge; the default for one judge), llm (the judge "
        "alone; the default for a jury), rules (no judge), or ontology (judge_equivalence: equal "
        "codes, no judge).",
        rich_help_panel=MODEL,
    ),
]
Repeat = Annotated[
    int,
    typer.Option(
        min=0, help="The number of this sample; another number asks anew.", rich_help_panel=MODEL
    ),
]
Votes = Annotated[
    Path | None,
    typer.Option(help="Where every vote goes, as a long table.", rich_help_panel=JURY),
]
CaseColumn = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="COLUMN",
        help="The column that names each row in the votes; id, or the row's number.",
        rich_help_panel=JURY,
    ),
]
StressOutput = Annotated[
    str,
    typer.Option(
        "--output", "-o", help=f"Where every trial goes: {FORMS_OUT}.", rich_help_panel=ROWS
    ),
]
StressCase = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that names the case: `id` where there is one, else the row's number.",
        rich_help_panel=ROWS,
    ),
]
StressVotes = Annotated[
    Path | None,
    typer.Option(help="Also write every verdict as a table of votes.", rich_help_panel=ROWS),
]
StressJudges = Annotated[
    list[str],
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="openai:gpt-4o, anthropic:MODEL, or openai:MODEL@http://127.0.0.1:8080/v1 for a "
        "local server. May be repeated.",
        rich_help_panel=MODEL,
    ),
]
Perturb = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LIST",
        help="order, swap, wording (or wording:shorten, ...), whitespace, case, irrelevant, "
        "injection, repeat; with commas, or repeated. All of them unless given.",
        rich_help_panel=_CHANGES,
    ),
]
ChangeRepeats = Annotated[
    int, typer.Option(min=1, help="How often `repeat` asks.", rich_help_panel=_CHANGES)
]
ChangeTemperature = Annotated[
    float,
    typer.Option(
        min=0,
        max=2,
        help="Of `repeat` alone; everything else has the step's own.",
        rich_help_panel=_CHANGES,
    ),
]
ChangeSeed = Annotated[
    int, typer.Option(help="Of orders, sentences and intervals.", rich_help_panel=_CHANGES)
]


@dataclass(frozen=True, kw_only=True)
class StepRows:
    """Rows that a step judges: where they are, and which columns its fields are read from."""

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
        """What is said of the input's form."""
        return Form(self.input_format, self.delimiter, self.encoding, self.sheet)


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """What `dxjudge judge` is asked for."""

    rows: StepRows
    output: Output = "-"
    judge: Judges = None
    engine: Engine = None
    model: ModelOptions
    repeat: Repeat = 0
    jury: JuryOptions
    votes: Votes = None
    case: CaseColumn = None
    run: RunOptions
    journal: JournalFile = None
    added_sources: AddedSources = "all"
    quiet: Quiet = False

    @property
    def has_jury(self) -> bool:
        """Whether several judges, or an option that only a jury has, make a jury."""
        several = len(self.judge or ()) > 1
        return several or self.votes is not None or bool(given_flags(self.jury))


@dataclass(frozen=True, kw_only=True)
class StressOptions:
    """What `dxjudge stress` is asked for."""

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
    run: RunOptions
    journal: JournalFile = None
    json: AsJson = False
    quiet: Quiet = False

    @property
    def changes(self) -> tuple[str, ...] | None:
        """The names of the perturbations; None for all."""
        texts = [name.strip() for text in self.perturb or () for name in text.split(",")]
        return tuple(name for name in texts if name) or None
