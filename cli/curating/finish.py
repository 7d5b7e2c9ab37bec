"""What the runs of all procedures end with: the summary on standard error, and the exit code."""

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ...agents.engine.run import Run
from ..exit_codes import BUDGET, SOME_FAILED
from ..progress import work_done


def print_summary(
    summary: Mapping[str, Any], run: Run, sources: int, thing: str, started: float
) -> None:
    """Print the counts, the pass rate, what stopped items, and the cost.

    sources: how many sources (`thing`: report, pair, record) were read. started: the time of
    `time.monotonic` at the start.
    """
    elapsed = max(time.monotonic() - started, 1e-9)
    for line in (*_lines(summary), *work_done(sources, 0, run, elapsed, thing)):
        print(line, file=sys.stderr)


def exit_code(summary: Mapping[str, Any], run: Run) -> int:
    """Return the exit code of a run: the budget was reached, some items failed, or done."""
    if run.budget_reached:
        return BUDGET
    return SOME_FAILED if summary["failed"] else 0


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts = " · ".join(f"{name} {summary[name]:,}" for name in ("accepted", "rejected", "failed"))
    yield f"{summary['items']:,} items: {counts}"
    if summary["pass_rate"] is not None:
        low, high = summary["pass_rate_interval"]
        yield f"pass rate {summary['pass_rate']:.1%} [{low:.1%}, {high:.1%}]"
    for check, count in sorted(summary["stopped_at"].items()):
        yield f"{check}: {count:,}"
