"""`dxjudge evaluate`: whole evaluations of models under test, with report."""

from pathlib import Path
from typing import Annotated

import typer

from ..files.forms import FORMS_IN, Form
from ..ontology.releases.listed import listed
from .command import grouped
from .option_groups import JudgeModelOptions, Quorum, RunOptions, Weights
from .options import (
    AddedSources,
    Delimiter,
    Encoding,
    SheetName,
    Sources,
)

_FILES, _JUDGES, _NUMBERS = "Files", "Judges", "Numbers"

Cases = Annotated[Path, typer.Argument(help=f"The cases: {FORMS_IN}.")]
Responses = Annotated[
    list[str],
    typer.Argument(help="A file of responses for each model under test: PATH or NAME=PATH."),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The folder for everything.", rich_help_panel=_FILES)
]
PresetName = Annotated[
    str | None,
    typer.Option(help="diagnosis, hddx, dermcase, medsyn, mediconfusion, medlesionvqa or choice."),
]
Config = Annotated[
    Path | None, typer.Option(help="Settings in YAML; flags win.", rich_help_panel=_FILES)
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        help="openai:MODEL, anthropic:MODEL, openai:MODEL@http://host/v1. May be repeated; the "
        "first one also extracts.",
        rich_help_panel=_JUDGES,
    ),
]
Jury = Annotated[
    str | None,
    typer.Option(
        help="Score the judges' jury as one more judge: majority, plurality, unanimous, weighted, "
        "or for numbers mean, median, min, max (and majority for the rest).",
        rich_help_panel=_JUDGES,
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group", help="A column of the cases to break numbers down by. May be repeated."
    ),
]
Conditions = Annotated[
    Path | None,
    typer.Option(help="DDXPlus: release_conditions.json.", rich_help_panel=_FILES),
]
Evidences = Annotated[
    Path | None, typer.Option(help="DDXPlus: release_evidences.json.", rich_help_panel=_FILES)
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        help="A canonical table to read reviewed codes from, and to keep.", rich_help_panel=_FILES
    ),
]
SemanticEncoder = Annotated[
    str | None,
    typer.Option(help="For semantic scores: default, a sentence-transformers name or folder."),
]
CodeModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="A model that chooses each diagnosis's code among the candidates, which takes a call "
        "a diagnosis: openai:gpt-4o, ... An embedding model's name is taken as --encoder.",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        help="The embedding model that finds the candidates: default, a sentence-transformers "
        "name or folder, or openai:text-embedding-3-large.",
    ),
]
Ontology = Annotated[
    str | None,
    typer.Option(help=f"The release: {listed()}, or one of your own as path/to/release.py:NAME."),
]
Unmapped = Annotated[
    str | None,
    typer.Option(help="ignore or penalise predictions that do not map.", rich_help_panel=_NUMBERS),
]
UnknownCodes = Annotated[
    str | None,
    typer.Option(
        help="error or exclude: what a true code does that the release does not hold.",
        rich_help_panel=_NUMBERS,
    ),
]
Seed = Annotated[int | None, typer.Option(help="Of the resampling.", rich_help_panel=_NUMBERS)]
Resamples = Annotated[int | None, typer.Option(help="How many (2000).", rich_help_panel=_NUMBERS)]
Stress = Annotated[
    Path | None,
    typer.Option(
        help="A table of dxjudge stress, for the report; FOLDER/stress.csv where it exists.",
        rich_help_panel=_FILES,
    ),
]
Shown = Annotated[int, typer.Option(min=0, help="Cases in the report; numbers use all.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no table.")]


@grouped
def evaluate(
    *,
    cases: Cases,
    responses: Responses,
    output: Output,
    preset: PresetName = None,
    config: Config = None,
    judge: Judges = None,
    asked: JudgeModelOptions,
    jury: Jury = None,
    quorum: Quorum = None,
    weights: Weights = None,
    group: Groups = None,
    conditions: Conditions = None,
    evidences: Evidences = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    table: TableFile = None,
    semantic_encoder: SemanticEncoder = None,
    ontology: Ontology = None,
    model: CodeModel = None,
    encoder: Encoder = None,
    source: Sources = None,
    added_sources: AddedSources = "all",
    unmapped: Unmapped = None,
    unknown_codes: UnknownCodes = None,
    seed: Seed = None,
    resamples: Resamples = None,
    run: RunOptions,
    stress: Stress = None,
    report_cases: Shown = 200,
    quiet: Quiet = False,
) -> None:
    """Evaluate the responses of models: extract, map, judge, score, compare, report.

    In: a table of cases, and a table of responses for each model under test.
    Out: a folder with tables of numbers, every verdict, and report.html.

    Without a judge everything runs that rules and the ontology can decide, and
    the rest is listed with the flag that adds it. Run the same command again to
    go on after a stop. Exit code 3: some items failed; 7: the budget was reached.

    Examples:
      dxjudge evaluate cases.jsonl model_a.jsonl model_b.jsonl -o out
      dxjudge evaluate cases.csv gpt=a.csv qwen=b.csv -o out --preset hddx \\
        --judge openai:gpt-4o
      dxjudge evaluate release_test_patients.csv model.jsonl -o out \\
        --preset hddx --conditions release_conditions.json
    """
    from ..graphs.jury.weights import read_weights
    from .runs.evaluate_run import Request, run_evaluation

    flags = {
        "preset": preset,
        "judges": tuple(judge) if judge else None,
        "jury": jury or ("weighted" if weights else None),
        "quorum": quorum,
        "weights": read_weights(weights) if weights else None,
        "groups": tuple(group) if group else None,
        "encoder": semantic_encoder,
        "ontology": ontology,
        "unmapped": unmapped,
        "unknown_codes": unknown_codes,
        "seed": seed,
        "resamples": resamples,
    }
    request = Request(
        cases, list(responses), output, config, flags, conditions, evidences, table,
        model, encoder, tuple(source or ()), added_sources, run, asked, stress,
        report_cases, quiet, Form(None, delimiter, encoding, sheet),
    )  # fmt: skip
    raise typer.Exit(run_evaluation(request))
