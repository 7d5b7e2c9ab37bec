"""`dxjudge compare-judges`: test whether conclusions hold under other judges."""

from pathlib import Path
from typing import Annotated

import typer

from .command import grouped
from .option_groups import JudgeModelOptions, RunOptions
from .options import AsJson, EstimateOnly

Folder = Annotated[
    Path, typer.Argument(metavar="RUN", help="The output folder of `dxjudge evaluate`.")
]
Judges = Annotated[
    str | None,
    typer.Option(
        help="Two judges or more, separated by commas: labels of judges of the run, or "
        "openai:MODEL, anthropic:MODEL, openai:MODEL@http://host/v1. By default the judges of "
        "the run.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The folder to write. By default RUN/judges.")
]
Families = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        metavar="NAME=FAMILY",
        help="The family of a judge or of a model under test, where its name does not say it. "
        "May be repeated.",
    ),
]
Stress = Annotated[
    Path | None,
    typer.Option(
        help="A table that `dxjudge stress` wrote, for the robustness bars of the report."
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="The seed of the resampling. By default that of the run.")
]
Boot = Annotated[
    int | None,
    typer.Option(min=1, help="How many resamples the intervals use. By default as in the run."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no result.")]


@grouped
def compare_judges(
    *,
    run: Folder,
    judges: Judges = None,
    output: Output = None,
    family: Families = None,
    stress: Stress = None,
    seed: Seed = None,
    boot: Boot = None,
    asked: JudgeModelOptions,
    estimate: EstimateOnly = False,
    asking: RunOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare models under several judges, on the same responses and extractions.

    In: the folder that `dxjudge evaluate` wrote. Out: for every "A beats B"
    whether it holds under every judge, some judges or none, and a folder with
    tables and a report.

    The outcomes of the run's own judges, failures included, are read from the
    folder; other judges are asked. Exit code 3: some items failed. Exit code
    7: the budget was reached.

    Examples:
      dxjudge compare-judges out
      dxjudge compare-judges out --judges openai:gpt-4o,anthropic:MODEL \\
        --estimate
      dxjudge compare-judges out --family mymodel=qwen \\
        --judges openai:gpt-4o,openai:qwen@http://127.0.0.1:8000/v1
    """
    from .runs.compare_judges_run import Request, run_compare

    request = Request(
        run, judges, output or run / "judges", tuple(family or ()), stress, seed, boot, asking,
        asked, as_json, quiet, estimate,
    )  # fmt: skip
    raise typer.Exit(run_compare(request))
