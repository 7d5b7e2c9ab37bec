"""Options that several commands share; each is defined once, here."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, FORMS_OUT
from ..ontology.releases.listed import listed
from .terminal import completion

ROWS = "Rows in and out"
"""The panel of the options for reading and writing tables."""
MODEL = "Judge"
"""The panel of the options that say which models are asked, and how they are asked."""
RUN = "Cost, cache, resuming"
"""The panel of the options of every command that asks models."""

Input = Annotated[str, typer.Argument(help=f"The input: {FORMS_IN}; - is standard input.")]
InputFormat = Annotated[
    str | None,
    typer.Option(
        help="The form of the input: csv, tsv, json, jsonl, parquet, xlsx or txt. By default the "
        "suffix of the file says it.",
        rich_help_panel=ROWS,
    ),
]
Conditions = Annotated[
    Path | None,
    typer.Option(help="For cases of DDXPlus: its release_conditions.json.", rich_help_panel=ROWS),
]
Evidences = Annotated[
    Path | None,
    typer.Option(help="For cases of DDXPlus: its release_evidences.json.", rich_help_panel=ROWS),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="What separates the cells of a CSV file: one character, or tab. By default it is "
        "detected, where that is certain.",
        rich_help_panel=ROWS,
    ),
]
SheetName = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        help="The sheet to read of an Excel file that has several.",
        rich_help_panel=ROWS,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        help="The encoding of the input. By default UTF-8, or what the byte order mark says.",
        rich_help_panel=ROWS,
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"The file to write: {FORMS_OUT}; - is standard output.",
        rich_help_panel=ROWS,
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        help="The form of the output: csv, tsv, json, jsonl, parquet or xlsx. By default the "
        "suffix of the file says it.",
        rich_help_panel=ROWS,
    ),
]
Concepts = Annotated[
    Path | None,
    typer.Option(
        help="A folder with the vocabulary files of OMOP (CONCEPT.csv of Athena), for the forms "
        "omop and usagi.",
        rich_help_panel=ROWS,
    ),
]
Ontology = Annotated[
    str,
    typer.Option(
        autocompletion=completion.releases,
        help=f"The ontology release: {listed()}, or your own release as path/to/release.py:NAME.",
        rich_help_panel="Ontology",
    ),
]
Scope = Annotated[
    str | None,
    typer.Option(
        help="Which codes to search: chapters (every chapter; the default for icd10cm), diagnoses "
        "(without external causes and factors such as histories) or everything (the encounter "
        "variants too).",
        rich_help_panel="Ontology",
    ),
]
Encoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        "--model",
        help="The embedding model: default (packaged with dxjudge), the name or folder of a "
        "sentence-transformers model, or openai:MODEL such as text-embedding-3-large.",
        rich_help_panel="Search",
    ),
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source",
        help="A file of further terms: TSV or CSV with the columns term and code, SSSOM, or OBO. "
        "May be repeated.",
        rich_help_panel="Search",
    ),
]
AddedSources = Annotated[
    str,
    typer.Option(
        help="Which of the sources that `dxjudge sources add` keeps to use: all, none, or their "
        "names, separated by commas.",
        rich_help_panel="Search",
    ),
]
Chroma = Annotated[
    str | None,
    typer.Option(
        help="Search the nearest terms with Chroma: the address of a server, or embedded. By "
        "default every text is compared with all terms.",
        rich_help_panel="Search",
    ),
]
Rebuild = Annotated[
    bool,
    typer.Option("--rebuild-index", help="Build the search index again.", rich_help_panel="Search"),
]
Specificity = Annotated[
    str,
    typer.Option(
        help="How precise the codes are: concept (as precise as the text), category (3 characters "
        "in ICD-10) or billable (codes that can be billed).",
        rich_help_panel="Ontology",
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="Stop after this many calls.", rich_help_panel=RUN)
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Stop before the calls cost more than this many US dollars.",
        rich_help_panel=RUN,
    ),
]
PriceList = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="A price list (YAML) to use instead of the packaged one. It may name models on your "
        "own server.",
        rich_help_panel=RUN,
    ),
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, help="How many calls to make at once.", rich_help_panel=RUN)
]
RequestsAMinute = Annotated[
    float | None,
    typer.Option(
        "--rpm", min=0.1, help="The most requests per minute to one model.", rich_help_panel=RUN
    ),
]
TokensAMinute = Annotated[
    float | None,
    typer.Option(
        "--tpm", min=1, help="The most tokens per minute for one model.", rich_help_panel=RUN
    ),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, help="How many seconds to wait for one answer.", rich_help_panel=RUN),
]
Cache = Annotated[
    str | None,
    typer.Option(
        help="Where replies are kept: a file or redis://HOST. By default in your cache folder.",
        rich_help_panel=RUN,
    ),
]
CacheMode = Annotated[
    str,
    typer.Option(
        help="How the kept replies are used: read-write, replay (a missing reply is an error), "
        "refresh (ask again) or off.",
        rich_help_panel=RUN,
    ),
]
Batch = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Ask by the batches of OpenAI or Anthropic: about half the price, answers within a "
        "day. After an interruption the same command goes on.",
        rich_help_panel=RUN,
    ),
]
BatchRepairs = Annotated[
    str,
    typer.Option(
        help="How --batch repairs an invalid answer: batch (in a further batch) or live (at once, "
        "at the live price).",
        rich_help_panel=RUN,
    ),
]
EstimateOnly = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Print the expected calls, tokens and cost. Ask no model and write no file.",
        rich_help_panel=RUN,
    ),
]
AccountFile = Annotated[
    Path | None,
    typer.Option(
        "--account",
        help="A JSON file for the calls, tokens and cost by model and step, written at the end.",
        rich_help_panel=RUN,
    ),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log",
        help="A JSON Lines file to which each request is appended, with its prompt and its reply, "
        "without keys.",
        rich_help_panel=RUN,
    ),
]
Otel = Annotated[
    bool,
    typer.Option(
        "--otel",
        help="Send OpenTelemetry spans of items, requests and repairs (needs the extra otel); "
        "OTEL_EXPORTER_OTLP_ENDPOINT says where to.",
        rich_help_panel=RUN,
    ),
]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        help="Where finished rows are kept until all rows are finished. By default OUTPUT.journal.",
        rich_help_panel=RUN,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="The most tokens that one answer may have.", rich_help_panel=MODEL),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        help="How much a reasoning model reasons: none, minimal, low, medium, high or xhigh.",
        rich_help_panel=MODEL,
    ),
]
ExtraBody = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help="A JSON object whose fields are added to the body of each request, such as "
        "'{\"top_p\": 0.9}'.",
        rich_help_panel=MODEL,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="[ADDRESS]",
        help="Work on a Ray cluster (needs the extra ray): the one at this address, else the one "
        "of RAY_ADDRESS or of this machine, else the cores of this machine. The input may be a "
        "folder, also s3://…; the output is a folder of Parquet files. Without an address, write "
        "it last.",
        rich_help_panel=RUN,
    ),
]
OneDimension = Annotated[
    bool,
    typer.Option(
        "--one-dimension-a-call",
        help="Judge each dimension of a rubric (score_rubric), or each category of errors "
        "(label_errors), in a call of its own: more calls with shorter answers.",
        rich_help_panel=MODEL,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no summary.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
