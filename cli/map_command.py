"""`dxjudge map`: map a file of free-text diagnoses to ICD-10 codes."""

import os
from pathlib import Path
from typing import Annotated, get_args

import typer

from ..files import forms
from ..files.forms import FORMS_OUT, MAPPING_SUFFIXES, Form
from .command import grouped
from .option_groups import BatchRunOptions, ModelOptions
from .options import (
    ROWS as _ROWS,
)
from .options import (
    RUN,
    AsJson,
    Chroma,
    Cluster,
    Concepts,
    Delimiter,
    Encoding,
    EstimateOnly,
    Input,
    InputFormat,
    Quiet,
    Rebuild,
    SheetName,
)
from .searching_options import SearchingOptions
from .terminal import completion

_TABLE, _MODEL = "Reuse and review", "Model"

Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        help=f"The file to write: {FORMS_OUT}; or mappings alone, for other tools: "
        f"{', '.join(MAPPING_SUFFIXES)}. - is standard output.",
        rich_help_panel=_ROWS,
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns,
        help="The column with the diagnoses. By default it is guessed where it is obvious.",
        rich_help_panel=_ROWS,
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.columns,
        help="The column that says how many rows each row stands for, of a list that holds every "
        "text once. Shares and frequencies then count those.",
        rich_help_panel=_ROWS,
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        help=f"The form of the output: {', '.join(get_args(forms.OutputFormat))}. By default the "
        "suffix of the file says it.",
        rich_help_panel=_ROWS,
    ),
]
Candidates = Annotated[
    bool,
    typer.Option(
        "--candidates",
        help="Add a column with the ranked candidates, as JSON.",
        rich_help_panel=_ROWS,
    ),
]
Split = Annotated[
    bool,
    typer.Option(
        "--split",
        help="Map each diagnosis of a cell that lists several (pneumonia; sepsis).",
        rich_help_panel=_ROWS,
    ),
]
TopK = Annotated[
    int, typer.Option(min=1, max=100, help="How many candidates to rank.", rich_help_panel="Search")
]
MinScore = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Leave a text unmapped whose score is below this.",
        rich_help_panel="Search",
    ),
]
Style = Annotated[
    str,
    typer.Option(
        help="How the texts are written: auto (found from the column), form (the short style of "
        "hospital forms: billable codes unless --specificity is given) or chart (all others).",
        rich_help_panel="Ontology",
    ),
]
SpecificityOfStyle = Annotated[
    str | None,
    typer.Option(
        "--specificity",
        help="How precise the codes are: concept (as precise as the text), category (3 characters "
        "in ICD-10) or billable (codes that can be billed). By default the style decides.",
        rich_help_panel="Ontology",
    ),
]
Table = Annotated[
    Path | None,
    typer.Option(
        help="The canonical table (.tsv, .csv or .xlsx): reviewed codes are read from it where it "
        "exists, new codes are added to it.",
        rich_help_panel=_TABLE,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A model that chooses among the candidates: openai:gpt-4o, anthropic:MODEL, or "
        "openai:MODEL@http://127.0.0.1:8080/v1. The name of an embedding model means --encoder.",
        rich_help_panel=_MODEL,
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        help="The embedding model: default (packaged with dxjudge), the name or folder of a "
        "sentence-transformers model, or openai:MODEL such as text-embedding-3-large.",
        rich_help_panel="Search",
    ),
]
Rerank = Annotated[
    str | None,
    typer.Option(
        help="For which texts the model chooses: all (the default), ambiguous (no equal term, no "
        "clear embedded choice) or, with --translate, none.",
        rich_help_panel=_MODEL,
    ),
]
Translate = Annotated[
    bool,
    typer.Option(
        "--translate",
        help="Let the model translate every text to English first.",
        rich_help_panel=_MODEL,
    ),
]
Fallback = Annotated[
    str | None,
    typer.Option(
        help="embedded: where the model fails, keep the embedded choice, or the untranslated "
        "text. The column reason says so.",
        rich_help_panel=_MODEL,
    ),
]
Shuffle = Annotated[
    int | None,
    typer.Option(
        metavar="SEED",
        help="Show the candidates to the model in a random order, drawn with this seed.",
        rich_help_panel=_MODEL,
    ),
]
Accept = Annotated[
    float | None,
    typer.Option(
        help="Mark the rows that can be taken at this precision, such as 0.95, in a column "
        "accepted.",
        rich_help_panel=_TABLE,
    ),
]
AcceptsOn = Annotated[
    str | None,
    typer.Option(
        "--accept-on",
        help="What is right in that share of the accepted rows: category (the default) or code.",
        rich_help_panel=_TABLE,
    ),
]
Fitted = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        metavar="FILE",
        help="Confidences fitted to this column by dxjudge table calibrate; none for those of "
        "the package. By default the file beside --table, where there is one.",
        rich_help_panel=_TABLE,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many processes map at once, with the packaged encoder and without --model. By "
        "default one for each core, and one for a few hundred texts. On Linux each takes 0.2 GB.",
        rich_help_panel=RUN,
    ),
]
Journal = Annotated[
    Path | None,
    typer.Option(
        help="Where mapped texts are kept until all texts are mapped. By default OUTPUT.journal.",
        rich_help_panel=RUN,
    ),
]


@grouped
def map_file(
    *,
    input: Input,
    output: Output = "-",
    column: Column = None,
    count: Count = None,
    split: Split = False,
    candidates: Candidates = False,
    input_format: InputFormat = None,
    output_format: OutputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    concepts: Concepts = None,
    table: Table = None,
    accept: Accept = None,
    accept_on: AcceptsOn = None,
    calibration: Fitted = None,
    searching: SearchingOptions,
    specificity: SpecificityOfStyle = None,
    style: Style = "auto",
    min_score: MinScore = None,
    top_k: TopK = 15,
    model: Model = None,
    model_options: ModelOptions,
    translate: Translate = False,
    rerank: Rerank = None,
    fallback: Fallback = None,
    shuffle: Shuffle = None,
    encoder: Encoder = None,
    chroma: Chroma = None,
    rebuild_index: Rebuild = False,
    estimate: EstimateOnly = False,
    run: BatchRunOptions,
    workers: Workers = None,
    cluster: Cluster = None,
    journal: Journal = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Map a file of free-text diagnoses to ICD-10 codes.

    In: a table with a column of diagnoses, or a list with one diagnosis on
    each line. Out: the same rows and columns in the same order, and new
    columns: code, name, score, category_score, decided_by, status,
    additional_codes, additional_names and reason.
    Each distinct text is mapped once. Exit code 3: some rows failed. Exit
    code 7: the budget for models was reached. After a crash run the same
    command again: it continues where it stopped.

    Examples:
      dxjudge map diagnoses.csv -o mapped.csv
      dxjudge map cases.xlsx --sheet "Ward 3" -o mapped.xlsx
      dxjudge map notes.parquet --column dx --split -o mapped.parquet
      dxjudge map diagnoses.csv -o mapped.csv --accept 0.95
      dxjudge map list.txt --table reviewed.tsv -o mapped.sssom.tsv
      dxjudge map diagnoses.csv -o mapped.csv --model openai:gpt-4o --estimate
      dxjudge map diagnoses.csv -o mapped.csv --model openai:gpt-4o \\
        --rerank ambiguous --max-cost 5
      dxjudge map diagnoses/ -o mapped/ --cluster
      dxjudge map diagnosen.csv -o mapped.csv --model openai:gpt-4o --translate
      echo "heart attack" | dxjudge map -
    """
    # Several processes with as many threads each are slower; NumPy reads this when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .runs.map_accept import read_wanted
    from .runs.map_job import Request
    from .runs.map_model import read_models
    from .runs.map_run import run_map
    from .runs.map_style import read_named_style
    from .terminal.facts import check_output

    encoder, asked = read_models(
        model,
        encoder,
        {
            "translate": translate,
            "rerank": rerank,
            "fallback": fallback,
            "shuffle": shuffle,
            "estimate": estimate,
        },
        model_options,
        run,
    )

    settings = {
        **searching.settings,
        "specificity": specificity,
        "min_score": min_score,
        "top_k": top_k,
        "model": encoder,
        "chroma": chroma,
        "rebuild": rebuild_index,
    }
    form = Form(input_format, delimiter, encoding, sheet)
    request = Request(
        input, output, column, split, candidates, form, output_format, table, journal, concepts,
        read_wanted(accept, accept_on, calibration), read_named_style(style), workers, count,
    )  # fmt: skip
    if cluster is not None and asked and asked.estimate_only:
        from .cluster.map_estimate import estimate_map_cluster

        code = estimate_map_cluster(request, settings, asked, cluster, quiet=quiet, as_json=as_json)
        raise typer.Exit(code)
    if cluster is not None:
        from .cluster.map_run import run_map_cluster

        code = run_map_cluster(request, settings, asked, cluster, quiet=quiet, as_json=as_json)
        raise typer.Exit(code)
    if not estimate:
        check_output(output, as_json=as_json)
    raise typer.Exit(run_map(request, settings, asked, quiet=quiet, as_json=as_json))
