"""The summary that `dxjudge map` prints at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as ReadOnly

from ...files.counted import counted
from ...graphs.chooser import Chooser, fell_back
from ...ontology.mapping import Mapping
from ..terminal.progress import cost_text
from .map_columns import verdict

_BANDS = ("reviewed", "exact", "high", "medium", "low")


def summary(
    texts: Sequence[tuple[str, ...]],
    mappings: ReadOnly[str, Mapping],
    new: int,
    resumed: int,
    seconds: float,
) -> list[str]:
    """Return lines that count rows, distinct texts, confidence bands, unmapped and failed rows.

    new: how many texts the table did not settle. resumed: how many of them an earlier run mapped.
    seconds: how long it took to map the others.
    """
    distinct = {text for of_row in texts for text in of_row if text}
    verdicts = [verdict([mappings[text] for text in of_row]) for of_row in texts]
    counts = Counter(
        cells.status if cells.status != "mapped" else cells.band or "low" for cells in verdicts
    )
    lines = [f"{counted(len(texts), 'row')}, {counted(len(distinct), 'distinct text')}"]
    if len(distinct) > new:
        lines[0] += f", {len(distinct) - new:,} of them from the canonical table"
    kinds = [*_BANDS, "unmapped", "failed"]
    lines.append(" · ".join(f"{kind} {counts[kind]:,}" for kind in kinds))
    if resumed:
        lines.append(f"{counted(resumed, 'text')} mapped before, by a run that did not end")
    if new > resumed:
        rate = 60 * (new - resumed) / max(seconds, 1e-9)
        pace = f"mapped in {seconds:.1f} s, {rate:,.0f} a minute"
        lines.append(f"{counted(new - resumed, 'text')} {pace}")
    several = sum(len(mappings[row[0]].parts) > 1 for row in texts if len(row) == 1)
    if several:
        lines.append(
            f"several diagnoses in one cell: {counted(several, 'row')}; "
            "--split gives each diagnosis its code"
        )
    lines += _failures(mappings)
    return lines


def model_summary(new: Sequence[Mapping], chooser: Chooser) -> Iterator[str]:
    """Yield lines on the calls of the model, their cost, and its failures."""
    from ...agents.engine.judges import as_judge

    run = chooser.run
    assert run
    lines = run.ledger.summary()
    calls, cached = sum(line.calls for line in lines), sum(line.cached for line in lines)
    decided = [mapping.decided_by for mapping in new if not chooser.is_asked(mapping)]
    exact, unambiguous = decided.count("exact"), decided.count("embedded")
    skipped = f"; {exact:,} exact and {unambiguous:,} unambiguous texts needed no model"
    yield (
        f"{as_judge(chooser.judge).spec.label}: {counted(calls, 'call')}, "
        f"{counted(cached, 'text')} from the cache{skipped if exact or unambiguous else ''}"
    )
    tokens_in, tokens_out = (
        sum(line.tokens_in for line in lines),
        sum(line.tokens_out for line in lines),
    )
    yield f"{tokens_in:,} tokens in, {tokens_out:,} out, {cost_text(lines)}"
    if chooser.shuffle is not None:
        yield f"candidates shuffled with the seed {chooser.shuffle}"
    yield from run.remarks()
    kinds = sum((line.failures for line in lines), Counter[str]())
    if kinds:
        failures = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        fallbacks = sum(fell_back(mapping, chooser) for mapping in new)
        yield f"the model failed: {failures}" + (
            f"; the embedded choice stands for {counted(fallbacks, 'text')}" if fallbacks else ""
        )


def _failures(mappings: ReadOnly[str, Mapping]) -> list[str]:
    """Return lines on the failures by reason, the most frequent first."""
    reasons = Counter(mapping.reason for mapping in mappings.values() if mapping.status == "failed")
    return [
        f"failed ({counted(count, 'text')}): {reason}" for reason, count in reasons.most_common(3)
    ]
