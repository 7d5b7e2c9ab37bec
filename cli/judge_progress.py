"""Progress of a judging run: rate, failures and cost while it runs, a summary at its end."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..agents.engine.ledger import Line
from ..agents.engine.run import Run
from ..agents.outcome import Outcome
from .progress import open_bar


class Counted:
    """Shows how far a run is; `bar` is None where nothing is shown."""

    def __init__(self, bar: Any, task: Any, run: Run) -> None:
        self._bar = bar
        self._task = task
        self._run = run
        self._failed = 0

    def add(self, *, failed: bool) -> None:
        """Count one more row."""
        self._failed += failed
        if self._bar is not None:
            state = f"{self._failed:,} failed · {cost_text(self._run.ledger.summary())}"
            self._bar.update(self._task, advance=1, state=state)


@contextmanager
def counting(run: Run, total: int, *, quiet: bool) -> Iterator[Counted]:
    """A bar on standard error where it is a terminal and `quiet` is not wished."""
    if quiet or not sys.stderr.isatty():
        yield Counted(None, None, run)
        return
    with open_bar("judging · {task.fields[state]}") as bar:
        yield Counted(bar, bar.add_task("", total=total, state="0 failed"), run)


def cost_text(lines: Sequence[Line]) -> str:
    """What the calls cost, as far as prices are known."""
    cost = sum(line.cost for line in lines)
    unknown = sum(line.calls_of_unknown_cost for line in lines)
    text = f"${cost:,.4f}"
    return f"{text} and {unknown:,} calls of unknown price" if unknown else text


def summary(
    outcomes: Sequence[Outcome], resumed: int, run: Run, started: float, noun: str = "rows"
) -> Iterator[str]:
    """Lines that count rows by status, by who decided, and what the calls came to."""
    seconds = max(time.monotonic() - started, 1e-9)
    statuses = Counter(outcome.status for outcome in outcomes)
    yield f"{len(outcomes):,} {noun}: " + " · ".join(
        f"{name} {statuses[name]:,}" for name in ("done", "abstained", "failed")
    )
    deciders = Counter(outcome.decided_by for outcome in outcomes if outcome.status != "failed")
    if deciders:
        yield "decided by " + ", ".join(f"{name} {n:,}" for name, n in deciders.most_common())
    yield from work_done(len(outcomes), resumed, run, seconds, noun)
    reasons = Counter(
        f"{outcome.kind}: {outcome.reasons[0]}"[:300]
        for outcome in outcomes
        if outcome.status == "failed"
    )
    yield from (f"failed ({n:,} {noun}): {reason}" for reason, n in reasons.most_common(3))


def work_done(
    rows: int, resumed: int, run: Run, seconds: float, noun: str = "rows"
) -> Iterator[str]:
    """Lines on what this run did: calls, tokens, cost, pace."""
    if resumed:
        yield f"{resumed:,} {noun} were finished by an earlier run"
    lines = run.ledger.summary()
    calls, cached = sum(line.calls for line in lines), sum(line.cached for line in lines)
    if calls or cached:
        tokens = sum(line.tokens_in + line.tokens_out for line in lines)
        repaired = sum(line.repaired for line in lines)
        yield (
            f"{calls:,} calls, {cached:,} {noun} from the cache, {repaired:,} repaired, "
            f"{tokens:,} tokens, {cost_text(lines)}"
        )
    yield from run.remarks()
    new = rows - resumed
    yield f"{new:,} {noun} in {seconds:.1f} s, {60 * new / seconds:,.0f} a minute"
