"""Options that several commands share, each written once."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT
from ..ontology.releases.listed import listed

ROWS = "Rows in and out"
"""The panel of the options that say how a table is read and written."""
MODEL = "Judge"
"""The panel of the options that say which models are asked, and how."""
RUN = "Cost, cache, resuming"
"""The panel of the options that every command that asks models has."""

Input = Annotated[str, typer.Argument(help=f"{FORMS_IN}; - is standard input.")]
InputFormat = Annotated[
    str | None,
    typer.Option(
        help="csv, tsv, json, jsonl, parquet, xlsx or txt; by the suffix unless given.",
        rich_help_panel=ROWS,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What stands between the cells of CSV: one character, or tab; found where certain.",
        rich_help_panel=ROWS,
    ),
]
SheetName = Annotated[
    str | None,
    typer.Option("--sheet", help="The sheet of an Excel file.", rich_help_panel=ROWS),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="The input's encoding; UTF-8, or what its mark says.", rich_help_panel=ROWS),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"Where to: {FORMS_OUT}; - is standard output.",
        rich_help_panel=ROWS,
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        help="csv, tsv, json, jsonl, parquet or xlsx; by the suffix unless given.",
        rich_help_panel=ROWS,
    ),
]
Ontology = Annotated[
    str,
    typer.Option(
        help=f"The release: {listed()}, or one of your own as path/to/release.py:NAME.",
        rich_help_panel="Ontology",
    ),
]
Scope = Annotated[
    str,
    typer.Option(
        help="What is searched: diagnoses (all chapters but those that nobody writes as a "
        "diagnosis), chapters (every chapter) or everything (encounter variants too).",
        rich_help_panel="Ontology",
    ),
]
Encoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        "--model",
        help="The embedding model: default (comes with dxjudge), a sentence-transformers name "
        "or folder, or openai:text-embedding-3-large.",
        rich_help_panel="Search",
    ),
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source",
        help="A file of further terms: TSV or CSV of term and code, SSSOM, OBO. May be repeated.",
        rich_help_panel="Search",
    ),
]
AddedSources = Annotated[
    str,
    typer.Option(
        help="Which sources that `dxjudge sources add` keeps join: all, none, or names, "
        "separated by commas.",
        rich_help_panel="Search",
    ),
]
Chroma = Annotated[
    str | None,
    typer.Option(
        help="Ask Chroma for the nearest terms: the address of a server, or embedded. Unless "
        "given, every text is compared with all terms.",
        rich_help_panel="Search",
    ),
]
Rebuild = Annotated[
    bool,
    typer.Option("--rebuild-index", help="Build the search index anew.", rich_help_panel="Search"),
]
Specificity = Annotated[
    str,
    typer.Option(
        help="concept (the code of what the text says), category (in ICD-10 3 characters) or "
        "billable (a code that can stand on a bill).",
        rich_help_panel="Ontology",
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="Stop after so many calls.", rich_help_panel=RUN)
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="Stop before so many US dollars.", rich_help_panel=RUN)
]
PriceList = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="A price list (YAML) in place of the one that comes along; it may name models on a "
        "server of your own.",
        rich_help_panel=RUN,
    ),
]
Concurrency = Annotated[int | None, typer.Option(min=1, help="Calls at once.", rich_help_panel=RUN)]
RequestsAMinute = Annotated[
    float | None,
    typer.Option("--rpm", min=0.1, help="Requests a minute at most.", rich_help_panel=RUN),
]
TokensAMinute = Annotated[
    float | None,
    typer.Option("--tpm", min=1, help="Tokens a minute at most.", rich_help_panel=RUN),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, help="Seconds for one answer.", rich_help_panel=RUN),
]
Cache = Annotated[
    str | None,
    typer.Option(help="A file or redis://…; the user's own unless given.", rich_help_panel=RUN),
]
CacheMode = Annotated[
    str,
    typer.Option(
        help="read-write, replay (a miss is an error), refresh or off.", rich_help_panel=RUN
    ),
]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        help="Where finished rows are kept until all are done; OUTPUT.journal unless given.",
        rich_help_panel=RUN,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Tokens of one answer at most.", rich_help_panel=MODEL),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        help="none, minimal, low, medium, high or xhigh, for models that reason.",
        rich_help_panel=MODEL,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
