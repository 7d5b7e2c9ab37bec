"""Run `dxjudge evaluate`: read, evaluate, write tables and report, print a summary."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ...agents.engine.judges import Judge, as_judge
from ...errors import NoVerdict, UsageError
from ...evaluation.from_data import JOURNAL, open_evaluation, run_opened
from ...evaluation.judges.stress_table import read_rates
from ...evaluation.pages.kept import ATTEMPTS
from ...evaluation.report.main_table import failed_note
from ...evaluation.report.rank_table import rank_notes
from ...evaluation.report.tables import all_tables
from ...evaluation.report.write import make_folder
from ...evaluation.result import Evaluation
from ...files.forms import Form
from ...graphs.chooser import is_judge
from ...graphs.mapper import Mapper
from ..command import given_flags
from ..exit_codes import BUDGET, INTERRUPTED, SOME_FAILED
from ..option_groups import JudgeModelOptions, RunOptions
from ..searching_options import FurtherTerms
from ..sources_command import say_added
from ..terminal.evaluated import print_tables, remark, say_notes
from ..terminal.facts import tell
from ..terminal.printing import print_json
from ..terminal.progress import stages, tell_of_batches
from .estimates import keep_estimates
from .evaluate_estimate import estimate_evaluation, evaluation_facts
from .step_rows import warn_unused


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    cases: Path
    responses: list[str]
    output: Path
    config: Path | None
    flags: Mapping[str, Any]
    conditions: Path | None
    evidences: Path | None
    ratings: Path | None
    table: Path | None
    model: str | None
    encoder: str | None
    terms: FurtherTerms
    run: RunOptions
    asked: JudgeModelOptions
    stress: Path | None
    shown: int
    quiet: bool
    form: Form = Form()
    estimate: bool = False
    as_json: bool = False


def run_evaluation(request: Request) -> int:
    """Run the command and return its exit code."""
    encoder, chooser = _models(request)
    opened = open_evaluation(
        request.cases, request.responses, config=request.config, conditions=request.conditions,
        evidences=request.evidences, ratings=request.ratings, form=request.form, **request.flags,
    )  # fmt: skip
    opened = replace(opened, judges=tuple(map(request.asked.applied, opened.judges)))
    if not opened.judges and chooser is None:
        flags = given_flags(request.asked) + given_flags(request.run)
        warn_unused(flags, "no model is asked; name one with --judge")
    if request.estimate:
        if not opened.judges:
            raise UsageError("no judge to estimate: name one with --judge")
        with request.run.open() as run:
            facts = evaluation_facts(opened, run, request.output / JOURNAL)
            tell(facts, as_json=request.as_json, file=sys.stdout)
        return 0
    if request.stress is not None:
        # A fault in the table is found here, before any work.
        read_rates(request.stress, opened.settings.plan)
    make_folder(request.output)
    ledger = request.output / ATTEMPTS if opened.judges else None
    with (
        stages(quiet=request.quiet) as progress,
        request.run.open(ledger) as run,
    ):
        tell_of_batches(run, quiet=request.quiet)
        for judge in (*opened.judges, *((chooser,) if chooser else ())):
            run.check(judge)
        if request.run.account is not None and opened.judges:
            planned = estimate_evaluation(opened, run, request.output / JOURNAL)
            keep_estimates(planned.estimates, run)
        try:
            mapper = Mapper(
                opened.settings.ontology,
                model=encoder,
                judge=chooser,
                **request.terms.settings,
                progress=progress,
                run=run,
            )
            if not request.quiet:
                say_added(mapper.added)
            result = run_opened(
                opened,
                request.output,
                run,
                mapper=mapper,
                release_mapper=True,
                table=request.table,
                progress=progress,
            )
        except KeyboardInterrupt:
            remark("interrupted; run the same command again to continue from here")
            return INTERRUPTED
        result.write(request.output, report_cases=request.shown, stress=request.stress)
        if request.as_json:
            print_json(_plain(result.evaluation, request.output))
        if not request.quiet:
            if not request.as_json:
                print_tables(result.evaluation)
            say_notes(result.evaluation, request.output)
            for line in run.remarks():
                remark(line)
        if not run.budget_reached:
            _check_resolved(result.evaluation, request.output, has_judge=bool(opened.judges))
        return exit_code(result.evaluation, run.budget_reached)


def _check_resolved(evaluation: Evaluation, folder: Path, *, has_judge: bool) -> None:
    if evaluation.unresolved_models:
        names = ", ".join(evaluation.unresolved_models)
        tables = [folder / name for name in ("verdicts.csv", "predictions.csv")]
        reasons = " and ".join(str(table) for table in tables if table.exists())
        hint = "" if has_judge else "; rules alone decided: name a model with --judge"
        raise NoVerdict(f"there is no number for {names}: every item failed{hint}; see {reasons}")


def _models(request: Request) -> tuple[str, Judge | None]:
    """Return the name of the embedding model, and the model that chooses codes, if any."""
    model, encoder = request.model, request.encoder
    if encoder is not None and is_judge(encoder):
        raise UsageError(
            f"--encoder {encoder} is a model that writes text, not an embedding model: write "
            f"--model {encoder} to let it choose codes"
        )
    if model is not None and is_judge(model):
        return encoder or "default", as_judge(model)
    if model is not None and encoder is not None:
        raise UsageError(
            f"--model {model} and --encoder {encoder} are two embedding models: give one"
        )
    return model or encoder or "default", None


def exit_code(evaluation: Evaluation, budget_reached: bool) -> int:
    """Return 7 where the budget ended the run, 3 where an item failed or was skipped, else 0."""
    if budget_reached:
        return BUDGET
    return SOME_FAILED if sum(evaluation.failures.values()) or evaluation.skipped else 0


def _plain(evaluation: Evaluation, folder: Path) -> dict[str, Any]:
    """Return what the tables and notes of an evaluation say, as values of JSON."""
    tables = islice(all_tables(evaluation), 2)  # the main one, and every number
    notes = (failed_note(evaluation), *evaluation.notes, *rank_notes(evaluation))
    return {
        "preset": evaluation.settings.preset,
        **{
            table.name: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            for table in tables
        },
        "notes": [*filter(None, notes)],
        "left_out": [asdict(entry) for entry in evaluation.left_out],
        "skipped": [asdict(entry) for entry in evaluation.skipped],
        "failures": evaluation.failures,
        "signature": evaluation.signature,
        "report": folder / "report.html",
    }
