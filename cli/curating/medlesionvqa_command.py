"""`dxjudge curate medlesionvqa`: questions for seven abilities from annotation records."""

from typing import Annotated

import typer

from ..command import grouped
from ..option_groups import BatchRunOptions, JudgeModelOptions
from ..options import Delimiter, Encoding, EstimateOnly, InputFormat, SheetName
from .options import ROWS, Model, Output, Printing, Seed, Solver, Tries

_WHAT = "What is asked"

Input = Annotated[
    str,
    typer.Argument(
        metavar="RECORDS",
        help="The annotation records, JSON Lines: id, patient, images, regions, lesions, "
        "relations, reasoning, diseases, advice (docs/curation.md).",
    ),
]
Questions = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many questions. By default as many as the shares of the abilities allow.",
        rich_help_panel=_WHAT,
    ),
]
Abilities = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="The abilities with their shares, question types and instructions: medlesionvqa, or "
        "a file of your own.",
        rich_help_panel=_WHAT,
    ),
]
Values = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        help="The value lists of the records: medlesionvqa, or a file of your own.",
        rich_help_panel=_WHAT,
    ),
]
Validation = Annotated[
    float,
    typer.Option(
        metavar="SHARE", help="The share of the questions that validate.", rich_help_panel=ROWS
    ),
]


@grouped
def medlesionvqa(
    *,
    input: Input,
    output: Output,
    judge: Model,
    solver: Solver = None,
    questions: Questions = None,
    abilities: Abilities = "medlesionvqa",
    values: Values = "medlesionvqa",
    validation: Validation = 0.1,
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
    """Make the data of MedLesionVQA from annotation records of the body surface.

    Code decides what is asked and what is right; the model writes the question
    and chooses wrong options from the value lists. A solver who reads the
    record must find the answer; whether it finds it without the record is a
    column. questions.jsonl is what `dxjudge answer` and `dxjudge evaluate
    --preset medlesionvqa` read. Exit code 3: some questions failed, or a
    record could not be used.

    Examples:
      dxjudge curate medlesionvqa records.jsonl -o lesions \\
          --judge openai:gpt-4o --questions 200
    """
    from ...curation.medlesionvqa.ability_settings import AbilitySettings
    from ...files.forms import Form
    from ...prompts.annotations import load_ability_rules, load_value_lists
    from .medlesionvqa_run import run_medlesionvqa

    settings = AbilitySettings(
        questions=questions,
        tries=tries,
        seed=seed,
        validation=validation,
        lists=load_value_lists(values),
        rules=load_ability_rules(abilities),
    )
    code = run_medlesionvqa(
        input,
        output,
        asked.judge(judge),
        run,
        solver=asked.judge(solver) if solver else None,
        settings=settings,
        form=Form(input_format, delimiter, encoding, sheet),
        estimate=estimate,
        printing=printing,
    )
    raise typer.Exit(code)
