"""The summary of a run that judges: outcomes by status and by who decided, calls and failures."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...files.counted import counted
from .facts import Fact
from .progress import failed_facts, work_done

if TYPE_CHECKING:
    from ...agents.engine.run import Run
    from ...agents.outcome import Outcome


class Judged(NamedTuple):
    """Counts of outcomes: by status, by who decided, and (number of the row, why) of failures."""

    statuses: Counter[str]
    deciders: Counter[str]
    failures: list[tuple[int, str]]


def count_outcomes(outcomes: "Sequence[Outcome]", rows: Iterable[int] | None = None) -> Judged:
    """Count outcomes. rows: the number of each outcome's row; None where each has a row, from 1."""
    judged = Judged(Counter(), Counter(), [])
    for number, outcome in zip(rows or range(1, len(outcomes) + 1), outcomes, strict=True):
        judged.statuses[outcome.status] += 1
        if outcome.status == "failed":
            judged.failures.append((number, outcome.first_why))
        else:
            judged.deciders[outcome.decided_by] += 1
    return judged


def summary(
    outcomes: "Sequence[Outcome]",
    resumed: int,
    run: "Run",
    started: float,
    noun: str = "row",
    rows: Sequence[int] | None = None,
) -> "Iterator[Fact | str]":
    """Yield facts on the outcomes by status and by who decided, on the calls and on failures.

    noun: what an outcome belongs to. rows: the number of each outcome's row, from 1; None where
    each row has one outcome.
    """
    return tell_judged(count_outcomes(outcomes, rows), resumed, run, started, noun)


def tell_judged(
    judged: Judged, resumed: int, run: "Run", started: float, noun: str = "row"
) -> "Iterator[Fact | str]":
    """Yield the facts of `summary` from counts."""
    seconds = max(time.monotonic() - started, 1e-9)
    total = judged.statuses.total()
    statuses = {name: judged.statuses[name] for name in ("done", "abstained", "failed")}
    yield Fact(
        f"{counted(total, noun)}: "
        + " · ".join(f"{name} {number:,}" for name, number in statuses.items()),
        {f"{noun}s": total, "statuses": statuses},
    )
    if judged.deciders:
        named = ", ".join(f"{name} {n:,}" for name, n in judged.deciders.most_common())
        yield Fact(f"decided by {named}", {"decided_by": judged.deciders})
    yield from work_done(total, resumed, run, seconds, noun)
    yield from failed_facts(judged.failures, noun)
