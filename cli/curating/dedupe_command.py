"""`dxjudge curate dedupe`: leave out cases that occur more than once."""

from typing import Annotated

import typer

from ..command import grouped
from ..options import Delimiter, Encoding, InputFormat, Output, SheetName
from ..options import Input as Cases
from ..terminal import completion
from .options import Printing

_SAME = "What is the same"

Text = Annotated[
    str | None,
    typer.Option(
        "--column",
        autocompletion=completion.columns,
        help="The column with the text. By default case, question, report or text.",
    ),
]
Codes = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        autocompletion=completion.columns,
        help="A column with codes; cases with a common code need less similarity.",
        rich_help_panel=_SAME,
    ),
]
EncoderName = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME",
        help="Also compare by embedding: default, openai:NAME, or a sentence-transformers model.",
        rich_help_panel=_SAME,
    ),
]
Near = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="The least Jaccard index of the runs of three words.",
        rich_help_panel=_SAME,
    ),
]
SameCode = Annotated[
    float,
    typer.Option(
        metavar="SHARE", help="The same, for cases with a common code.", rich_help_panel=_SAME
    ),
]
Alike = Annotated[
    float,
    typer.Option(
        metavar="COSINE", help="The least cosine of two embeddings.", rich_help_panel=_SAME
    ),
]
Duplicates = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Also write the duplicates, JSON Lines: which, of what, and why."
    ),
]


@grouped
def dedupe(
    *,
    input: Cases,
    output: Output,
    column: Text = None,
    codes: Codes = None,
    encoder: EncoderName = None,
    near: Near = 0.8,
    same_code: SameCode = 0.5,
    alike: Alike = 0.95,
    duplicates: Duplicates = None,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    printing: Printing,
) -> None:
    """Leave out cases that occur more than once, and say why each is left out.

    Two cases are the same if their words are (exact), if they share most runs
    of three words (near), if they share many and have a code in common (code),
    or if their embeddings are alike (embedding). Of linked cases the first one
    stays. No model is asked.

    Examples:
      dxjudge curate dedupe cases.jsonl -o distinct.jsonl
    """
    from ...curation.duplicates import Thresholds
    from ...files.forms import Form
    from .dedupe_run import run_dedupe

    run_dedupe(
        input,
        output,
        column=column,
        codes=codes,
        encoder=encoder,
        thresholds=Thresholds(near, same_code, alike),
        duplicates=duplicates,
        form=Form(input_format, delimiter, encoding, sheet),
        printing=printing,
    )
