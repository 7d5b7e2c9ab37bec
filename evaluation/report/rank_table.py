"""The ranks of the models as text: over common cases, and if everything unresolved were wrong."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...files.counted import counted
from ..measures.standings import Rank
from ..result import Evaluation
from .main_table import expanded

RANKS_SAY = (
    "Value and rank are over the cases that all models resolved. * marks a rank that the "
    "unresolved items could change, because the bounds of the models overlap."
)
_WHOLE: Mapping[str, str] = MappingProxyType({})
_HEADER = ("Metric", "Judge", "Model", "Value", "Rank", "Cases", "Rank if unresolved were wrong",
           "Could change places with")  # fmt: skip


def rank_rows(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """A header, and a row for each metric of the main table, judge and model.

    Without two models there is no row.
    """
    rows = [
        [title, one.judge, one.model, _three(one.value), _place(one), str(one.n),
         str(one.rank_if_wrong or "-"), one.overlaps]
        for title, places in _contests(evaluation)
        for one in places
    ]  # fmt: skip
    return list(_HEADER), rows


def rank_notes(evaluation: Evaluation, short: Mapping[str, str] = _WHOLE) -> list[str]:
    """A sentence for each metric and judge whose ranks leave out unresolved items.

    short: other names of judges. It says which ranks would be others if everything unresolved
    were wrong, and which models the unresolved items could put in another order.
    """
    return [
        _note(title, places, short)
        for title, places in _contests(evaluation)
        if _unresolved(evaluation, places)
    ]


def _contests(evaluation: Evaluation) -> Iterator[tuple[str, list[Rank]]]:
    for column, _ in expanded(evaluation):
        if column.by:
            continue
        tables: dict[str, list[Rank]] = {}
        for one in evaluation.ranks:
            if one.metric == column.metric and not (one.slice or one.group_by):
                tables.setdefault(one.judge, []).append(one)
        yield from (
            (column.title or column.metric, places) for places in tables.values() if len(places) > 1
        )


def _unresolved(evaluation: Evaluation, places: Sequence[Rank]) -> bool:
    first = places[0]
    return any(
        one.failed or one.undecided
        for one in evaluation.numbers
        if (one.metric, one.judge) == (first.metric, first.judge)
        and not (one.slice or one.group_by)
    )


def _place(one: Rank) -> str:
    reason = f" ({one.reason})" if one.reason else ""
    return f"{one.rank or '-'}{' *' if one.overlaps else ''}{reason}"


def _three(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"


def _note(title: str, places: Sequence[Rank], short: Mapping[str, str]) -> str:
    judge = f", {short.get(places[0].judge, places[0].judge)}" if places[0].judge else ""
    moved = [
        f"{one.model} would be {one.rank_if_wrong} (now {one.rank})"
        for one in places
        if one.rank and one.rank_if_wrong and one.rank != one.rank_if_wrong
    ]
    known = [one for one in places if one.rank and one.rank_if_wrong]
    changes = "; ".join(moved) or "the ranks would be the same"
    if not known:
        wrong = [f"{one.model} would be {one.rank_if_wrong}" for one in places if one.rank_if_wrong]
        changes = "; ".join(wrong) or "there would be no ranks"
    silent = [one.model for one in places if not one.n]
    who = f"all models but {', '.join(silent)}" if 0 < len(silent) < len(places) else "all models"
    cases = counted(max(one.n for one in places), "case")
    sentence = (
        f"{title}{judge}: ranks are over {cases} that {who} resolved; if every unresolved item "
        f"were wrong, {changes}"
    )
    pairs = sorted(
        {
            " and ".join(sorted((one.model, other)))
            for one in places
            for other in one.overlaps.split("; ")
            if other
        }
    )
    if pairs:
        sentence += f"; the unresolved items could turn the order of {', '.join(pairs)}"
    return f"{sentence}."
