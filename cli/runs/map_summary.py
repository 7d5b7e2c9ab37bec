"""What `dxjudge map` says at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as ReadOnly
from typing import TYPE_CHECKING

from ...graphs.chooser import Chooser, fell_back
from ...ontology.mapping import Mapping
from .map_columns import verdict

if TYPE_CHECKING:
    from ...agents.engine.ledger import Line

_BANDS = ("reviewed", "exact", "high", "medium", "low")


def summary(
    texts: Sequence[tuple[str, ...]],
    found: ReadOnly[str, Mapping],
    new: int,
    resumed: int,
    seconds: float,
) -> list[str]:
    """Lines that count rows, distinct texts, confidence bands, unmapped and failed rows.

    The table did not settle `new` texts. A run before this one mapped `resumed` of them, and the
    others took `seconds`.
    """
    distinct = {text for each in texts for text in each if text}
    verdicts = [verdict([found[text] for text in each]) for each in texts]
    counts = Counter(
        each.status if each.status != "mapped" else each.band or "low" for each in verdicts
    )
    lines = [f"{_count(len(texts), 'row')}, {_count(len(distinct), 'distinct text')}"]
    if len(distinct) > new:
        lines[0] += f", {len(distinct) - new:,} of them from the canonical table"
    kinds = [*_BANDS, "unmapped", "failed"]
    lines.append(" · ".join(f"{kind} {counts[kind]:,}" for kind in kinds))
    if resumed:
        lines.append(f"{_count(resumed, 'text')} mapped before, by a run that did not end")
    if new > resumed:
        rate = 60 * (new - resumed) / max(seconds, 1e-9)
        said = f"mapped in {seconds:.1f} s, {rate:,.0f} a minute"
        lines.append(f"{_count(new - resumed, 'text')} {said}")
    several = sum(len(found[each[0]].parts) > 1 for each in texts if len(each) == 1)
    if several:
        lines.append(
            f"several diagnoses in one cell: {_count(several, 'row')}; "
            "--split gives each diagnosis its code"
        )
    lines += _failures(found)
    return lines


def model_summary(new: Sequence[Mapping], chooser: Chooser) -> Iterator[str]:
    """Lines on what the model was asked, what that took, and how it failed."""
    from ...agents.engine.judges import as_judge

    run = chooser.run
    assert run
    lines = run.ledger.summary()
    calls, cached = sum(line.calls for line in lines), sum(line.cached for line in lines)
    left = [each.decided_by for each in new if not chooser.is_asked(each)]
    skipped = f"{left.count('exact'):,} exact and {left.count('embedded'):,} unambiguous not asked"
    yield (
        f"{as_judge(chooser.judge).spec.label}: {_count(calls, 'call')}, "
        f"{_count(cached, 'text')} from the cache, {skipped}"
    )
    tokens_in, tokens_out = (
        sum(line.tokens_in for line in lines),
        sum(line.tokens_out for line in lines),
    )
    yield f"{tokens_in:,} tokens in, {tokens_out:,} out, cost {_cost(lines, calls)}"
    if chooser.shuffle is not None:
        yield f"candidates shuffled with the seed {chooser.shuffle}"
    yield from run.remarks()
    kinds = sum((line.failures for line in lines), Counter[str]())
    if kinds:
        said = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        kept = sum(fell_back(each, chooser) for each in new)
        yield f"the model failed: {said}" + (
            f"; the embedded choice stands for {_count(kept, 'text')}" if kept else ""
        )


def _cost(lines: "Sequence[Line]", calls: int) -> str:
    unknown = sum(line.calls_of_unknown_cost for line in lines)
    if calls and unknown == calls:
        return "unknown"
    known = f"${sum(line.cost for line in lines):,.4f}"
    return f"{known} and {_count(unknown, 'call')} of unknown price" if unknown else known


def _failures(found: ReadOnly[str, Mapping]) -> list[str]:
    """The failures by reason, the most frequent first."""
    reasons = Counter(each.reason for each in found.values() if each.status == "failed")
    return [
        f"failed ({_count(count, 'text')}): {reason}" for reason, count in reasons.most_common(3)
    ]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
