"""`dxjudge judge`: rows through a judging step."""

from pathlib import Path
from typing import Annotated

import typer

from .map_command import Encoding, Input, InputFormat, Quiet
from .options import RUN, AddedSources, Cache, CacheMode, Concurrency, MaxCalls, MaxCost

_ROWS, _MODEL = "Rows in and out", "Judge"

StepName = Annotated[str, typer.Argument(help="The step; `dxjudge steps` lists them.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help="Where to: .csv, .tsv, .jsonl or .parquet; - is standard output.",
        rich_help_panel=_ROWS,
    ),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=COLUMN",
        help="Which column holds a field of the step; columns of the same name need no word.",
        rich_help_panel=_ROWS,
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--give",
        metavar="FIELD=VALUE",
        help="The same value for every row, such as rubric=mine.yaml.",
        rich_help_panel=_ROWS,
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(help="csv, tsv, jsonl or parquet.", rich_help_panel=_ROWS),
]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="openai:gpt-4o, anthropic:MODEL, or openai:MODEL@http://127.0.0.1:8080/v1 for a "
        "local server.",
        rich_help_panel=_MODEL,
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        help="auto (rules first, then the judge), llm (the judge alone), rules (no judge), or "
        "ontology (judge_equivalence: equal codes, no judge).",
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
    judge: Judge = None,
    engine: Engine = "auto",
    fields: Fields = None,
    given: Given = None,
    input_format: InputFormat = None,
    output_format: OutputFormat = None,
    encoding: Encoding = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    seed: Seed = None,
    repeat: Repeat = 0,
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

    Examples:
      dxjudge judge extract_final_diagnosis cases.jsonl -o out.jsonl --judge openai:gpt-4o
      dxjudge judge judge_equivalence pairs.csv -o out.csv --set truth=gold --engine rules
      dxjudge judge score_rubric cases.jsonl -o out.jsonl --give rubric=mine.yaml
        --judge openai:qwen@http://127.0.0.1:8080/v1
    """
    from .judge_run import Request, run_judge

    request = Request(
        step=step,
        input=input,
        output=output,
        fields=tuple(fields or ()),
        given=tuple(given or ()),
        input_format=input_format,
        output_format=output_format,
        encoding=encoding,
        engine=engine,
        repeat=repeat,
        journal=journal,
        added=added_sources,
    )
    model = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    budget = {"max_calls": max_calls, "max_cost": max_cost, "concurrency": concurrency}
    settings = {**budget, "cache": cache, "mode": cache_mode}
    raise typer.Exit(run_judge(request, judge, model, settings, quiet=quiet))
