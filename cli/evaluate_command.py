"""`dxjudge evaluate`: evaluate the responses of models under test, and write a report."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from ..files.forms import FORMS_IN, Form
from ..ontology.releases.listed import listed
from .command import grouped
from .option_groups import BatchRunOptions, JudgeModelOptions, Quorum, Weights
from .options import (
    AsJson,
    Conditions,
    Delimiter,
    Encoding,
    EstimateOnly,
    Evidences,
    OneDimension,
    SheetName,
)
from .searching_options import FurtherTerms
from .terminal import completion

_FILES, _JUDGES, _NUMBERS = "Files", "Judges", "Numbers"

Cases = Annotated[Path, typer.Argument(help=f"The table of cases: {FORMS_IN}.")]
Responses = Annotated[
    list[str],
    typer.Argument(help="The table of responses of each model under test: PATH or NAME=PATH."),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", help="The folder to write tables and report to.", rich_help_panel=_FILES
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.presets,
        help="What is scored: diagnosis (the default), hddx, dermcase, medsyn, mediconfusion, "
        "medlesionvqa, healthbench, choice or pairwise.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Settings in YAML. An option of the command overrides its setting.",
        rich_help_panel=_FILES,
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        help="openai:MODEL, anthropic:MODEL or openai:MODEL@http://host/v1. May be repeated; the "
        "first judge also extracts.",
        rich_help_panel=_JUDGES,
    ),
]


def _no_engine(given: str | None) -> None:
    if given is not None:
        raise UsageError(
            "evaluate has no --engine: without --judge, rules and the ontology decide what they "
            "can; a model is named with --judge"
        )


NoEngine = Annotated[str | None, typer.Option("--engine", hidden=True, callback=_no_engine)]
"""An option of `dxjudge judge`, which people try here too."""

Jury = Annotated[
    str | None,
    typer.Option(
        help="Add the jury of all judges as one more judge, by this rule: majority, plurality, "
        "unanimous, weighted, or for numbers mean, median, min, max (with majority for the "
        "rest). Every judge judges every item, because each judge has its own numbers; so the "
        "options --escalate and --replacement of dxjudge judge do not exist here.",
        rich_help_panel=_JUDGES,
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        autocompletion=completion.columns,
        help="A column of the cases whose groups are scored apart. May be repeated.",
    ),
]
ModelsFile = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="A table with a row for each model (column model) and attributes such as type and "
        "size; every metric is averaged over each group of models.",
        rich_help_panel=_FILES,
    ),
]
RatingsFile = Annotated[
    Path | None,
    typer.Option(
        "--ratings",
        help="A table of what experts say of the responses: ratings (case, model, rater, rating), "
        "or choices (case, rater, first, second, chosen). Every metric is compared with it.",
        rich_help_panel=_FILES,
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option(
        help="The canonical table: reviewed codes are read from it, new codes are added to it.",
        rich_help_panel=_FILES,
    ),
]
SemanticEncoder = Annotated[
    str | None,
    typer.Option(
        help="The embedding model of the semantic scores: default, or the name or folder of a "
        "sentence-transformers model."
    ),
]
CodeModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="A model that chooses the code of each diagnosis among the candidates, with one call "
        "for each diagnosis: openai:gpt-4o, ... The name of an embedding model means --encoder.",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        help="The embedding model that finds the candidates: default, the name or folder of a "
        "sentence-transformers model, or openai:MODEL such as text-embedding-3-large.",
    ),
]
Ontology = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.releases,
        help=f"The ontology release: {listed()}, or your own release as path/to/release.py:NAME.",
    ),
]
Unmapped = Annotated[
    str | None,
    typer.Option(
        help="What to do with predictions that have no code: ignore or penalise.",
        rich_help_panel=_NUMBERS,
    ),
]
UnknownCodes = Annotated[
    str | None,
    typer.Option(
        help="What to do with a true code that is not in the release: error or exclude the case.",
        rich_help_panel=_NUMBERS,
    ),
]
AnswerForm = Annotated[
    str | None,
    typer.Option(
        help="What the models of pairs were asked for: free (the default), or letter, which code "
        "reads as the authors of MediConfusion do.",
        rich_help_panel=_NUMBERS,
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="The seed of the resampling.", rich_help_panel=_NUMBERS)
]
Resamples = Annotated[
    int | None,
    typer.Option(
        help="How many resamples the intervals use. By default 2000.", rich_help_panel=_NUMBERS
    ),
]
Stress = Annotated[
    Path | None,
    typer.Option(
        help="A table that `dxjudge stress` wrote, for the report. By default stress.csv in the "
        "output folder, where it exists.",
        rich_help_panel=_FILES,
    ),
]
Shown = Annotated[
    int, typer.Option(min=0, help="How many cases the report shows. The numbers use all cases.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no table.")]


@grouped
def evaluate(
    *,
    cases: Cases,
    responses: Responses,
    output: Output,
    preset: PresetName = None,
    config: Config = None,
    judge: Judges = None,
    engine: NoEngine = None,
    asked: JudgeModelOptions,
    one_dimension_a_call: OneDimension = False,
    jury: Jury = None,
    quorum: Quorum = None,
    weights: Weights = None,
    group: Groups = None,
    models: ModelsFile = None,
    ratings: RatingsFile = None,
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
    terms: FurtherTerms,
    unmapped: Unmapped = None,
    unknown_codes: UnknownCodes = None,
    answer_form: AnswerForm = None,
    seed: Seed = None,
    resamples: Resamples = None,
    run: BatchRunOptions,
    estimate: EstimateOnly = False,
    stress: Stress = None,
    report_cases: Shown = 200,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate the responses of models: extract, map, judge, score, compare, report.

    In: a table of cases, and a table of responses for each model under test.
    Out: a folder with tables of the numbers, every verdict, and report.html.

    Without a judge, rules and the ontology decide what they can. The other
    tasks are listed, each with the option that adds it. After an interruption
    run the same command again: it continues where it stopped. Exit code 3:
    some items failed. Exit code 7: the budget was reached.

    Examples:
      dxjudge evaluate cases.jsonl model_a.jsonl model_b.jsonl -o out
      dxjudge evaluate cases.csv gpt=a.csv qwen=b.csv -o out --preset hddx \\
        --judge openai:gpt-4o
      dxjudge evaluate release_test_patients.csv model.jsonl -o out \\
        --preset hddx --conditions release_conditions.json
    """
    from ..evaluation.model_attributes import read_models
    from ..graphs.jury.weights import read_weights
    from .runs.evaluate_run import Request, run_evaluation

    flags = {
        "preset": preset,
        "judges": tuple(judge) if judge else None,
        "jury": jury or ("weighted" if weights else None),
        "quorum": quorum,
        "weights": read_weights(weights) if weights else None,
        "groups": tuple(group) if group else None,
        "models": read_models(models) if models else None,
        "encoder": semantic_encoder,
        "ontology": ontology,
        "unmapped": unmapped,
        "unknown_codes": unknown_codes,
        "answer_form": answer_form,
        "seed": seed,
        "one_dimension_a_call": one_dimension_a_call or None,
        "resamples": resamples,
    }
    request = Request(
        cases, list(responses), output, config, flags, conditions, evidences, ratings, table,
        model, encoder, terms, run, asked, stress,
        report_cases, quiet, Form(None, delimiter, encoding, sheet), estimate, as_json,
    )  # fmt: skip
    raise typer.Exit(run_evaluation(request))
