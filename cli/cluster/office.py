"""Limits and budget of a job that asks a model: an office for the job, a run for each worker."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ...adapters.permits import LEASE_SECONDS, RayPermits, open_office
from ...agents.engine.limits import Limits
from ...agents.engine.permits import Permits
from ...agents.engine.run import Run
from ...errors import UsageError
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
    yield RayPermits(name, options.max_cost)
    run.budget.reached = bool(answer_of(office.is_reached))


def run_of_worker(options: RunOptions, permits: Permits | None) -> Run:
    """Return the run of a worker. permits: None for limits and a budget of its own."""
    # The account is written once, where the command runs.
    return replace(options, account=None).open(permits=permits)


def refused_of(options: BatchRunOptions) -> dict[str, bool]:
    """Return the options that a job on a cluster does not have, and whether they are given."""
    return {
        "--log": options.log is not None,
        "--otel": options.otel,
    }


def check_batch(options: BatchRunOptions) -> None:
    """Raise UsageError for batches, which one machine waits for."""
    if options.batch:
        raise UsageError(
            "--batch asks from one machine: give the command for each file without --cluster, with "
            "a --cache redis://… that all nodes reach; a job with --cluster then takes its replies"
        )
