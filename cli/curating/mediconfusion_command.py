"""`dxjudge curate mediconfusion`: questions about image pairs that models confuse."""

from pathlib import Path
from typing import Annotated

import typer

from ..command import grouped
from ..option_groups import BatchRunOptions, JudgeModelOptions
from ..options import Delimiter, Encoding, EstimateOnly, InputFormat, SheetName
from .options import ROWS, WRITING, Model, Output, Printing, Seed, Solver, Tries

_PAIRS = "Which pairs"

Input = Annotated[
    str,
    typer.Argument(
        metavar="IMAGES", help="A table with the columns id, image (a path or URL) and caption."
    ),
]
Medical = Annotated[
    str,
    typer.Option(
        metavar="VECTORS",
        help="The vectors of a medical encoder: .npy (rows in the order of the images), .npz "
        "(vectors, ids), .parquet (id, vector), or FILE.py:FUNCTION, which is called with the "
        "paths.",
        rich_help_panel=_PAIRS,
    ),
]
General = Annotated[
    str,
    typer.Option(
        metavar="VECTORS",
        help="The vectors of a general encoder, in the same forms.",
        rich_help_panel=_PAIRS,
    ),
]
LeastMedical = Annotated[
    float,
    typer.Option(
        metavar="COSINE",
        help="The least similarity of a pair to the medical encoder.",
        rich_help_panel=_PAIRS,
    ),
]
MostGeneral = Annotated[
    float,
    typer.Option(
        metavar="COSINE",
        help="The greatest similarity of a pair to the general encoder.",
        rich_help_panel=_PAIRS,
    ),
]
PerImage = Annotated[
    int,
    typer.Option(min=1, help="How many pairs an image may be in.", rich_help_panel=_PAIRS),
]
Pairs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many pairs to write about, those with the widest gap. By default all.",
        rich_help_panel=_PAIRS,
    ),
]
CategoryList = Annotated[
    str | None,
    typer.Option(
        "--categories",
        metavar="FILE",
        help="The categories: a file, or mediconfusion. By default the model lists them from 100 "
        "captions.",
        rich_help_panel=WRITING,
    ),
]
Validation = Annotated[
    float,
    typer.Option(
        metavar="SHARE", help="The share of the pairs that validate.", rich_help_panel=ROWS
    ),
]
Scores = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="Experts' scores from 1 to 10: to_rate.csv, filled in. A pair stays with 5 or more "
        "for both images.",
        rich_help_panel=ROWS,
    ),
]


@grouped
def mediconfusion(
    *,
    input: Input,
    output: Output,
    medical: Medical,
    general: General,
    judge: Model,
    solver: Solver = None,
    least_medical: LeastMedical = 0.9,
    most_general: MostGeneral = 0.75,
    per_image: PerImage = 1,
    pairs: Pairs = None,
    categories: CategoryList = None,
    scores: Scores = None,
    validation: Validation = 0.2,
    tries: Tries = 3,
    seed: Seed = 0,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    asked: JudgeModelOptions,
    run: BatchRunOptions,
    estimate: EstimateOnly = False,
    printing: Printing,
) -> None:
    """Make the data of MediConfusion from images with captions.

    Finds pairs of images that are alike to a medical encoder and unlike to a
    general one, and writes a question for each pair with two options, of which
    each image has another. A solver who reads a caption must choose the option
    of its image. questions.jsonl is what `dxjudge answer` and `dxjudge
    evaluate --preset mediconfusion` read. Experts fill in to_rate.csv; with
    --scores the same command keeps what they accept. Exit code 3: some pairs
    failed, or have no score.

    Examples:
      dxjudge curate mediconfusion images.csv -o pairs --judge openai:gpt-4o \\
          --medical medical.npz --general general.npz
    """
    from ...curation.mediconfusion.pair_settings import PairSettings
    from ...files.forms import Form
    from ...prompts.load_data import load_categories
    from .mediconfusion_run import run_mediconfusion

    settings = PairSettings(
        least_medical=least_medical,
        most_general=most_general,
        per_image=per_image,
        pairs=pairs,
        tries=tries,
        seed=seed,
        validation=validation,
        categories=load_categories(categories) if categories else None,
    )
    code = run_mediconfusion(
        input,
        output,
        asked.judge(judge),
        run,
        solver=asked.judge(solver) if solver else None,
        vectors=(medical, general),
        settings=settings,
        scores=scores,
        form=Form(input_format, delimiter, encoding, sheet),
        estimate=estimate,
        printing=printing,
    )
    raise typer.Exit(code)
