"""Run `dxjudge judge`: read rows, judge each by a judge or a jury, write, print a summary."""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...agents.engine.run import Run
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...agents.steps import find_step
from ...cache.key import fingerprint
from ...errors import UsageError
from ...files.journal import Journal
from ...files.sequences import picked
from ...graphs.both_orders import check_step, stream_both_orders
from ...graphs.case_names import case_names
from ...graphs.columns import judged_columns
from ...graphs.jury.columns import jury_columns, votes_cast
from ...graphs.jury.jurors import HUMAN
from ...graphs.jury.plan import plan_jury
from ...graphs.jury.result import JuryOutcome, read_jury, write_jury
from ...graphs.jury.run_jury import stream_jury
from ...graphs.jury.votes_file import write_votes
from ...graphs.step import stream_step
from ..command import given_flags
from ..judging_options import JudgeOptions
from ..terminal.facts import Facts, check_output, named, tell
from ..terminal.judged import summary
from .estimates import (
    Estimates,
    Group,
    estimate_facts,
    estimates_of,
    finished_fact,
    groups_of_judge,
    groups_of_jury,
    keep_estimates,
)
from .finishing import Rows, journal_path, journalled, unfinished
from .judge_jury import (
    about_jury,
    check_votes,
    codes_decide,
    is_final,
    is_model,
    settings_of,
    voters_of,
    warn_of_votes,
)
from .jury_summary import jury_summary
from .outcomes import Outcomes
from .step_rows import (
    Job,
    decided_by_codes,
    read_job,
    read_rows,
    warn_unused,
    write_rows,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Judging(Generic[T]):
    """The rows to judge, and everything that differs between one judge and a jury.

    about: the job, for the first line of the journal. columns: those added to the rows. finish:
    writes further files. summary: (outcomes, rows of an earlier run, run, start) -> facts.
    estimates: what each model would be asked about rows with these numbers.
    """

    job: Job
    rows: Rows[T]
    about: Mapping[str, Any]
    read: Callable[[Any], T]
    write: Callable[[T], Any]
    columns: Callable[[Sequence[T]], Mapping[str, Sequence[Any]]]
    finish: Callable[[Sequence[T]], None]
    summary: Callable[[Sequence[T], int, Run, float], Facts]
    estimates: Callable[[Run, Sequence[int]], Estimates]


def run_judge(options: JudgeOptions) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    check_use(options)
    if options.has_jury:
        return _judge_all(_before_jury(options), options)
    return _judge_all(_before_judge(options), options)


def _judge_all(judging: Judging[T], options: JudgeOptions) -> int:
    started = time.monotonic()
    path = journal_path(options.output, options.journal)
    if options.estimate:
        with options.run.open() as run:
            tell(_estimated(judging, path, run), as_json=options.as_json, file=sys.stdout)
        return 0
    journal = Journal(
        path,
        read=judging.read,
        write=judging.write,
        job=judging.about,
    )

    def work(run: Run) -> bool:
        rows = judging.rows
        with Outcomes(rows.keys, journal) as outcomes:
            if options.run.account is not None:
                keep_estimates(judging.estimates(run, outcomes.open_rows()), run)
            asyncio.run(rows.finish(run, outcomes, quiet=options.quiet))
            notes = write_rows(judging.job, judging.columns(outcomes))
            judging.finish(outcomes)
            facts = (*notes, *judging.summary(outcomes, outcomes.resumed, run, started))
            written = named([("rows", options.output)]) if options.as_json else ()
            tell((*facts, *written), as_json=options.as_json, quiet=options.quiet)
            return not outcomes.all_final

    return journalled(journal, options.run, work, what="rows", can_retry=_asks_a_model(options))


def _estimated(judging: Judging[T], path: Path | None, run: Run) -> Facts:
    """Yield what would be asked about the rows that the journal does not have."""
    keys = judging.rows.keys
    left = unfinished(path, judging.about, keys)
    yield from estimate_facts(judging.estimates(run, left), run, rows=len(keys))
    yield from finished_fact(len(keys) - len(left), str(path))


def check_use(options: JudgeOptions) -> None:
    """Refuse options that contradict each other; warn about options that have no effect."""
    if not options.estimate:
        check_output(options.output, as_json=options.as_json)
    if options.has_jury:
        if options.engine not in (None, "llm", "auto"):
            raise UsageError(
                f"--engine {options.engine} is for one judge: for a jury write "
                f"--judge {options.engine}, or --engine llm or auto"
            )
        if options.both_orders:
            raise UsageError(
                "--both-orders is for one judge; dxjudge evaluate asks every judge in both orders"
            )
        if options.repeat:
            raise UsageError("--repeat is for one judge: for a jury write --repeats NUMBER")
        if options.jury.weights is not None and options.jury.rule not in (None, "weighted"):
            raise UsageError(f"--weights is for --rule weighted, not --rule {options.jury.rule}")
        if options.case and options.votes is None and not _has_people(options):
            warn_unused(["--case"], "it names the rows of votes, which --votes FILE writes")
    elif options.case is not None:
        raise UsageError("--case is for a jury: give several judges or --votes FILE")
    models = _models_of(options)
    if not _asks_a_model(options):
        why = f"--engine {options.engine} asks no model" if models else "no model is asked"
        flags = given_flags(options.model) + given_flags(options.run)
        flags += ["--repeat"] * bool(options.repeat)
        warn_unused(["--judge"] * bool(models) + flags, why)
    deciders = (options.engine, *(options.judge or ()))
    if options.added_sources != "all" and "ontology" not in deciders:
        warn_unused(["--added-sources"], "without --engine ontology no codes are compared")


def _models_of(options: JudgeOptions) -> list[str]:
    names = (*(options.judge or ()), *(options.jury.replacement or ()))
    return [name for name in names if is_model(name)]


def _asks_a_model(options: JudgeOptions) -> bool:
    return bool(_models_of(options)) and options.engine not in ("rules", "ontology")


def _has_people(options: JudgeOptions) -> bool:
    named = (name.startswith(HUMAN) for name in options.judge or ())
    return bool(options.jury.human) or any(named)


def _before_judge(options: JudgeOptions) -> Judging[Outcome]:
    judge = options.model.judge(options.judge[0]) if options.judge else None
    engine = options.engine or "auto"
    job = read_job(options.rows, options.output, engine=engine, has_judge=judge is not None)
    if codes_decide(options, job.step):
        job = decided_by_codes(job, options.added_sources)
    step = job.step
    about = {
        "step": step.name,
        "version": step.version,
        "prompt": step.load_prompt().hash,
        "engine": engine,
        "repeat": options.repeat,
        "judge": judge.model_dump(mode="json") if judge else None,
        "mapper": job.mapper,
        **options.run.about(step),
    }
    if options.both_orders:
        check_step(step)
        about["both_orders"] = True
    stream = stream_both_orders if options.both_orders else stream_step
    rows = Rows[Outcome](
        job.keys,
        lambda positions, run: stream(
            step,
            picked(job.inputs, positions),
            judge=judge,
            run=run,
            engine=engine,
            repeat=options.repeat,
        ),
        is_failed=_has_failed,
        is_final=lambda outcome: not _has_failed(outcome),
    )
    return Judging(
        job,
        rows,
        about,
        read_outcome,
        write_outcome,
        columns=lambda outcomes: judged_columns(step, outcomes),
        finish=lambda outcomes: None,
        summary=summary,
        estimates=lambda run, rows: _estimates(
            groups_of_judge(step, judge, engine, options.repeat, both_orders=options.both_orders),
            picked(job.inputs, rows),
            run,
        ),
    )


def _has_failed(outcome: Outcome) -> bool:
    return outcome.status == "failed"


def _before_jury(options: JudgeOptions) -> Judging[JuryOutcome]:
    votes = options.votes
    check_votes(options)
    job = read_rows(options.rows, options.output, find_step(options.rows.step), options.case)
    if codes_decide(options, job.step):
        job = decided_by_codes(job, options.added_sources)
    voters = voters_of(options, job.step)
    plan = plan_jury(job.step, voters, **settings_of(options, job.step))
    cases = case_names(job.sheet, options.case)
    warn_of_votes(job.step, voters, cases)
    pairs = zip(job.keys, cases, strict=True)
    rows = Rows[JuryOutcome](
        [fingerprint([key, case]) if key else "" for key, case in pairs],
        lambda positions, run: stream_jury(
            plan,
            picked(job.inputs, positions),
            run=run,
            cases=picked(cases, positions),
        ),
        is_failed=lambda outcome: outcome.status == "no_quorum",
        is_final=is_final,
    )

    def finish(outcomes: Sequence[JuryOutcome]) -> None:
        if votes is not None:
            write_votes(votes, votes_cast(outcomes))

    return Judging(
        job,
        rows,
        {**about_jury(plan, job.mapper), **options.run.about(plan.step)},
        read_jury,
        write_jury,
        columns=lambda outcomes: jury_columns(plan.step, outcomes),
        finish=finish,
        summary=jury_summary,
        estimates=lambda run, rows: _estimates(groups_of_jury(plan), picked(job.inputs, rows), run),
    )


def _estimates(groups: Sequence[Group], inputs: Sequence[Any], run: Run) -> Estimates:
    return estimates_of(groups, (group.count(inputs, run) for group in groups), run)
