"""`dxjudge table`: bring a canonical table into other tools and back, compare and merge tables."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_OUT, MAPPING_SUFFIXES
from ..ontology.releases.listed import DEFAULT
from .command import Command
from .options import ROWS, AsJson, Concepts, Ontology, OutputFormat, Quiet

app = typer.Typer(
    help="Export, import, compare, merge and calibrate canonical tables of mappings.",
    no_args_is_help=True,
)

OneTable = Annotated[Path, typer.Argument(metavar="TABLE", help="A canonical table.")]
MappingOutput = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"The file to write: {', '.join(MAPPING_SUFFIXES)}. - is standard output.",
    ),
]
MappingForm = Annotated[
    str | None,
    typer.Option(
        "--output-format",
        help=f"The form of the output: {', '.join(MAPPING_SUFFIXES.values())}. By default the "
        "suffix of the file says it.",
        rich_help_panel=ROWS,
    ),
]
TableOut = Annotated[
    Path, typer.Option("--output", "-o", help="The canonical table to write: .tsv, .csv or .xlsx.")
]
DifferencesOut = Annotated[
    str, typer.Option("--output", "-o", help=f"The file to write: {FORMS_OUT}.")
]


@app.command("export", cls=Command)
def export_table(
    table: OneTable,
    output: MappingOutput,
    output_format: MappingForm = None,
    concepts: Concepts = None,
    ontology: Ontology = DEFAULT,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the mappings of a table in a form that other tools read.

    SSSOM, a FHIR ConceptMap (R4: .fhir.json, R5: .fhir-r5.json), OMOP's
    source_to_concept_map, or the file in which Usagi saves mappings. Texts that
    failed are left out, and then the exit code is 3.

    Examples:
      dxjudge table export reviewed.tsv -o mappings.fhir.json
      dxjudge table export reviewed.tsv -o mappings.omop.csv --concepts athena
    """
    from .runs.table_run import export

    raise typer.Exit(
        export(table, output, output_format, concepts, ontology, as_json=as_json, quiet=quiet)
    )


@app.command("import", cls=Command)
def import_mappings(
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT", help="A file of Usagi (.usagi.csv), SSSOM (.sssom.tsv), or FHIR."
        ),
    ],
    output: TableOut,
    concepts: Concepts = None,
    ontology: Ontology = DEFAULT,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Add the mappings that people made in another tool to a table, as reviewed rows.

    Of a Usagi file the approved rows are read, of an SSSOM set those that a
    person curated, of a FHIR ConceptMap all; the other rows are passed over and
    counted. Rows of the table that are reviewed already stay; the command names
    the texts where the two differ.

    Examples:
      dxjudge table import approved.usagi.csv -o reviewed.tsv --concepts athena
      dxjudge table import curated.sssom.tsv -o reviewed.tsv
    """
    from .runs.table_run import import_file

    raise typer.Exit(import_file(input, output, concepts, ontology, as_json=as_json, quiet=quiet))


@app.command(cls=Command)
def diff(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="The earlier canonical table.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="The later canonical table.")],
    output: DifferencesOut = "-",
    output_format: OutputFormat = None,
    ontology: Ontology = DEFAULT,
    second_ontology: Annotated[
        str | None,
        typer.Option(help="The release of the second table, where it is another."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare two tables: which texts moved, how far in the tree, and why.

    Out: one row for each text that differs, those of most rows first, with both
    codes, the level at which the codes still agree, and what changed: the
    release, the settings, a person's decision, the matched term or the score.

    Examples:
      dxjudge table diff january.tsv june.tsv
      dxjudge table diff january.tsv june.tsv -o moved.xlsx
    """
    from .runs.table_run import compare

    raise typer.Exit(
        compare(
            first,
            second,
            output,
            output_format,
            ontology,
            second_ontology or ontology,
            as_json=as_json,
            quiet=quiet,
        )  # fmt: skip
    )


@app.command(cls=Command)
def merge(
    tables: Annotated[list[Path], typer.Argument(metavar="TABLE...", help="Canonical tables.")],
    output: TableOut,
    ontology: Ontology = DEFAULT,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Merge tables into one: reviewed rows win, and reviewers who disagree are an error.

    Examples:
      dxjudge table merge ward1.tsv ward2.tsv -o all.tsv
    """
    from .runs.table_run import merge_tables

    raise typer.Exit(merge_tables(tables, output, ontology, as_json=as_json, quiet=quiet))


@app.command(cls=Command)
def calibrate(
    table: OneTable,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write. By default TABLE with the suffix .calibration.json, which "
            "dxjudge map --table TABLE uses.",
        ),
    ] = None,
    ontology: Ontology = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Fit the confidences to your column, from 50 or more rows that you reviewed.

    In: a canonical table with rows drawn at random and reviewed, right ones and
    wrong ones. Out: a small file, and how much better the confidences are and
    what share can be accepted at a precision of 0.9, 0.95 and 0.99.

    Examples:
      dxjudge table calibrate reviewed.tsv
    """
    from .runs.calibrate_run import calibrate_table
    from .terminal.facts import tell

    tell(calibrate_table(table, output, ontology), as_json=as_json, file=sys.stdout)


@app.command(cls=Command)
def carry(
    table: OneTable,
    output: TableOut,
    ontology: Annotated[
        str,
        typer.Option(
            "--to",
            help="The release to carry to: icd10cm, icd10, icd10cm@FOLDER (another edition, from "
            "its official files), or path/to/release.py:NAME.",
        ),
    ] = DEFAULT,
    old: Annotated[
        str | None,
        typer.Option(
            "--from", help="The release of the table, such as icd10cm@FOLDER, where it is at hand."
        ),
    ] = None,
    equivalences: Annotated[
        Path | None,
        typer.Option(
            help="The file that says what each old code becomes: CMS's general equivalence "
            "mappings (2018_I9gem.txt), or a table of two columns, old and new code."
        ),
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(help=f"Write what became of each changed row to this file: {FORMS_OUT}."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Carry a table to another edition or release, and say what became of each code.

    A code that is divided, deleted or has several equivalents needs a new
    decision: its row is no longer reviewed, `note` says why, and the exit code is
    3. `dxjudge map --table` then maps such rows anew.

    Examples:
      dxjudge table carry reviewed.tsv -o new.tsv --from icd10cm@2025
      dxjudge table carry icd9.tsv -o icd10.tsv --equivalences 2018_I9gem.txt
    """
    from .runs.carry_run import carry_table

    raise typer.Exit(
        carry_table(
            table, output, ontology, old, equivalences, changes, as_json=as_json, quiet=quiet
        )
    )
