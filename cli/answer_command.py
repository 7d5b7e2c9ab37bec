"""`dxjudge answer`: ask models under test about cases."""

import typer

from .answering_options import AnswerOptions
from .command import grouped


@grouped
def answer(options: AnswerOptions) -> None:
    """Ask models under test about cases, and write their responses for `evaluate`.

    In: a table of cases, as for `dxjudge evaluate`; images stand in a column
    images. Out: one row for each case and model, and for each sample, wording
    and withheld evidence, with what the model answered. A model that gives no
    answer has a row with status failed and the reason; `evaluate` counts it
    as failed.

    After an interruption run the same command again: it continues where it
    stopped. Exit code 3: some rows failed. Exit code 7: the budget was reached.

    Examples:
      dxjudge answer cases.jsonl -o responses.jsonl --form dermcase \\
        --model openai:gpt-4o
      dxjudge answer cases.jsonl -o responses.jsonl --form medsyn \\
        --model a=openai:gpt-4o --model b=anthropic:MODEL --withhold imaging
      dxjudge answer cases.jsonl -o responses.jsonl --form medsyn \\
        --model openai:gpt-4o --estimate
    """
    from .runs.answer_run import run_answer

    raise typer.Exit(run_answer(options))
