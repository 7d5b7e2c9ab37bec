"""Limits and budget of a job that asks a model: an office for the job, a run for each worker."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ...adapters.permits import LEASE_SECONDS, RayPermits, open_office
from ...agents.engine.limits import Limits
from ...agents.engine.run import Run
from ...errors import OutputError, UsageError
from ..option_groups import BatchRunOptions, RunOptions
from .on_ray import answer_of


@contextmanager
def permits_of(options: RunOptions, run: Run) -> Iterator[RayPermits]:
    """Yield the permits that all workers share; at the end `run` knows if the budget was reached.

    run: that of the command, which has the limits.
    """
    name = f"dxjudge-{uuid.uuid4().hex}"
    office = open_office(
        name, run.limits or Limits(), options.max_calls, options.max_cost,
        lease=max(LEASE_SECONDS, 2 * options.timeout),
    )  # fmt: skip
    if options.log is not None and (why := answer_of(office.open_log, options.log.absolute())):
        raise OutputError(why)
    yield RayPermits(name, options.max_cost)
    run.budget.reached = bool(answer_of(office.is_reached))


def run_of_worker(options: RunOptions, permits: RayPermits | None) -> Run:
    """Return the run of a worker.

    permits: None for limits and a budget of its own, and for a run that asks nothing.
    """
    # The account is written once, where the command runs, and so is the log.
    traced = options.otel and permits is not None
    run = replace(options, account=None, log=None, otel=traced).open(permits=permits)
    if options.log is not None and permits is not None:
        run.log = permits.log
    return run


def check_batch(options: BatchRunOptions) -> None:
    """Raise UsageError for batches, which one machine waits for."""
    if options.batch:
        raise UsageError(
            "--batch asks from one machine: give the command for each file without --cluster, with "
            "a --cache redis://… that all nodes reach; a job with --cluster then takes its replies"
        )
