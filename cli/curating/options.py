"""The options that the procedures of `dxjudge curate` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..options import AsJson

ROWS, WRITING = "Sources in, data out", "Writing"

Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="The folder to write; docs/curation.md lists its files.",
        rich_help_panel=ROWS,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="The model that writes and verifies: openai:gpt-4o, anthropic:MODEL, or "
        "openai:MODEL@URL for a server of your own.",
        rich_help_panel=WRITING,
    ),
]
Tries = Annotated[
    int,
    typer.Option(
        min=1,
        help="How often a text is written at most, where a check rejects it.",
        rich_help_panel=WRITING,
    ),
]
Seed = Annotated[
    int, typer.Option(help="The seed of everything that is drawn.", rich_help_panel=WRITING)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]


@dataclass(frozen=True, kw_only=True)
class Printing:
    """What a procedure prints: progress, and its summary as sentences or as JSON."""

    quiet: Quiet = False
    as_json: AsJson = False


Reports = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="The reports: a folder of .html, .txt or .md files, or a table with a column report, "
        "html or text, and a column id.",
    ),
]
Codes = Annotated[
    bool,
    typer.Option(
        "--codes/--no-codes",
        help="Whether a wrong diagnosis must have another ICD-10 code than the truth, or only "
        "another name.",
        rich_help_panel=WRITING,
    ),
]
Solver = Annotated[
    str | None,
    typer.Option(
        "--solver",
        metavar="MODEL",
        help="The model that tries to solve what was written, also without what it should need. By "
        "default the judge. Another model than the writer finds more.",
        rich_help_panel=WRITING,
    ),
]
