"""The summary of `dxjudge judge` with a jury."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...agents.engine.run import Run
from ...files.counted import counted
from ...graphs.jury.result import JuryOutcome
from ..terminal.facts import Fact
from ..terminal.progress import failed_facts, work_done


def jury_summary(
    outcomes: Sequence[JuryOutcome], resumed: int, run: Run, started: float
) -> Iterator[Fact | str]:
    """Yield facts on rows by status, on the votes of each judge, on replacements and on calls."""
    return tell_jury(count_jury(outcomes, 1), resumed, run, started)


def tell_jury(counts: "JuryCounts", resumed: int, run: Run, started: float) -> Iterator[Fact | str]:
    """Yield the facts of `jury_summary` from counts."""
    total = counts.statuses.total()
    statuses = {
        name: counts.statuses[name] for name in ("decided", "tied", "abstained", "no_quorum")
    }
    yield Fact(
        f"{counted(total, 'row')}: "
        + " · ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in statuses.items()),
        {"rows": total, "statuses": statuses},
    )
    for judge, of in counts.by_judge.items():
        yield Fact(
            f"{judge}: " + ", ".join(f"{status} {n:,}" for status, n in of.items() if n),
            {"votes": [{"judge": judge, **of}]},
        )
    replaced = [(n, judge, by) for judge, of in counts.replaced.items() for by, n in of.items()]
    for n, judge, by in sorted(replaced, key=lambda one: -one[0]):
        yield Fact(
            f"replaced: {judge} by {by} on {counted(n, 'row')}",
            {"replaced": [{"judge": judge, "by": by, "rows": n}]},
        )
    if counts.escalated:
        yield Fact(
            f"the first two judges differed on {counted(counts.escalated, 'row')}",
            {"escalated": counts.escalated},
        )
    seconds = max(time.monotonic() - started, 1e-9)
    yield from work_done(total, resumed, run, seconds, asked="vote")
    yield from failed_facts(counts.failures, "vote")


@dataclass
class JuryCounts:
    """What is counted of the outcomes, which are read once: they are on disk.

    by_judge: votes by judge and status, the judges in the order of their first votes. replaced:
    rows by the judge that failed and its replacement. failures: (row, reason) of each vote that
    failed.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    by_judge: dict[str, Counter[str]] = field(default_factory=dict)
    replaced: dict[str, Counter[str]] = field(default_factory=dict)
    escalated: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)


def count_jury(outcomes: Sequence[JuryOutcome], first: int = 0) -> JuryCounts:
    """Count the outcomes of rows. first: the number of the first row."""
    counts = JuryCounts()
    for row, outcome in enumerate(outcomes, first):
        counts.statuses[outcome.status] += 1
        for judge, by in outcome.replaced.items():
            counts.replaced.setdefault(judge, Counter())[by] += 1
        counts.escalated += outcome.escalated
        for vote in outcome.votes:
            of_judge = counts.by_judge.setdefault(
                vote.judge, Counter(done=0, abstained=0, failed=0)
            )
            of_judge[vote.status] += 1
            if vote.status == "failed":
                counts.failures.append((row, f"{vote.judge}: {vote.reason}"))
    return counts
