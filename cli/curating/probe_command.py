"""`dxjudge curate probe`: does a model know a data set already."""

from typing import Annotated

import typer

from ..command import grouped
from ..option_groups import BatchRunOptions, JudgeModelOptions
from ..options import AsJson, Delimiter, Encoding, EstimateOnly, InputFormat, Output, SheetName

Cases = Annotated[
    str,
    typer.Argument(metavar="CASES", help="Questions or cases, as `dxjudge evaluate` reads them."),
]
Model = Annotated[
    str, typer.Option("--model", metavar="MODEL", help="The model that is probed: openai:gpt-4o.")
]
ByHeart = Annotated[
    int,
    typer.Option(min=1, help="From how many words in a row a text counts as known by heart."),
]


@grouped
def probe(
    *,
    input: Cases,
    output: Output,
    model: Model,
    by_heart: ByHeart = 12,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    as_json: AsJson = False,
    asked: JudgeModelOptions,
    run: BatchRunOptions,
    estimate: EstimateOnly = False,
) -> None:
    """Probe whether a model knows a data set: contamination.

    Two probes: each question with one right option is asked without its image
    and case; and the first half of each text (case or text, 40 words or more)
    is to be continued word for word. The output has the rows with the columns
    solved_alone, words_by_heart and probe_failed. Exit code 3: a probe failed.

    Examples:
      dxjudge curate probe questions.jsonl -o probed.csv --model openai:gpt-4o
    """
    from ...files.forms import Form
    from .probe_run import run_probe

    form = Form(input_format, delimiter, encoding, sheet)
    code = run_probe(
        input,
        output,
        asked.judge(model),
        run,
        by_heart=by_heart,
        form=form,
        as_json=as_json,
        estimate=estimate,
    )
    raise typer.Exit(code)
