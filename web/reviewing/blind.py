"""Blind reviews: who chose what, how far reviewers agree, and settling what they agree on."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from ...ontology.mapping import BETWEEN
from ...ontology.table_row import State
from ...scoring.bootstrap import Plan
from ...scoring.raters.agreement import Coefficient, pair_agreement
from ...scoring.share_limits import share_interval
from .log import Review
from .rows import Row, row_id
from .session import Decision, Session

_RESAMPLES = 500  # the page waits for them
_NO_CODE = "no code fits"


def blind_reviews(reviews: Iterable[Review]) -> dict[str, dict[str, Review]]:
    """Return the blind reviews that stand: by id of the row, then by reviewer the latest."""
    stacks: dict[tuple[str, str], list[Review]] = defaultdict(list)
    for review in reviews:
        stack = stacks[row_id(review.text), review.reviewer]
        if review.act == "blind":
            stack.append(review)
        elif review.act == "undone" and stack:
            stack.pop()
    by_row: dict[str, dict[str, Review]] = defaultdict(dict)
    for (id, reviewer), stack in stacks.items():
        if stack:
            by_row[id][reviewer] = stack[-1]
    return dict(by_row)


def reviewers(reviews: Iterable[Review]) -> list[str]:
    """Return who decided rows; what people agreed on is settled under their joint names."""
    return sorted({one.reviewer for one in reviews if one.act in ("decided", "blind")})


def blind_states(session: Session, reviewer: str) -> Iterator[tuple[Row, State]]:
    """Yield the rows for blind reviews, and whether this reviewer has decided each.

    Rows that people decided otherwise are left out.
    """
    by_row = blind_reviews(session.log.reviews)
    for row in session.table.rows.values():
        if session.is_mine(row) and (row.state == "open" or row.id in by_row):
            yield row, "reviewed" if reviewer in by_row.get(row.id, {}) else "open"


def chosen(review: Review) -> tuple[str, frozenset[str]]:
    """Return the code and the further codes of a review, for comparison."""
    return review.code, frozenset(filter(None, review.additional_codes.split(BETWEEN)))


def agrees(reviews: dict[str, Review]) -> bool:
    """Return whether several reviewers chose the same codes."""
    return len(reviews) > 1 and len({chosen(review) for review in reviews.values()}) == 1


def differs(reviews: dict[str, Review]) -> bool:
    """Return whether several reviewers chose different codes."""
    return len({chosen(review) for review in reviews.values()}) > 1


def differing(session: Session) -> set[str]:
    """Return the ids of open rows about which reviewers differ."""
    rows = session.table.rows
    return {
        id
        for id, reviews in blind_reviews(session.log.reviews).items()
        if differs(reviews) and (row := rows.get(id)) and row.state != "reviewed"
    }


def agreement(session: Session) -> dict[str, Any]:
    """Return how far every two reviewers agree, and what is left to settle."""
    by_row = blind_reviews(session.log.reviews)
    names = sorted({name for reviews in by_row.values() for name in reviews})
    pairs = [_pair(session, by_row, *pair) for pair in combinations(names, 2)]
    return {
        "reviewers": [
            {"name": name, "texts": sum(name in reviews for reviews in by_row.values())}
            for name in names
        ],
        "pairs": [pair for pair in pairs if pair["texts"]],
        "agreed": len(agreed(session)),
        "differing": len(differing(session)),
    }


def _pair(
    session: Session, by_row: dict[str, dict[str, Review]], one: str, other: str
) -> dict[str, Any]:
    both = [
        (id, reviews[one], reviews[other])
        for id, reviews in by_row.items()
        if one in reviews and other in reviews
    ]
    first = [review.code or _NO_CODE for _, review, _ in both]
    second = [review.code or _NO_CODE for _, _, review in both]
    pair: dict[str, Any] = {"first": one, "second": other, "texts": len(both)}
    if not both:
        return pair
    measures = {
        measure.name: measure
        for measure in pair_agreement(first, second, plan=Plan(resamples=_RESAMPLES))
    }
    same = [a == b for a, b in zip(first, second, strict=True)]
    same_category = [
        _category(session, a) == _category(session, b) for a, b in zip(first, second, strict=True)
    ]
    rows = [session.table.rows.get(id) for id, _, _ in both]
    weights = [row.weight if row else 1 for row in rows]
    agreeing = sum(weight for weight, is_same in zip(weights, same, strict=True) if is_same)
    return {
        **pair,
        "same": sum(same),
        "share": _share(same),
        "kappa": _shown(measures["cohen_kappa"]),
        "category": _share(same_category),
        "rows": sum(weights),
        "rows_same": agreeing,
    }


def _category(session: Session, code: str) -> str:
    tree = session.table.tree
    return tree.category(code).code if tree.contains(code) else code


def _share(marks: Sequence[bool]) -> dict[str, Any]:
    interval = share_interval(marks)
    return {
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "warning": interval.warning,
    }


def _shown(measure: Coefficient) -> dict[str, Any]:
    interval = measure.interval
    limits = (interval.low, interval.high) if interval else (math.nan, math.nan)
    low, high = (None if math.isnan(limit) else limit for limit in limits)
    return {"value": measure.value, "low": low, "high": high, "warning": measure.warning}


def agreed(session: Session) -> list[tuple[Row, dict[str, Review]]]:
    """Return the rows that are not reviewed yet and on which all their reviewers agree."""
    rows = session.table.rows
    return [
        (row, reviews)
        for id, reviews in blind_reviews(session.log.reviews).items()
        if agrees(reviews) and (row := rows.get(id)) and row.state != "reviewed"
    ]


def settle_agreed(session: Session) -> int:
    """Write into the table what all reviewers of a row agree on; return the number of rows."""
    with session.table.claimed():
        session.refresh()
        decisions = []
        for row, reviews in agreed(session):
            review = next(iter(reviews.values()))
            notes = dict.fromkeys(one.note for one in reviews.values() if one.note)
            decision = Decision(
                id=row.id,
                version=session.table.version(row),
                reviewer=" + ".join(sorted(reviews)),
                code=review.code,
                additional=tuple(filter(None, review.additional_codes.split(BETWEEN))),
                note="; ".join(filter(None, (row.note, *notes))),
            )
            decisions.append((decision, session.cells_of(decision)))
        if decisions:
            session.write(decisions, "settled")
    return len(decisions)
