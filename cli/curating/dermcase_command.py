"""`dxjudge curate dermcase`: records, questions, reasoning and pairs from case reports."""

import typer

from ..command import grouped
from ..option_groups import BatchRunOptions, JudgeModelOptions
from ..options import Delimiter, Encoding, EstimateOnly, InputFormat, SheetName
from .options import Codes, Model, Output, Printing, Reports, Seed, Tries


@grouped
def dermcase(
    *,
    input: Reports,
    output: Output,
    judge: Model,
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
    """Make the data of DermCase from case reports.

    In: a folder or table of reports. Out: for each report a case record with
    verbatim quotes, a question about the images, a reasoning, and preference
    pairs. Every statement is checked against its report. Each item is
    accepted, rejected (the item names the check), or failed, where the model
    gave no answer that can be read. Exit code 3: some items failed. Exit code
    7: the budget was reached. After a crash run the same command again: it
    asks only what was not answered.

    Examples:
      dxjudge curate dermcase reports/ -o dermcase --judge openai:gpt-4o
    """
    from ...files.forms import Form
    from .dermcase_run import run_dermcase

    code = run_dermcase(
        input,
        output,
        asked.judge(judge),
        run,
        tries=tries,
        seed=seed,
        codes=codes,
        form=Form(input_format, delimiter, encoding, sheet),
        estimate=estimate,
        printing=printing,
    )
    raise typer.Exit(code)
