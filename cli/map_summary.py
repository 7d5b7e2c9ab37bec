"""What `dxjudge map` says at the end."""

from collections import Counter
from collections.abc import Mapping as ReadOnly
from collections.abc import Sequence

from ..ontology.mapping import Mapping
from .map_columns import verdict

_BANDS = ("reviewed", "exact", "high", "medium", "low")


def summary(
    texts: Sequence[tuple[str, ...]], found: ReadOnly[str, Mapping], new: int, seconds: float
) -> list[str]:
    """Lines that count rows, distinct texts, confidence bands, unmapped and failed rows.

    `new` texts took `seconds` to map; the others came from the canonical table.
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
    if new:
        rate = 60 * new / max(seconds, 1e-9)
        lines.append(f"{_count(new, 'text')} mapped in {seconds:.1f} s, {rate:,.0f} a minute")
    several = sum(len(found[each[0]].parts) > 1 for each in texts if len(each) == 1)
    if several:
        lines.append(
            f"several diagnoses in one cell: {_count(several, 'row')}; "
            "--split gives each diagnosis its code"
        )
    lines += _failures(found)
    return lines


def _failures(found: ReadOnly[str, Mapping]) -> list[str]:
    """The failures by reason, the most frequent first."""
    reasons = Counter(each.reason for each in found.values() if each.status == "failed")
    return [
        f"failed ({_count(count, 'text')}): {reason}" for reason, count in reasons.most_common(3)
    ]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
