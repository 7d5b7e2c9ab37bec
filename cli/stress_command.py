"""`dxjudge stress`: whether verdicts hold under changes that should not matter."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_OUT, Form
from .judge_command import Fields, Given, Journal, MaxTokens, StepName
from .map_command import Quiet
from .options import (
    ROWS,
    AsJson,
    Cache,
    CacheMode,
    Concurrency,
    Delimiter,
    Encoding,
    Input,
    InputFormat,
    MaxCalls,
    MaxCost,
    OutputFormat,
    SheetName,
)

_MODEL, _CHANGES = "Judge", "Changes"

Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"Where every trial goes: {FORMS_OUT}.",
        rich_help_panel=ROWS,
    ),
]
Case = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that names the case: `id` where there is one, else the row's number.",
        rich_help_panel=ROWS,
    ),
]
Votes = Annotated[
    Path | None,
    typer.Option(help="Also write every verdict as a table of votes.", rich_help_panel=ROWS),
]
Judges = Annotated[
    list[str],
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="openai:gpt-4o, anthropic:MODEL, or openai:MODEL@http://127.0.0.1:8080/v1 for a "
        "local server. May be repeated.",
        rich_help_panel=_MODEL,
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
Repeats = Annotated[
    int, typer.Option(min=1, help="How often `repeat` asks.", rich_help_panel=_CHANGES)
]
Temperature = Annotated[
    float,
    typer.Option(
        min=0,
        max=2,
        help="Of `repeat` alone; everything else has the step's own.",
        rich_help_panel=_CHANGES,
    ),
]
Seed = Annotated[
    int, typer.Option(help="Of orders, sentences and intervals.", rich_help_panel=_CHANGES)
]


def stress(
    step: StepName,
    input: Input,
    output: Output,
    judge: Judges,
    perturb: Perturb = None,
    repeats: Repeats = 3,
    temperature: Temperature = 0.7,
    seed: Seed = 0,
    case: Case = None,
    votes: Votes = None,
    fields: Fields = None,
    given: Given = None,
    input_format: InputFormat = None,
    output_format: OutputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    concurrency: Concurrency = None,
    cache: Cache = None,
    cache_mode: CacheMode = "read-write",
    journal: Journal = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """See whether a judge's verdicts hold under changes that should not matter.

    Every row is judged as it is, and again after each change: options in
    another order, the two diagnoses swapped, the prompt in other words, other
    white space, capitals, an irrelevant sentence, an injected instruction, and
    repeats at a temperature. Letters and places are mapped back.

    The output has one row a trial (case, judge, perturbation, base verdict,
    perturbed verdict, flipped, status), the rows that flipped most first.
    What is printed is the share of flips for each judge and change with its
    95 % interval. Failures and abstentions are counted apart, never as flips.
    The same command, run again after a crash, goes on where it stopped.

    Examples:
      dxjudge stress judge_equivalence pairs.csv -o trials.csv --judge openai:gpt-4o
      dxjudge stress match_option options.jsonl -o trials.csv --perturb order,wording
        --judge openai:gpt-4o --judge anthropic:claude-sonnet-4-5
      dxjudge stress grade_ddx cases.jsonl -o trials.jsonl --perturb repeat --repeats 5
        --temperature 1 --judge openai:qwen@http://127.0.0.1:8080/v1 --json
    """
    from .judge_run import Request
    from .stress_run import Changes, run_stress

    request = Request(
        step=step,
        input=input,
        output=output,
        fields=tuple(fields or ()),
        given=tuple(given or ()),
        form=Form(input_format, delimiter, encoding, sheet),
        output_format=output_format,
        engine="llm",
        repeat=0,
        journal=journal,
    )
    names = [name.strip() for text in perturb or () for name in text.split(",") if name.strip()]
    changes = Changes(tuple(names) or None, repeats, temperature, seed)
    budget = {"max_calls": max_calls, "max_cost": max_cost, "concurrency": concurrency}
    settings = {**budget, "cache": cache, "mode": cache_mode}
    code = run_stress(
        request,
        judge,
        changes,
        {"max_tokens": max_tokens},
        settings,
        case=case,
        votes=votes,
        json=json,
        quiet=quiet,
    )
    raise typer.Exit(code)
