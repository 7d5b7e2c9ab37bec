"""Options that several commands share, each written once."""

from pathlib import Path
from typing import Annotated

import typer

Ontology = Annotated[
    str,
    typer.Option(
        help="The release: icd10cm (ICD-10-CM) or icd10 (WHO).", rich_help_panel="Ontology"
    ),
]
Scope = Annotated[
    str,
    typer.Option(
        help="What is searched: diagnoses (all chapters but external causes and factors), "
        "chapters (every chapter) or everything (encounter variants too).",
        rich_help_panel="Ontology",
    ),
]
Model = Annotated[
    str,
    typer.Option(
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
Chroma = Annotated[
    str | None,
    typer.Option(
        help="The address of a Chroma server, in place of the embedded one.",
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
        help="concept (the code of what the text says), category (3 characters) or billable "
        "(a code that can stand on a bill).",
        rich_help_panel="Ontology",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
