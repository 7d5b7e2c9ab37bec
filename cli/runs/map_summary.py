"""The summary that `dxjudge map` prints at the end."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as ReadOnly
from typing import NamedTuple

from ...files.counted import counted
from ...files.sequences import Repeated
from ...graphs.chooser import Chooser
from ...ontology.mapping import Mapping
from ..terminal.facts import Fact
from ..terminal.progress import calls_of, cost_text, without_tokens
from .map_columns import verdict

_MOST_REASONS = 3  # that have a line
_BANDS = ("reviewed", "exact", "high", "medium", "low")


class Told(NamedTuple):
    """What the summary of a run counts.

    rows: what `row_counts` counts. distinct: the distinct texts that are not empty. settled: how
    many of them the table settles. new: how many others the run mapped, now or, `resumed` of
    them, before it was stopped. seconds: how long it took to map the others. failures: what
    `failure_counts` counts. table_rows: how many rows the input has, where each stands for several;
    None where each stands for itself.
    """

    rows: ReadOnly[str, int]
    distinct: int
    settled: int
    new: int
    resumed: int
    seconds: float
    failures: Counter[str]
    table_rows: int | None = None


def row_counts(
    texts: Repeated[tuple[str, ...]],
    mappings: ReadOnly[str, Mapping],
    stands_for: Sequence[int] | None = None,
) -> Counter[str]:
    """Count rows: all ("rows"), those of each band, and those with several diagnoses ("several").

    texts: the texts of each row. stands_for: how many rows each counts as; one where it is None.
    """
    counts = Counter(rows=0, several=0)
    for of_row, rows in texts.counted(stands_for):
        counts["rows"] += rows
        cells = verdict([mappings[text] for text in of_row])
        counts[cells.status if cells.status != "mapped" else cells.band or "low"] += rows
        if len(of_row) == 1 and len(mappings[of_row[0]].parts) > 1:
            counts["several"] += rows
    return counts


def failure_counts(mappings: Iterable[Mapping]) -> Counter[str]:
    """Count the texts that failed, by reason."""
    return Counter(one.reason or "" for one in mappings if one.status == "failed")


def summary(
    texts: Repeated[tuple[str, ...]],
    mappings: ReadOnly[str, Mapping],
    new: int,
    resumed: int,
    seconds: float,
    stands_for: Sequence[int] | None = None,
) -> Iterator[Fact]:
    """Yield facts that count rows, distinct texts, confidence bands, unmapped and failed rows.

    new: how many texts the table did not settle. resumed: how many of them an earlier run mapped.
    seconds: how long it took to map the others. stands_for: as `row_counts` takes it.
    """
    distinct = len({text for of_row in texts.values for text in of_row if text})
    failures = failure_counts(mappings.values())
    settled = max(distinct - new, 0)
    rows = row_counts(texts, mappings, stands_for)
    table_rows = None if stands_for is None else len(texts)
    return tell_counts(Told(rows, distinct, settled, new, resumed, seconds, failures, table_rows))


def tell_counts(told: Told) -> Iterator[Fact]:
    """Yield the counts of a run as facts."""
    rows, distinct, settled, new, resumed, seconds, failures, table_rows = told
    from_table = f", {settled:,} of them from the canonical table" if settled else ""
    stand_for = f"{counted(table_rows, 'row')} that stand for " if table_rows is not None else ""
    yield Fact(
        f"{stand_for}{counted(rows['rows'], 'row')}, "
        f"{counted(distinct, 'distinct text')}{from_table}",
        {
            "rows": rows["rows"],
            **({} if table_rows is None else {"table_rows": table_rows}),
            "distinct_texts": distinct,
            "from_table": settled,
        },
    )
    kinds = {kind: rows.get(kind, 0) for kind in (*_BANDS, "unmapped", "failed")}
    yield Fact(" · ".join(f"{kind} {n:,}" for kind, n in kinds.items()), {"rows_by_band": kinds})
    if resumed:
        yield Fact(
            f"{counted(resumed, 'text')} mapped before, by a run that did not end",
            {"mapped_before": resumed},
        )
    if new > resumed:
        rate = 60 * (new - resumed) / max(seconds, 1e-9)
        yield Fact(
            f"{counted(new - resumed, 'text')} mapped in {seconds:.1f} s, {rate:,.0f} a minute",
            {"mapped_now": new - resumed, "seconds": round(seconds, 3)},
        )
    if several := rows.get("several", 0):
        yield Fact(
            f"several diagnoses in one cell: {counted(several, 'row')}; "
            "--split gives each diagnosis its code",
            {"rows_with_several_diagnoses": several},
        )
    yield from _failures(failures)


def not_fitted(release: str) -> str:
    """Return the line for a release without texts to which the scores were fitted."""
    return (
        f"scores, bands and refusals are not fitted to {release}: read some rows before you rely "
        "on them"
    )


def model_summary(parts: ReadOnly[str, int], chooser: Chooser) -> Iterator[Fact | str]:
    """Yield facts on the calls of the model, their cost, and its failures.

    parts: how many mappings of the run there are for each part of the model (`part_of`).
    """
    from ...agents.engine.judges import as_judge

    run = chooser.run
    assert run
    lines = run.ledger.summary()
    calls, cached = sum(line.calls for line in lines), sum(line.cached for line in lines)
    exact, unambiguous = parts.get("exact", 0), parts.get("embedded", 0)
    chooses = chooser.rerank != "none" and bool(exact or unambiguous)
    skipped = f"; {exact:,} exact and {unambiguous:,} unambiguous texts needed no choice"
    label = as_judge(chooser.judge).spec.label
    yield Fact(
        f"{label}: {counted(calls, 'call')}, "
        f"{counted(cached, 'text')} from the cache{skipped if chooses else ''}",
        {"model": label, "exact_without_model": exact, "unambiguous_without_model": unambiguous},
    )
    tokens_in, tokens_out = (
        sum(line.tokens_in for line in lines),
        sum(line.tokens_out for line in lines),
    )
    tokens = f"{tokens_in:,} tokens in, {tokens_out:,} out{without_tokens(lines)}"
    yield Fact(f"{tokens}, {cost_text(lines)}", calls_of(lines))
    if chooser.shuffle is not None:
        yield f"candidates shuffled with the seed {chooser.shuffle}"
    yield from run.remarks()
    kinds = sum((line.failures for line in lines), Counter[str]())
    if kinds:
        failures = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        fallbacks = parts.get("fallback", 0)
        stands = f"; the embedded choice stands for {counted(fallbacks, 'text')}"
        yield Fact(
            f"the model failed: {failures}{stands if fallbacks else ''}",
            {"model_failures": kinds, "fallbacks": fallbacks},
        )


def _failures(reasons: Counter[str]) -> Iterator[Fact]:
    """Yield facts on the failures by reason, the most frequent first."""
    for place, (reason, count) in enumerate(reasons.most_common()):
        line = f"failed ({counted(count, 'text')}): {reason}" if place < _MOST_REASONS else ""
        yield Fact(line, {"failures": [{"reason": reason, "texts": count}]})
