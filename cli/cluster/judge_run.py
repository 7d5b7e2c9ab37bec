"""Run `dxjudge judge --cluster`: count, judge and write on a Ray cluster, and sum up."""

import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from ...agents.engine.estimate import Count as CallCount
from ...agents.engine.run import Run
from ...errors import InputError
from ...graphs.jury.columns import votes_cast
from ...graphs.jury.votes_file import write_votes
from ...graphs.row_inputs import given_values
from ..exit_codes import BUDGET, SOME_FAILED
from ..judging_options import JudgeOptions
from ..runs.estimates import (
    Estimates,
    estimate_facts,
    estimates_of,
    finished_fact,
    keep_estimates,
)
from ..runs.judge_jury import check_votes, warn_of_votes
from ..runs.judge_run import check_use
from ..terminal.facts import Fact, Facts, named, tell
from ..terminal.progress import counting, stages
from .asking import Counts, add_counts, asking_of
from .case_names import CaseNames
from .journal import check_options, check_places, in_journal, is_unfinished, whole_path
from .judge_work import JUDGED, BlockOutcomes, Count, Estimate, Judge, JudgeJob, Write
from .not_read import not_read
from .office import check_batch, permits_of
from .on_ray import Item, connected, each
from .pieces import Pieces, find_pieces

_BLOCK = 200  # rows that are judged and kept together
_ESTIMATED = 25 * _BLOCK  # rows that are estimated together


@dataclass
class Done:
    """The counts of a job.

    unread: why, for each file that could not be judged. total: what `Asking.count` counts.
    """

    unread: dict[str, None] = field(default_factory=dict)
    before: int = 0
    total: Counts = field(default_factory=dict)
    failed: int = 0


def run_judge_cluster(options: JudgeOptions, address: str) -> int:
    """Run the command; return the exit code. All options and inputs are checked before any work."""
    started = time.monotonic()
    job = _prepare(options)
    about = job.asking.about()
    found = find_pieces(options.rows.input, options.rows.form)
    about |= _about(job, found, options)
    if options.estimate:
        begun = _BLOCK if is_unfinished(options.output, about) else 0
        return _estimate(Estimate(job, options.run, begun), found, options, address)

    def work() -> tuple[Facts, int]:
        with options.run.open() as run, connected(address) as cores:
            done = _run(job, found, options, run, cores)
            told = list(_report(options, job, found, done, run, started))
        if run.budget_reached:
            return told, BUDGET
        return told, SOME_FAILED if done.failed or done.unread or found.others else 0

    return in_journal(options.output, about, (JUDGED,), work,
                      as_json=options.as_json, quiet=options.quiet,
                      made=options.votes)  # fmt: skip


def _estimate(work: Estimate, found: Pieces, options: JudgeOptions, address: str) -> int:
    """Tell what the judges would be asked about the whole job; return the exit code."""
    done = Done()
    with options.run.open() as run, connected(address) as cores:
        rows = _count(work.job, found, options, done)
        blocks = _blocks_of(found, rows, _ESTIMATED)
        estimates, finished = _estimated(work, blocks, run, cores, quiet=options.quiet)
        facts = [*estimate_facts(estimates, run, rows=sum(rows))]
    facts += finished_fact(finished, options.output)
    told = [*facts, *not_read(list(done.unread), found.others)]
    tell(told, as_json=options.as_json, file=sys.stdout)
    return SOME_FAILED if done.unread or found.others else 0


def _estimated(
    work: Estimate, blocks: Sequence[Item], run: Run, cores: int, *, quiet: bool
) -> tuple[Estimates, int]:
    """Return the estimate of what is left to ask, and how many rows an earlier run finished."""
    groups, finished = work.job.asking.groups(()), 0
    counts = [CallCount() for _ in groups]
    with stages(quiet=quiet) as progress:
        for number, result in enumerate(each(work, blocks, actors=cores), 1):
            finished += result["finished"]
            for count, other in zip(counts, result["counts"], strict=True):
                count.add(other)
            progress("estimating", number, len(blocks))
    return estimates_of(groups, counts, run), finished


def _prepare(options: JudgeOptions) -> JudgeJob:
    """Check the options."""
    rows, run = options.rows, options.run
    if not options.estimate:  # nothing is written
        check_places(rows.input, options.output)
    check_batch(run)
    check_options({
        "--journal": options.journal is not None,
        "--output-format": rows.output_format not in (None, "parquet"),
    })  # fmt: skip
    check_use(options)
    check_votes(options)
    asking = asking_of(options)
    job = JudgeJob(
        whole_path(rows.input), whole_path(options.output), rows.form,
        tuple(rows.fields or ()), tuple(rows.given or ()), asking,
    )  # fmt: skip
    asking.types()
    given_values(job.step, job.given)
    run.about(job.step)
    return job


def _about(job: JudgeJob, found: Pieces, options: JudgeOptions) -> dict[str, Any]:
    """Return what changes the results beside who judges, for the journal."""
    return {
        "fields": list(job.fields),
        "given": [[text, _digest(text.partition("=")[2])] for text in job.given],
        "form": asdict(job.form),
        "input": [job.source, found.digest],
        # Rows without a name are votes by their number, so their job is begun with the votes.
        **({"votes": whole_path(str(options.votes))} if options.votes else {}),
        **options.run.about(job.step),
    }


def _digest(value: str) -> str:
    """Return the digest of a file that an option names, "" for any other value."""
    try:
        content = Path(value).expanduser().read_bytes()
    except (OSError, RuntimeError, ValueError):  # no file, or a text that can be no path
        return ""
    return hashlib.sha256(content).hexdigest()


def _run(job: JudgeJob, found: Pieces, options: JudgeOptions, run: Run, cores: int) -> Done:
    """Do the three kinds of work; return the counts. What workers asked is added to `run`."""
    done = Done()
    for model in job.asking.models():
        run.price(model)
    rows = _count(job, found, options, done)
    blocks = _blocks_of(found, rows, _BLOCK)
    if run.has_account:
        left, parts = Estimate(job, options.run, _BLOCK), _blocks_of(found, rows, _ESTIMATED)
        keep_estimates(_estimated(left, parts, run, cores, quiet=options.quiet)[0], run)
    with permits_of(options.run, run) as permits:
        work = Judge(job, options.run, permits)
        _judge(work, blocks, done, run, cores, quiet=options.quiet)
    with stages(quiet=options.quiet) as progress:
        judged = [piece.as_item() for piece, count in zip(found.pieces, rows, strict=True) if count]
        for number, _ in enumerate(each(Write(job, _BLOCK), judged), 1):
            progress("writing", number, len(judged))
    if options.votes is not None:
        write_votes(options.votes, votes_cast(BlockOutcomes(job, blocks)))
    return done


def _count(job: JudgeJob, found: Pieces, options: JudgeOptions, done: Done) -> list[int]:
    """Return the number of rows of each piece; `done` knows which cannot be judged.

    Warns of votes of people that are not read. Raises InputError where no piece can be judged, or
    where votes could not be told apart by their cases.
    """
    rows, readable = [0] * len(found.pieces), [False] * len(found.pieces)
    people = job.asking.people()
    names, named = CaseNames(), options.votes is not None or bool(people)
    pieces = [piece.as_item() for piece in found.pieces]
    with stages(quiet=options.quiet) as progress:
        for number, counts in enumerate(each(Count(job, named), pieces), 1):
            rows[counts["piece"]] = counts["rows"]
            readable[counts["piece"]] = not counts["unread"]
            done.unread |= {counts["unread"]: None} if counts["unread"] else {}
            if named:
                names.add(found.pieces[counts["piece"]], counts)
            progress("reading", number, len(pieces))
    if done.unread and not any(readable):
        raise InputError(next(iter(done.unread)))
    names.check(lambda piece: job.names_of(job.read(piece)) or [])
    voted = {vote.case for voter in people for vote in voter.votes}
    warn_of_votes(job.step, people, names.among(voted))
    return rows


def _blocks_of(found: Pieces, rows: Sequence[int], size: int) -> list[Item]:
    """Return the blocks of all pieces, in order. rows: how many each piece has."""
    before = list(accumulate(rows, initial=1))
    return [
        {
            "piece": piece.as_item(),
            "first": first,
            "rows": min(size, rows[n] - first),
            "at": before[n] + first,
        }
        for n, piece in enumerate(found.pieces)
        for first in range(0, rows[n], size)
    ]


def _judge(
    work: Judge, blocks: Sequence[Item], done: Done, run: Run, cores: int, *, quiet: bool
) -> None:
    """Judge the blocks."""
    total = sum(block["rows"] for block in blocks)
    with counting(run, total, quiet=quiet) as progress:
        for result in each(work, blocks, actors=cores):
            done.before += result["before"]
            add_counts(done.total, result["counts"], result["at"])
            done.failed += result["open"]
            if result["asked"]:
                run.add_counts(result["asked"])
            for place in range(result["rows"]):
                progress.add(failed=place < result["open"])


def _report(
    options: JudgeOptions, job: JudgeJob, found: Pieces, done: Done, run: Run, started: float
) -> Iterator[Fact | str]:
    yield from job.asking.facts(done.total, done.before, run, started)
    yield from not_read(list(done.unread), found.others)
    yield from named([("rows", options.output)])
