"""`dxjudge judge`: rows through a judging step."""

import typer

from .command import grouped
from .judging_options import JudgeOptions


@grouped
def judge_rows(options: JudgeOptions) -> None:
    """Judge every row of a table: rows go in, the same rows with verdicts come out.

    In: a table with a column for each field of the step (`dxjudge steps` lists
    them). Out: its rows and columns in their order, and added to them status
    (done, abstained, failed), reason, decided_by, repairs and the fields of
    the step's result. A failed row has no result, never a default one.

    The same command, run again after a crash or a failure, goes on where it
    stopped. Exit code 0: no row failed. 3: some did, and `reason` says why.

    Several judges, or any option of the jury, put each row before a jury: the
    output adds status (decided, tied, abstained, no_quorum), reason, verdict,
    shares, votes, replaced, escalated and the result.

    Examples:
      dxjudge judge judge_equivalence pairs.csv -o out.csv --engine rules
      dxjudge judge extract_final_diagnosis answers.csv -o out.csv \\
        --set response=answer --judge openai:gpt-4o
      dxjudge judge score_rubric cases.jsonl -o out.jsonl \\
        --give rubric=mine.yaml --judge openai:qwen@http://127.0.0.1:8080/v1
      dxjudge judge grade_ddx cases.csv -o out.csv --judge openai:gpt-4o \\
        --judge anthropic:MODEL --judge openai:qwen@http://127.0.0.1:8080/v1 \\
        --rule median --votes votes.csv
    """
    from .runs.judge_run import run_judge

    raise typer.Exit(run_judge(options))
