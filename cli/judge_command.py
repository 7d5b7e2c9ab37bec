"""`dxjudge judge`: judge every row of a table with a step."""

import typer

from .command import grouped
from .judging_options import JudgeOptions


@grouped
def judge_rows(options: JudgeOptions) -> None:
    """Judge every row of a table: rows go in, the same rows with verdicts come out.

    In: a table with a column for each field of the step (`dxjudge steps` lists
    the fields). Out: the same rows and columns in the same order, and new
    columns: status (done, abstained, failed), reason, decided_by, repairs and
    the fields of the step's result. A failed row has no result.

    After a crash or a failure run the same command again: it continues where
    it stopped. Exit code 0: no row failed. Exit code 3: some rows failed, and
    the column reason says why.

    With several judges, or with an option of the jury, each row is judged by a
    jury. The new columns are then status (decided, tied, abstained,
    no_quorum), reason, verdict, shares, votes, replaced, escalated and the
    result.

    Examples:
      dxjudge judge judge_equivalence pairs.csv -o out.csv --engine rules
      dxjudge judge extract_final_diagnosis answers.csv -o out.csv \\
        --set response=answer --judge openai:gpt-4o
      dxjudge judge score_rubric cases.jsonl -o out.jsonl \\
        --give rubric=mine.yaml --judge openai:qwen@http://127.0.0.1:8080/v1
      dxjudge judge grade_ddx cases.csv -o out.csv --judge openai:gpt-4o \\
        --judge anthropic:MODEL --judge openai:qwen@http://127.0.0.1:8080/v1 \\
        --rule median --votes votes.csv
      dxjudge judge grade_ddx answers/ -o graded/ --judge openai:gpt-4o \\
        --cache redis://cache:6379 --cluster
    """
    if options.cluster is not None:
        from .cluster.judge_run import run_judge_cluster

        raise typer.Exit(run_judge_cluster(options, options.cluster))
    from .runs.judge_run import run_judge

    raise typer.Exit(run_judge(options))
