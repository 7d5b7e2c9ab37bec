"""The summary of `dxjudge judge` with a jury."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...agents.engine.run import Run
from ...files.counted import counted
from ...graphs.jury.result import JuryOutcome
from ..terminal.facts import Fact
from ..terminal.progress import failed_facts, work_done


def jury_summary(
    outcomes: Sequence[JuryOutcome], resumed: int, run: Run, started: float
) -> Iterator[Fact | str]:
    """Yield facts on rows by status, on the votes of each judge, on replacements and on calls."""
    counts: Counter[str] = Counter(outcome.status for outcome in outcomes)
    statuses = {name: counts[name] for name in ("decided", "tied", "abstained", "no_quorum")}
    yield Fact(
        f"{counted(len(outcomes), 'row')}: "
        + " · ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in statuses.items()),
        {"rows": len(outcomes), "statuses": statuses},
    )
    for judge, of in _by_judge(outcomes).items():
        yield Fact(
            f"{judge}: " + ", ".join(f"{status} {n:,}" for status, n in of.items() if n),
            {"votes": [{"judge": judge, **of}]},
        )
    replaced = Counter(pair for outcome in outcomes for pair in outcome.replaced.items())
    for (judge, by), n in replaced.most_common():
        yield Fact(
            f"replaced: {judge} by {by} on {counted(n, 'row')}",
            {"replaced": [{"judge": judge, "by": by, "rows": n}]},
        )
    escalated = sum(outcome.escalated for outcome in outcomes)
    if escalated:
        yield Fact(
            f"the first two judges differed on {counted(escalated, 'row')}",
            {"escalated": escalated},
        )
    seconds = max(time.monotonic() - started, 1e-9)
    yield from work_done(len(outcomes), resumed, run, seconds, asked="vote")
    failures = (
        (row, f"{vote.judge}: {vote.reason}")
        for row, outcome in enumerate(outcomes, 1)
        for vote in outcome.votes
        if vote.status == "failed"
    )
    yield from failed_facts(failures, "vote")


def _by_judge(outcomes: Sequence[JuryOutcome]) -> Mapping[str, Counter[str]]:
    """Count votes by judge and status; the judges are in the order of their first votes."""
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for vote in outcome.votes:
            counts.setdefault(vote.judge, Counter(done=0, abstained=0, failed=0))[vote.status] += 1
    return counts
