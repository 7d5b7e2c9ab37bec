"""The summary of `dxjudge judge` with a jury."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...agents.engine.run import Run
from ...files.counted import counted
from ...graphs.jury.result import JuryOutcome
from ..terminal.progress import failed_lines, work_done


def jury_summary(
    outcomes: Sequence[JuryOutcome], resumed: int, run: Run, started: float
) -> Iterator[str]:
    """Yield lines on rows by status, on the votes of each judge, on replacements and on calls."""
    statuses: Counter[str] = Counter(outcome.status for outcome in outcomes)
    yield f"{counted(len(outcomes), 'row')}: " + " · ".join(
        f"{name.replace('_', ' ')} {statuses[name]:,}"
        for name in ("decided", "tied", "abstained", "no_quorum")
    )
    for judge, counts in _by_judge(outcomes).items():
        yield f"{judge}: " + ", ".join(f"{status} {n:,}" for status, n in counts.items() if n)
    replaced = Counter(
        f"{judge} by {by}" for outcome in outcomes for judge, by in outcome.replaced.items()
    )
    yield from (f"replaced: {pair} on {counted(n, 'row')}" for pair, n in replaced.most_common())
    escalated = sum(outcome.escalated for outcome in outcomes)
    if escalated:
        yield f"the first two judges differed on {counted(escalated, 'row')}"
    seconds = max(time.monotonic() - started, 1e-9)
    yield from work_done(len(outcomes), resumed, run, seconds, asked="vote")
    failures = (
        (row, f"{vote.judge}: {vote.reason}")
        for row, outcome in enumerate(outcomes, 1)
        for vote in outcome.votes
        if vote.status == "failed"
    )
    yield from failed_lines(failures, "vote")


def _by_judge(outcomes: Sequence[JuryOutcome]) -> Mapping[str, Counter[str]]:
    """Count votes by judge and status; the judges are in the order of their first votes."""
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for vote in outcome.votes:
            counts.setdefault(vote.judge, Counter(done=0, abstained=0, failed=0))[vote.status] += 1
    return counts
