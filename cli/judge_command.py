"""`dxjudge judge`: rows through a judging step."""

from pathlib import Path
from typing import Annotated

import typer

from .map_command import Quiet
from .options import (
    ROWS,
    RUN,
    AddedSources,
    Cache,
    CacheMode,
    Concurrency,
    Delimiter,
    Encoding,
    Input,
    InputFormat,
    MaxCalls,
    MaxCost,
    Output,
    OutputFormat,
    SheetName,
)

_MODEL, _JURY = "Judge", "Jury"

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
        rich_help_panel=_MODEL,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        help="auto (rules first, then the judge; the default for one judge), llm (the judge "
        "alone; the default for a jury), rules (no judge), or ontology (judge_equivalence: equal "
        "codes, no judge).",
        rich_help_panel=_MODEL,
    ),
]
Temperature = Annotated[
    float | None, typer.Option(help="The step's own unless given.", rich_help_panel=_MODEL)
]
MaxTokens = Annotated[
    int | None, typer.Option(help="Tokens of one answer at most.", rich_help_panel=_MODEL)
]
Seed = Annotated[int | None, typer.Option(rich_help_panel=_MODEL)]
Repeat = Annotated[
    int,
    typer.Option(
        min=0, help="The number of this sample; another number asks anew.", rich_help_panel=_MODEL
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        help="majority (the default), plurality, unanimous, weighted, mean, median, min or max.",
        rich_help_panel=_JURY,
    ),
]
Repeats = Annotated[
    int, typer.Option(min=1, help="How often each model is asked.", rich_help_panel=_JURY)
]
Variants = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,NAME",
        help="Further wordings of the prompt that each model is asked in.",
        rich_help_panel=_JURY,
    ),
]
Quorum = Annotated[
    int | None,
    typer.Option(
        help="How many votes must decide; more than half unless given.", rich_help_panel=_JURY
    ),
]
Replacements = Annotated[
    list[str] | None,
    typer.Option(
        "--replacement",
        metavar="MODEL",
        help="A judge that takes the place of one that fails. May be repeated.",
        rich_help_panel=_JURY,
    ),
]
Escalate = Annotated[
    bool,
    typer.Option(
        "--escalate",
        help="Ask the first two judges, and the others only where those differ.",
        rich_help_panel=_JURY,
    ),
]
Human = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A table of people's votes: case, step, judge, verdict. May be repeated.",
        rich_help_panel=_JURY,
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="Judge and weight, or votes with a column label to learn the weights from.",
        rich_help_panel=_JURY,
    ),
]
Votes = Annotated[
    Path | None,
    typer.Option(help="Where every vote goes, as a long table.", rich_help_panel=_JURY),
]
CaseColumn = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="COLUMN",
        help="The column that names each row in the votes; id, or the row's number.",
        rich_help_panel=_JURY,
    ),
]
UnderTest = Annotated[
    list[str] | None,
    typer.Option(
        help="A model whose texts are judged; a judge of its family is warned of.",
        rich_help_panel=_JURY,
    ),
]
Journal = Annotated[
    Path | None,
    typer.Option(
        help="Where finished rows are kept until all are done; OUTPUT.journal unless given.",
        rich_help_panel=RUN,
    ),
]


def judge_rows(
    step: StepName,
    input: Input,
    output: Output = "-",
    judge: Judges = None,
    engine: Engine = None,
    fields: Fields = None,
    given: Given = None,
    input_format: InputFormat = None,
    output_format: OutputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    seed: Seed = None,
    repeat: Repeat = 0,
    rule: Rule = None,
    repeats: Repeats = 1,
    variants: Variants = None,
    quorum: Quorum = None,
    replacement: Replacements = None,
    escalate: Escalate = False,
    human: Human = None,
    weights: Weights = None,
    votes: Votes = None,
    case: CaseColumn = None,
    under_test: UnderTest = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    concurrency: Concurrency = None,
    cache: Cache = None,
    cache_mode: CacheMode = "read-write",
    journal: Journal = None,
    added_sources: AddedSources = "all",
    quiet: Quiet = False,
) -> None:
    """Run a judging step on every row of a file.

    The output holds the input's rows and columns in their order, and adds
    status, reason, decided_by, repairs and the fields of the step's result.
    A failed row has no result, never a default one. The same command, run
    again after a crash, goes on where it stopped.

    Several judges, or any option of the jury, put each row before a jury: the
    output adds status (decided, tied, abstained, no_quorum), reason, verdict,
    shares, votes, replaced, escalated and the result.

    Examples:
      dxjudge judge extract_final_diagnosis cases.jsonl -o out.jsonl --judge openai:gpt-4o
      dxjudge judge judge_equivalence pairs.csv -o out.csv --set truth=gold --engine rules
      dxjudge judge score_rubric cases.jsonl -o out.jsonl --give rubric=mine.yaml
        --judge openai:qwen@http://127.0.0.1:8080/v1
      dxjudge judge grade_ddx cases.csv -o out.csv --judge openai:gpt-4o --judge anthropic:MODEL
        --judge openai:qwen@http://127.0.0.1:8080/v1 --rule median --votes votes.csv
    """
    options = locals()
    from .judge_start import start

    raise typer.Exit(start(options))
