"""`dxjudge stress`: test whether verdicts survive changes that should not matter."""

import typer

from .command import grouped
from .judging_options import StressOptions


@grouped
def stress(options: StressOptions) -> None:
    """Test whether a judge's verdicts survive changes that should not matter.

    In: a table as for `dxjudge judge`. Out: one row for each trial (case,
    judge, perturbation, base verdict, perturbed verdict, flipped, status),
    the cases that flipped most first. Standard output shows the share of
    flips for each judge and change with its 95 % interval.

    Every row is judged as it is, and again after each change: options in
    another order, the two diagnoses swapped, the prompt in other words, other
    white space, capitals, an irrelevant sentence, an injected instruction, and
    repeats at a temperature. Letters and positions in the answers are mapped
    back. Failures and abstentions are counted apart, never as flips. After a
    crash run the same command again: it continues where it stopped.

    Examples:
      dxjudge stress judge_equivalence pairs.csv -o trials.csv \\
        --judge openai:gpt-4o --estimate
      dxjudge stress match_option options.jsonl -o trials.csv \\
        --perturb order,wording --judge openai:gpt-4o --judge anthropic:MODEL
      dxjudge stress grade_ddx cases.jsonl -o trials.jsonl --perturb repeat \\
        --repeats 5 --temperature 1 --json \\
        --judge openai:qwen@http://127.0.0.1:8080/v1
    """
    from .runs.stress_run import run_stress

    raise typer.Exit(run_stress(options))
