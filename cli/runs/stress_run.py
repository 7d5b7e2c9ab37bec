"""What `dxjudge stress` does: read, try every row under every change, write, sum up."""

import asyncio
import json as plain_json
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ...agents.engine.run import Run
from ...agents.judge import JudgeSpec
from ...agents.outcome import Outcome, read_outcome, write_outcome
from ...agents.step import Step
from ...cache.key import fingerprint
from ...errors import UsageError
from ...evaluation.judges.robustness import Robustness, measure_robustness, rate_rows, trial_rows
from ...files.bytes import check_writable
from ...files.journal import Journal
from ...files.rows_out import write_columns
from ...graphs.case_names import case_names
from ...graphs.jury.votes_file import write_votes
from ...graphs.robust import Plan, Tried, make_plan
from ...graphs.robust_run import check_judges, stream_robust
from ...scoring.bootstrap import Plan as Intervals
from ..command import given_flags
from ..judging_options import StressOptions
from ..progress import counting, summary
from .finishing import journal_path, journalled
from .step_rows import Job, read_job, say, warn_unused


@dataclass(frozen=True)
class _Stress:
    """All that is known before the first call."""

    job: Job
    cases: list[str]
    judges: list[JudgeSpec]
    plan: Plan

    def key(self, row: int, judge: int, trial: tuple[str, int]) -> str:
        """What a trial's outcome lies under in the journal."""
        spec = self.judges[judge].model_dump(mode="json")
        return fingerprint([self.job.keys[row], spec, *trial])


def run_stress(options: StressOptions) -> int:
    """Do the whole job; return the exit code. No work starts before all is known to fit."""
    started = time.monotonic()
    work = _prepare(options)
    journal = Journal(
        journal_path(options.output, options.journal),
        read=read_outcome,
        write=write_outcome,
        job=_about(work),
    )

    def try_all(run: Run) -> bool:
        resumed = len(journal)
        tried = asyncio.run(_try_rows(work, run, journal, options.quiet))
        found = _measure(work, tried, options.seed)
        _write(work.job, found)
        if options.votes is not None:
            write_votes(options.votes, found.votes)
        outcomes = [t.outcome for one in tried.values() for t in one.trials if t.outcome]
        print("\n".join(_as_json(found) if options.json else _table(found)))
        if not options.quiet:
            say(work.job.read, *summary(outcomes, resumed, run, started, "trials"))
        return any(outcome.status == "failed" for outcome in outcomes)

    return journalled(journal, options.run, try_all, what="trials")


def _prepare(options: StressOptions) -> _Stress:
    if options.output == "-":
        raise UsageError("the trials go to a file (-o trials.csv); what is printed are the rates")
    specs = [options.model.judge(name) for name in options.judge]
    check_judges(specs)
    job = read_job(options.rows, options.output, engine="llm", has_judge=True)
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
    from ...agents.variants import vary

    _, _, variant = name.partition(":")
    return vary(step, variant).load_prompt().hash if variant else name


async def _try_rows(
    work: _Stress, run: Run, journal: Journal[Outcome], quiet: bool
) -> dict[tuple[int, int], Tried]:
    trials = work.plan.trials
    places = [
        (row, judge) for row in range(len(work.job.inputs)) for judge in range(len(work.judges))
    ]
    known: dict[tuple[int, int], dict[tuple[str, int], Outcome]] = {
        place: {
            trial: outcome
            for trial in trials
            if (outcome := journal.find(work.key(*place, trial))) is not None
        }
        for place in places
        if work.job.keys[place[0]]
    }
    total = len(places) * len(trials) - sum(map(len, known.values()))
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
            async for place, one in stream:
                tried[place] = one
                for trial in one.trials:
                    name = (trial.perturbation, trial.repeat)
                    if trial.outcome is None or name in known.get(place, {}):
                        continue
                    failed = trial.outcome.status == "failed"
                    if not failed:
                        journal.keep(work.key(*place, name), trial.outcome)
                    progress.add(failed=failed)
    return {place: tried[place] for place in places}


def _measure(work: _Stress, tried: dict[tuple[int, int], Tried], seed: int) -> Robustness:
    named = [(work.cases[row], one) for (row, _), one in tried.items()]
    return measure_robustness(work.job.step, named, plan=Intervals(seed=seed))


def _write(job: Job, found: Robustness) -> None:
    rows = trial_rows(found)
    columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {"case": []}
    write_columns(job.output, job.format, columns)


def _as_json(found: Robustness) -> Iterator[str]:
    fragile = [vars(one) for one in found.fragile if one.flips]
    yield plain_json.dumps({"rates": rate_rows(found), "fragile": fragile}, indent=2)


_TITLES = ("perturbation", "flips", "rate", "95 % interval", "abst.", "failed", "n/a", "shift")


def _table(found: Robustness) -> Iterator[str]:
    """The rates by judge and step, then the cases that flip most."""
    rows = rate_rows(found)
    for judge in dict.fromkeys(row["judge"] for row in rows):
        for step in dict.fromkeys(row["step"] for row in rows if row["judge"] == judge):
            held = [row for row in rows if (row["judge"], row["step"]) == (judge, step)]
            yield f"{step} by {judge}"
            cells = [_TITLES, *map(_cells, held)]
            widths = [max(len(line[at]) for line in cells) for at in range(len(_TITLES))]
            for line in cells:
                pairs = zip(line, widths, strict=True)
                yield "  " + "  ".join(text.ljust(width) for text, width in pairs).rstrip()
            yield ""
    most = [one for one in found.fragile if one.flips][:5]
    if most:
        yield "flipped most: " + ", ".join(
            f"{one.case} ({one.flips} of {one.compared})" for one in most
        )


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
