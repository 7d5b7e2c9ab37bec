"""Every two judges on the same items: how often they gave each pair of verdicts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...scoring.votes import Scalar, Vote
from ..judges.agreement_rows import AgreementRow
from ..judges.agreement_text import headline, number
from ..judges.as_votes import ITEM
from .words import words_of

MOST_LABELS = 20
"""So many verdicts can be told apart in a grid."""
Verdicts = Mapping[str, Scalar]
"""Judge -> its verdict on an item."""


@dataclass(frozen=True)
class Confusion:
    """The verdicts of two judges, or of a judge and a person, on the same items of a step.

    counts: rows are verdicts of the first, columns those of the second, in the order of `labels`;
    both are empty where there are more than `MOST_LABELS`. n: the items with a verdict of both.
    same: on how many of them the verdicts are equal. measure, agreement: the step's measure of
    agreement beyond chance, and its value with its interval, "-" where it has none.
    """

    step: str
    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    n: int
    same: int
    measure: str
    agreement: str


def confusions_of(
    votes: Iterable[Vote],
    pairs: Sequence[tuple[str, str]],
    rows: Iterable[AgreementRow],
    names: Mapping[str, str],
) -> tuple[Confusion, ...]:
    """Count the verdicts of pairs of judges, step by step; a pair without an item is left out.

    rows: the table of agreement over the same votes. names: judge -> its name on the page.
    """
    steps: dict[str, dict[tuple[str, ...], dict[str, Scalar]]] = {}
    for vote in votes:
        if vote.verdict is not None:
            unit = (vote.case, *(vote.groups.get(name, "") for name in ITEM))
            steps.setdefault(vote.step, {}).setdefault(unit, {})[vote.judge] = vote.verdict
    of_pair: dict[tuple[str, frozenset[str]], list[AgreementRow]] = {}
    for row in rows:
        if row.between == "pair" and not row.group_by:
            of_pair.setdefault((row.step, frozenset((row.first, row.second))), []).append(row)
    return tuple(
        confusion
        for step, units in steps.items()
        for first, second in pairs
        for confusion in _confusion(
            (step, first, second),
            units.values(),
            of_pair.get((step, frozenset((first, second))), ()),
            names,
        )
    )


def _confusion(
    key: tuple[str, str, str],
    units: Iterable[Verdicts],
    rows: Sequence[AgreementRow],
    names: Mapping[str, str],
) -> Iterator[Confusion]:
    step, first, second = key
    counts = Counter((one[first], one[second]) for one in units if first in one and second in one)
    if not counts:
        return
    labels = sorted({label for pair in counts for label in pair}, key=_order)
    grid = [[counts[a, b] for b in labels] for a in labels] if len(labels) <= MOST_LABELS else []
    measure = headline(rows)
    row = next((one for one in rows if one.measure == measure), None)
    yield Confusion(
        step,
        names.get(first, first),
        names.get(second, second),
        tuple(map(words_of, labels)) if grid else (),
        tuple(map(tuple, grid)),
        counts.total(),
        sum(count for (a, b), count in counts.items() if a == b),
        measure.replace("_", " "),
        number(row.value, row.low, row.high) if row else "-",
    )


def _order(verdict: Scalar) -> tuple[bool, float, str]:
    """Numbers by their size, before words by the alphabet."""
    is_word = isinstance(verdict, str)
    return is_word, 0.0 if is_word else float(verdict), str(verdict)
