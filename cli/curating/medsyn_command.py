"""`dxjudge curate medsyn`: evidence by modality and four options from case reports."""

import typer

from ..command import grouped
from ..option_groups import BatchRunOptions, JudgeModelOptions
from ..options import Delimiter, Encoding, EstimateOnly, InputFormat, SheetName
from .options import Codes, Model, Output, Printing, Reports, Seed, Solver, Tries


@grouped
def medsyn(
    *,
    input: Reports,
    output: Output,
    judge: Model,
    solver: Solver = None,
    tries: Tries = 3,
    seed: Seed = 0,
    codes: Codes = True,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    sheet: SheetName = None,
    encoding: Encoding = None,
    asked: JudgeModelOptions,
    run: BatchRunOptions,
    estimate: EstimateOnly = False,
    printing: Printing,
) -> None:
    """Make the data of MEDSYN from case reports with a differential.

    In: a folder or table of reports; a column figures, or the figures of an
    HTML page, have the images. Out: for each report a paragraph for each kind
    of evidence, and four options of which three are from its differential.
    Every statement is checked against its report, and over the whole set the
    options alone must not give the answer away. Each item is accepted,
    rejected (the item names the check), or failed, where the model could not
    be asked. Exit code 3: some items failed. Exit code 7: the budget was
    reached. After a crash run the same command again: it asks only what was
    not answered.

    Examples:
      dxjudge curate medsyn reports/ -o medsyn --judge openai:gpt-4o
    """
    from ...files.forms import Form
    from .medsyn_run import run_medsyn

    code = run_medsyn(
        input,
        output,
        asked.judge(judge),
        run,
        solver=asked.judge(solver) if solver else None,
        tries=tries,
        seed=seed,
        codes=codes,
        form=Form(input_format, delimiter, encoding, sheet),
        estimate=estimate,
        printing=printing,
    )
    raise typer.Exit(code)
