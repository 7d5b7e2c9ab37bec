"""What `dxjudge evaluate` does: read, evaluate, write tables and report, sum up."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.engine.run import Run
from ..errors import NoVerdict, UsageError
from ..evaluation.from_data import (
    ATTEMPTS,
    EvaluationResult,
    Opened,
    open_evaluation,
    run_opened,
)
from ..evaluation.judges.stress_table import read_rates
from ..evaluation.report.latex import caption_of, main_rows
from ..evaluation.report.write import make_folder
from ..evaluation.result import Evaluation
from ..files.forms import Form
from ..graphs.mapper import Mapper
from .progress import Stages, stages
from .sources_command import read_which, say_added

SOME_FAILED, BUDGET, INTERRUPTED = 3, 7, 130
_MODES = ("read-write", "replay", "refresh", "off")


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    cases: Path
    responses: list[str]
    output: Path
    config: Path | None
    flags: Mapping[str, Any]
    conditions: Path | None
    evidences: Path | None
    table: Path | None
    encoder: str
    sources: tuple[Path, ...]
    added: str
    limits: Mapping[str, Any]
    mode: str
    stress: Path | None
    shown: int
    quiet: bool
    form: Form = Form()


def run_evaluation(request: Request) -> int:
    """Do the whole job; return the exit code."""
    if request.mode not in _MODES:
        raise UsageError(f"--cache-mode {request.mode!r} is none of {', '.join(_MODES)}")
    opened = open_evaluation(
        request.cases, request.responses, config=request.config, conditions=request.conditions,
        evidences=request.evidences, form=request.form, **request.flags,
    )  # fmt: skip
    if request.stress is not None:
        read_rates(request.stress, opened.settings.plan)  # a fault there comes before any work
    make_folder(request.output)
    ledger = request.output / ATTEMPTS if opened.judges else None
    with (
        stages(quiet=request.quiet) as progress,
        Run(mode=request.mode, ledger=ledger, **request.limits) as run,  # type: ignore[arg-type]
    ):
        try:
            result = _evaluate(request, opened, run, progress)
        except KeyboardInterrupt:
            _say("interrupted; run the same command again to go on from here")
            return INTERRUPTED
        result.write(request.output, report_cases=request.shown, stress=request.stress)
        if not request.quiet:
            _print(result.evaluation, request.output)
        _check_resolved(result.evaluation, request.output, run.budget_reached)
        return exit_code(result.evaluation, run.budget_reached)


def _check_resolved(made: Evaluation, folder: Path, budget_reached: bool) -> None:
    if made.unresolved_models and not budget_reached:
        names = ", ".join(made.unresolved_models)
        raise NoVerdict(
            f"there is no number for {names}: every item failed; {folder / 'verdicts.csv'} and "
            "predictions.csv say why"
        )


def _evaluate(request: Request, opened: Opened, run: Run, progress: Stages) -> EvaluationResult:
    mapper = Mapper(
        opened.settings.ontology,
        model=request.encoder,
        sources=request.sources,
        added=read_which(request.added),
        progress=progress,
        run=run,
    )
    if not request.quiet:
        say_added(mapper.added)
    return run_opened(
        opened, request.output, run, mapper=mapper, table=request.table, progress=progress
    )


def exit_code(made: Evaluation, budget_reached: bool) -> int:
    """7 where the budget ended the run, 3 where an item failed, else 0."""
    if budget_reached:
        return BUDGET
    return SOME_FAILED if sum(made.failures.values()) else 0


def _print(made: Evaluation, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    header, rows = main_rows(made)
    table = Table(title=made.preset.title, caption=caption_of(made))
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200).print(table, markup=False)
    for note in made.notes:
        _say(note)
    for entry in made.left_out:
        _say(f"left out: {entry.task}: {entry.reason}")
    failures = made.failures
    if failures:
        listed = ", ".join(f"{name} {count:,}" for name, count in failures.items())
        _say(f"failed: {listed} (verdicts.csv says why)")
    _say(f"report: {folder / 'report.html'}")


def _say(text: str) -> None:
    print(f"dxjudge: {text}", file=sys.stderr)
