"""Run `dxjudge stress`: read, try every row under every change, write, print a summary."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...agents.step import Step
from ...cache.key import fingerprint
from ...errors import UsageError
from ...evaluation.judges.agreement_text import Block
from ...evaluation.judges.robustness import Robustness, measure_robustness, rate_rows, trial_rows
from ...files.bytes import check_writable
from ...files.journal import Journal, finished_keys
from ...files.rows_out import write_columns
from ...graphs.case_names import case_names
from ...graphs.jury.votes_file import write_votes
from ...graphs.robust import Plan, Tried, make_plan
from ...graphs.robust_estimate import Known, estimate_trials
from ...graphs.robust_run import check_judges, stream_robust
from ...scoring.bootstrap import Plan as Intervals
from ..command import given_flags
from ..judging_options import StressOptions
from ..terminal.facts import Fact, tell
from ..terminal.judged import summary
from ..terminal.printing import print_blocks, print_lines
from ..terminal.progress import counting
from .estimates import Estimates, estimate_facts, finished_fact, keep_estimates
from .finishing import journal_path, journalled
from .step_rows import Job, read_job, warn_unused

T = TypeVar("T")
Trial = tuple[str, int]


@dataclass(frozen=True)
class _Stress:
    """Everything that is known before the first call of a model."""

    job: Job
    cases: list[str]
    judges: list[JudgeSpec]
    plan: Plan

    def key(self, row: int, judge: int, trial: Trial) -> str:
        """Return the key of a trial's outcome in the journal."""
        spec = self.judges[judge].model_dump(mode="json")
        return fingerprint([self.job.keys[row], spec, *trial])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each row with each judge, by their numbers."""
        return list(product(range(len(self.job.inputs)), range(len(self.judges))))

    def known(self, find: Callable[[str], T | None]) -> dict[tuple[int, int], dict[Trial, T]]:
        """Return what is found of the trials of each row and judge, by their keys."""
        return {
            pair: {
                trial: one
                for trial in self.plan.trials
                if (one := find(self.key(*pair, trial))) is not None
            }
            for pair in self.pairs
            if self.job.keys[pair[0]]
        }


def run_stress(options: StressOptions) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    started = time.monotonic()
    work = _prepare(options)
    path = journal_path(options.output, options.journal)
    about = {**_about(work), **options.run.about(work.job.step)}
    if options.estimate:
        kept = finished_keys(path, about)
        known = work.known(lambda key: key in kept or None)
        with options.run.open() as run:
            facts = estimate_facts(_estimates(work, run, known), run, rows=len(work.job.inputs))
            finished = finished_fact(sum(map(len, known.values())), str(path), "trial")
            tell((*facts, *finished), as_json=options.json, file=sys.stdout)
        return 0
    journal = Journal(path, read=read_outcome, write=write_outcome, job=about)

    def try_all(run: Run) -> bool:
        if options.run.account is not None:
            keep_estimates(_estimates(work, run, work.known(journal.find)), run)
        resumed = len(journal)
        tried = asyncio.run(_try_rows(work, run, journal, options.quiet))
        robustness = _measure(work, tried, options.seed)
        _write(work.job, robustness)
        if options.votes is not None:
            write_votes(options.votes, robustness.votes)
        judged = [
            (row + 1, trial.outcome)
            for (row, _), of_pair in tried.items()
            for trial in of_pair.trials
            if trial.outcome
        ]
        outcomes = [outcome for _, outcome in judged]
        rows = [row for row, _ in judged]
        facts = (work.job.read, *summary(outcomes, resumed, run, started, "trial", rows))
        if not options.json:
            _print(robustness)
        tell((*_result(robustness), *facts), as_json=options.json, quiet=options.quiet)
        return any(outcome.status == "failed" for outcome in outcomes)

    return journalled(journal, options.run, try_all, what="trials")


def _prepare(options: StressOptions) -> _Stress:
    if options.output == "-":
        raise UsageError(
            "the trials go to a file: write -o trials.csv; standard output shows the rates"
        )
    specs = [options.model.judge(name) for name in options.judge]
    check_judges(specs)
    rows = options.rows
    job = read_job(rows, options.output, engine="llm", has_judge=True, case=options.case)
    plan = make_plan(
        job.step,
        options.changes,
        repeats=options.repeats,
        temperature=options.temperature,
        seed=options.seed,
    )
    if "repeat" not in plan.perturb:
        flags = [flag for flag in given_flags(options) if flag in ("--repeats", "--temperature")]
        warn_unused(flags, "--perturb does not name repeat")
    if options.votes is not None:
        check_writable(options.votes)
    return _Stress(job, case_names(job.sheet, options.case), specs, plan)


def _estimates(work: _Stress, run: Run, known: Known) -> Estimates:
    return estimate_trials(
        work.job.step, work.job.inputs, check_judges(work.judges), work.plan, run, known
    )


def _about(work: _Stress) -> dict[str, Any]:
    step, plan = work.job.step, work.plan
    prompts = [step.load_prompt().hash, *(_wording(step, name) for name in plan.perturb)]
    return {
        "stress": step.name,
        "version": step.version,
        "prompt": fingerprint(prompts),
        "temperature": plan.temperature,
        "seed": plan.seed,
    }


def _wording(step: Step[Any, Any], name: str) -> str:
    from ...agents.step import vary

    _, _, variant = name.partition(":")
    return vary(step, variant).load_prompt().hash if variant else name


async def _try_rows(
    work: _Stress, run: Run, journal: Journal[Outcome], quiet: bool
) -> dict[tuple[int, int], Tried]:
    known: dict[tuple[int, int], dict[Trial, Outcome]] = work.known(journal.find)
    total = len(work.pairs) * len(work.plan.trials) - sum(map(len, known.values()))
    tried: dict[tuple[int, int], Tried] = {}
    with counting(run, total, quiet=quiet) as progress:
        stream = stream_robust(
            work.job.step,
            work.job.inputs,
            judges=work.judges,
            plan=work.plan,
            run=run,
            known=known,
        )
        async with aclosing(stream):
            async for pair, tried_pair in stream:
                tried[pair] = tried_pair
                for trial in tried_pair.trials:
                    name = (trial.perturbation, trial.repeat)
                    if trial.outcome is None or name in known.get(pair, {}):
                        continue
                    failed = trial.outcome.status == "failed"
                    if not failed:
                        journal.keep(work.key(*pair, name), trial.outcome)
                    progress.add(failed=failed)
    return {pair: tried[pair] for pair in work.pairs}


def _measure(work: _Stress, tried: dict[tuple[int, int], Tried], seed: int) -> Robustness:
    of_cases = [(work.cases[row], tried_pair) for (row, _), tried_pair in tried.items()]
    return measure_robustness(work.job.step, of_cases, plan=Intervals(seed=seed))


def _write(job: Job, robustness: Robustness) -> None:
    rows = trial_rows(robustness)
    columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {"case": []}
    write_columns(job.output, job.format, columns)


def _result(robustness: Robustness) -> Iterator[Fact]:
    """Yield what `_print` shows as a table, for JSON."""
    fragile = [vars(case) for case in robustness.fragile if case.flips]
    yield Fact("", {"rates": rate_rows(robustness), "fragile": fragile})


_TITLES = ("perturbation", "flips", "rate", "95 % interval", "abst.", "failed", "n/a", "shift")


def _print(robustness: Robustness) -> None:
    """Print the rates by judge and step, then the cases that flip most."""
    rows = rate_rows(robustness)
    for step, judge in dict.fromkeys((row["step"], row["judge"]) for row in rows):
        own_rows = [row for row in rows if (row["judge"], row["step"]) == (judge, step)]
        print_blocks([Block(f"{step} by {judge}", _TITLES, tuple(map(_cells, own_rows)))])
    most = [case for case in robustness.fragile if case.flips][:5]
    if most:
        listed = (f"{case.case} ({case.flips} of {case.compared})" for case in most)
        print_lines([f"flipped most: {', '.join(listed)}"])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    rate = "-" if row["rate"] is None else f"{row['rate']:.1%}"
    limits = "-" if row["low"] is None else f"{row['low']:.1%} to {row['high']:.1%}"
    shift = row["warning"]
    if row["shift"] is not None:
        shift = f"{row['shift']:.2f} ({row['drift']:+.2f})"
    return (
        row["perturbation"],
        f"{row['flips']}/{row['compared']}",
        rate,
        limits,
        str(row["abstained_one"]),
        str(row["failed"]),
        str(row["not_applicable"]),
        shift,
    )
