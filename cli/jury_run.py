"""What several judges of `dxjudge judge` do: read, put each row before the jury, write, sum up."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.engine.run import Run
from ..agents.judge import JudgeSpec, parse_judge
from ..agents.steps import find_step
from ..cache.key import fingerprint
from ..files.bytes import check_writable
from ..files.forms import table_format
from ..files.journal import Journal
from ..graphs.case_names import case_names
from ..graphs.jury.columns import jury_columns
from ..graphs.jury.jurors import HUMAN
from ..graphs.jury.plan import JuryPlan, plan_jury
from ..graphs.jury.result import JuryOutcome, read_jury, write_jury
from ..graphs.jury.run_jury import stream_jury
from ..graphs.jury.votes_file import write_votes
from ..graphs.jury.weights import read_weights
from ..scoring.jury import Rule
from .journalled import journalled
from .judge_progress import counting, work_done
from .judge_run import Job, Request, journal_path, read_inputs, write_columns


@dataclass(frozen=True)
class JuryRequest:
    """What makes a jury; `rows` is what any judging asks for."""

    rows: Request
    judges: tuple[str, ...]
    humans: tuple[str, ...]
    replacements: tuple[str, ...]
    repeats: int
    variants: tuple[str, ...]
    rule: Rule | None
    quorum: int | None
    weights: Path | None
    escalate: bool
    votes: Path | None
    case: str | None
    under_test: tuple[str, ...]


@dataclass(frozen=True)
class _Work:
    request: JuryRequest
    job: Job
    plan: JuryPlan
    cases: list[str]
    keys: list[str]


def run_jury_rows(
    request: JuryRequest, parameters: dict[str, Any], settings: dict[str, Any], *, quiet: bool
) -> int:
    """Do the whole job; return the exit code. No work starts before all is known to fit."""
    started = time.monotonic()
    work = _read(request, parameters)
    journal = Journal(
        journal_path(request.rows), read=read_jury, write=write_jury, job=_about(work)
    )

    def judge_all(run: Run) -> bool:
        resumed = len(journal)
        outcomes = asyncio.run(_judge_rows(work, run, journal, quiet))
        write_columns(request.rows, work.job, jury_columns(work.job.step, outcomes))
        if request.votes is not None:
            write_votes(request.votes, (vote for one in outcomes for vote in one.votes))
        if not quiet:
            lines = _summary(outcomes, resumed, run, started)
            print("\n".join(lines), file=sys.stderr)
        return any(not _is_final(outcome) for outcome in outcomes)

    return journalled(journal, settings, judge_all, what="rows")


def _read(request: JuryRequest, parameters: dict[str, Any]) -> _Work:
    step = find_step(request.rows.step)
    named = (*request.judges, *request.replacements)
    ontology = "ontology" in named and "predicted" in step.input.model_fields
    if request.votes is not None:
        table_format(str(request.votes), "votes")
        check_writable(request.votes)
    people = [f"{HUMAN}{file}" for file in request.humans]
    job = read_inputs(request.rows, step, ontology=ontology)
    judges = [_judge(name, parameters) for name in request.judges]
    rule = request.rule or ("weighted" if request.weights else "majority")
    plan = plan_jury(
        job.step,
        [*judges, *people],
        repeats=request.repeats,
        variants=("", *request.variants),
        rule=rule,
        quorum=request.quorum,
        weights=read_weights(request.weights) if request.weights else None,
        replacements=[_judge(name, parameters) for name in request.replacements],
        escalate=request.escalate,
        engine=request.rows.engine,
        under_test=request.under_test,
    )
    cases = case_names(job.sheet, request.case)
    keys = [
        fingerprint([key, case]) if key else "" for key, case in zip(job.keys, cases, strict=True)
    ]
    return _Work(request, job, plan, cases, keys)


def _judge(name: str, parameters: dict[str, Any]) -> str | JudgeSpec:
    """A model with the command's parameters; stand-ins and files of votes by their names."""
    if name.startswith(HUMAN) or ":" not in name:
        return name
    return parse_judge(name, **parameters)


def _about(work: _Work) -> dict[str, Any]:
    plan = work.plan
    return {
        "jury": [_who(juror) for juror in plan.jurors],
        "replacements": [_who(juror) for juror in plan.replacements],
        "step": plan.step.name,
        "version": plan.step.version,
        "prompts": {name: step.load_prompt().hash for name, step in plan.steps.items()},
        "engine": plan.engine,
        "repeats": plan.repeats,
        "rule": plan.rule,
        "quorum": plan.quorum,
        "weights": dict(plan.weights) if plan.weights else None,
        "escalate": plan.escalate,
        "mapper": work.job.mapper,
    }


def _who(juror: Any) -> dict[str, Any]:
    votes = [[*key, vote.status, vote.verdict] for key, vote in juror.votes.items()]
    spec = juror.judge.spec.model_dump(mode="json") if juror.judge else None
    return {"name": juror.name, "spec": spec, "votes": fingerprint(votes) if votes else ""}


async def _judge_rows(
    work: _Work, run: Run, journal: Journal[JuryOutcome], quiet: bool
) -> list[JuryOutcome]:
    found = {
        place: outcome
        for place, key in enumerate(work.keys)
        if (outcome := journal.find(key)) is not None
    }
    todo = [place for place in range(len(work.keys)) if place not in found]
    with counting(run, len(todo), quiet=quiet) as progress:
        stream = stream_jury(
            work.plan,
            [work.job.inputs[place] for place in todo],
            run=run,
            cases=[work.cases[place] for place in todo],
        )
        async with aclosing(stream):
            async for index, outcome in stream:
                place = todo[index]
                found[place] = outcome
                if work.keys[place] and _is_final(outcome):
                    journal.keep(work.keys[place], outcome)
                progress.add(failed=outcome.status == "no_quorum")
    return [found[place] for place in range(len(work.keys))]


def _is_final(outcome: JuryOutcome) -> bool:
    """Whether asking again could change nothing: a quorum answered, and nobody lacked money."""
    unpaid = any(vote.reason.startswith("budget: ") for vote in outcome.votes)
    return outcome.status != "no_quorum" and not unpaid


def _summary(
    outcomes: Sequence[JuryOutcome], resumed: int, run: Run, started: float
) -> Iterator[str]:
    """Lines on rows by status, each judge's votes, replacements, and what the calls came to."""
    statuses: Counter[str] = Counter(outcome.status for outcome in outcomes)
    yield f"{len(outcomes):,} rows: " + " · ".join(
        f"{name.replace('_', ' ')} {statuses[name]:,}"
        for name in ("decided", "tied", "abstained", "no_quorum")
    )
    for judge, counted in _by_judge(outcomes).items():
        yield f"{judge}: " + ", ".join(f"{status} {n:,}" for status, n in counted.items() if n)
    replaced = Counter(f"{one} by {by}" for each in outcomes for one, by in each.replaced.items())
    yield from (f"replaced: {said} on {n:,} rows" for said, n in replaced.most_common())
    escalated = sum(outcome.escalated for outcome in outcomes)
    if escalated:
        yield f"the first two judges differed on {escalated:,} rows"
    yield from work_done(len(outcomes), resumed, run, max(time.monotonic() - started, 1e-9))
    reasons = Counter(
        f"{vote.judge}: {vote.reason}"[:300]
        for outcome in outcomes
        for vote in outcome.votes
        if vote.status == "failed"
    )
    yield from (f"failed ({n:,} votes): {reason}" for reason, n in reasons.most_common(3))


def _by_judge(outcomes: Sequence[JuryOutcome]) -> Mapping[str, Counter[str]]:
    """Votes by judge and status, in the order of the first votes."""
    counted: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for vote in outcome.votes:
            counted.setdefault(vote.judge, Counter(done=0, abstained=0, failed=0))[vote.status] += 1
    return counted
