"""Random samples of rows above a confidence, what they show, and rows accepted after them.

A sample is drawn from texts, each with the same chance, so that what it shows holds for the texts
that nobody looked at. Its precision is that of rows: every text counts as many rows as it stands
for.
"""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ...ontology.table_row import ACCEPTED, State
from ...scoring.share_limits import share_interval, weighted_share_interval
from .blind import blind_states
from .edited import Edit
from .flags import flagged
from .log import Review
from .rows import Row, row_id
from .session import Session

FEWEST = 10
"""The fewest texts of a sample after which others can be accepted."""


@dataclass(frozen=True)
class Sample:
    """A sample: the codes that were drawn, by the id of their row.

    lowest: the confidence from which on rows could be drawn. texts, rows: how many texts and rows
    there were. is_accepted: whether the other rows were accepted.
    """

    number: str
    lowest: float
    texts: int
    rows: int
    drawn: dict[str, str]
    is_accepted: bool


@dataclass(frozen=True)
class Seen:
    """What the sample shows: how many drawn texts were looked at and right, and the estimates.

    rows_right, texts_right: share, lower and upper limit; None where no text was looked at.
    """

    seen: int
    right: int
    rows_right: tuple[float, float, float] | None
    texts_right: tuple[float, float, float] | None


def open_rows(session: Session, lowest: float) -> list[Row]:
    """Return the rows that can be accepted: open, with a code of at least this confidence.

    Flagged rows wait for a person, and rows with a fault for a correction.
    """
    marked = flagged(session)
    return [
        row
        for row in session.table.rows.values()
        if row.state == "open"
        and row.code
        and row.score >= lowest
        and not row.fault
        and row.id not in marked
    ]


def draw(session: Session, lowest: float, size: int, reviewer: str, seed: int | None) -> Sample:
    """Draw a sample and record it. Raises UsageError for one that cannot be drawn."""
    if session.blind:
        raise UsageError("rows are not accepted in a blind review")
    if not 0 <= lowest <= 1:
        raise UsageError(f"the confidence is {lowest:g}; it must lie between 0 and 1")
    if size < FEWEST:
        raise UsageError(f"a sample has at least {FEWEST} texts")
    with session.table.claimed():
        session.refresh()
        rows = open_rows(session, lowest)
        if not rows:
            raise UsageError(f"no open row has a confidence of {lowest:g} or more")
        start = random.SystemRandom().randrange(2**32) if seed is None else seed
        drawn = random.Random(start).sample(rows, min(size, len(rows)))  # noqa: S311
        number = str(1 + max((int(one.number) for one in samples(session.log.reviews)), default=0))
        known = {
            "lowest": lowest,
            "texts": len(rows),
            "rows": sum(row.weight for row in rows),
            "seed": start,
        }
        session.log.append(
            [
                Review(reviewer, "drawn", row.text, row.code, sample=number, details=known)
                for row in drawn
            ]
        )
    return next(one for one in samples(session.log.reviews) if one.number == number)


def samples(reviews: Iterable[Review]) -> list[Sample]:
    """Return the samples that the record holds, in order."""
    drawn: dict[str, dict[str, str]] = {}
    known: dict[str, Any] = {}
    accepted: dict[str, bool] = {}
    for review in reviews:
        if review.act == "drawn":
            drawn.setdefault(review.sample, {})[row_id(review.text)] = review.code
            known[review.sample] = review.details
        elif review.act in ("accepted", "withdrawn"):
            accepted[review.sample] = review.act == "accepted"
    return [
        Sample(
            number,
            float(known[number]["lowest"]),
            int(known[number]["texts"]),
            int(known[number]["rows"]),
            codes,
            accepted.get(number, False),
        )
        for number, codes in drawn.items()
    ]


def seen(session: Session, sample: Sample) -> Seen:
    """Return what the sample shows so far: a text is right where a person kept its code."""
    rows = [
        (row, code)
        for id, code in sample.drawn.items()
        if (row := session.table.rows.get(id)) and row.state == "reviewed"
    ]
    marks = [row.code == code for row, code in rows]
    if not marks:
        return Seen(0, 0, None, None)
    by_rows = weighted_share_interval(marks, [row.weight for row, _ in rows])
    by_texts = share_interval(marks)
    return Seen(
        len(marks),
        sum(marks),
        (by_rows.estimate, by_rows.low, by_rows.high),
        (by_texts.estimate, by_texts.low, by_texts.high),
    )


def accept(session: Session, number: str, reviewer: str) -> int:
    """Accept the rows that a sample stands for, and return their number.

    Raises UsageError before every drawn text was decided, and where rows were added since.
    """
    with session.table.claimed():
        session.refresh()
        sample = _find(session, number)
        left = len(sample.drawn) - seen(session, sample).seen
        if left:
            raise UsageError(f"decide all texts of the sample first: {left} are left")
        rows = [row for row in open_rows(session, sample.lowest) if row.id not in sample.drawn]
        if len(rows) + len(sample.drawn) > sample.texts:
            raise UsageError("rows were added since the sample was drawn: draw another")
        if not rows:
            raise UsageError("no row is left to accept")
        who = f"{reviewer}, {_mark(number)}"
        _set(session, rows, {"reviewed": ACCEPTED, "reviewer": who})
        known = {"texts": len(rows), "rows": sum(row.weight for row in rows)}
        session.log.append([Review(reviewer, "accepted", sample=number, details=known)])
    return len(rows)


def withdraw(session: Session, number: str, reviewer: str) -> int:
    """Open the rows again that were accepted after a sample, and return their number."""
    with session.table.claimed():
        session.refresh()
        rows = accepted_rows(session, number)
        _set(session, rows, {"reviewed": "no", "reviewer": ""})
        session.log.append([Review(reviewer, "withdrawn", sample=number)])
    return len(rows)


def accepted_rows(session: Session, number: str) -> list[Row]:
    """Return the rows that were accepted after a sample and stand so."""
    end = f", {_mark(number)}"
    rows = session.table.rows.values()
    return [row for row in rows if row.state == "accepted" and row.reviewer.endswith(end)]


def _mark(number: str) -> str:
    return f"sample {number}"


def _find(session: Session, number: str) -> Sample:
    for sample in samples(session.log.reviews):
        if sample.number == number:
            return sample
    raise UsageError(f"there is no sample {number}")


def _set(session: Session, rows: list[Row], cells: dict[str, str]) -> None:
    session.table.change([Edit(row.id, session.table.version(row), cells) for row in rows])


def described(session: Session) -> list[dict[str, Any]]:
    """Return every sample with what it shows and what stands accepted after it."""
    told = []
    for sample in samples(session.log.reviews):
        shown = seen(session, sample)
        rows = accepted_rows(session, sample.number) if sample.is_accepted else []
        told.append(
            {
                "number": sample.number,
                "lowest": sample.lowest,
                "texts": sample.texts,
                "rows": sample.rows,
                "drawn": len(sample.drawn),
                "seen": shown.seen,
                "right": shown.right,
                "rows_right": shown.rows_right,
                "texts_right": shown.texts_right,
                "accepted_texts": len(rows),
                "accepted_rows": sum(row.weight for row in rows),
            }
        )
    return told


def progress(session: Session, reviewer: str = "") -> dict[str, Any]:
    """Return how much of the rows is done, and how right what was accepted unseen is.

    In a blind review it is how much this reviewer has done: the table does not change, and what
    other people did stays unseen.
    """
    counts: dict[str, dict[str, float]] = {
        state: {"texts": 0, "rows": 0} for state in ("open", "reviewed", "accepted")
    }
    rows = blind_states(session, reviewer) if session.blind else _states(session)
    uncounted = 0
    for row, state in rows:
        counts[state]["texts"] += 1
        counts[state]["rows"] += row.weight
        uncounted += not row.rows
    told = [] if session.blind else described(session)
    return {**counts, "uncounted": uncounted, "samples": told, "unseen": _combined(told)}


def _states(session: Session) -> Iterator[tuple[Row, State]]:
    return ((row, row.state) for row in session.table.rows.values())


def _combined(told: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the estimate over all accepted rows, each sample weighted by the rows it stands for.

    With several samples the limits are the weighted means of theirs: they hold together where each
    holds, so they are wider than they need to be.
    """
    parts = [one for one in told if one["accepted_rows"] and one["rows_right"]]
    total = math.fsum(one["accepted_rows"] for one in parts)
    if not total:
        return None
    share, low, high = (
        math.fsum(one["accepted_rows"] * one["rows_right"][place] for one in parts) / total
        for place in range(3)
    )
    return {
        "share": share,
        "low": low,
        "high": high,
        "rows": int(total),
        "texts": sum(one["accepted_texts"] for one in parts),
        "seen": sum(one["seen"] for one in parts),
        "right": sum(one["right"] for one in parts),
        "samples": len(parts),
    }


def steps(session: Session) -> list[dict[str, Any]]:
    """Return, for some confidences, how many open rows have them and how right they should be.

    `expected` is the mean of the rows' own confidences, before anybody looked at a sample.
    """
    rows = open_rows(session, 0.0)
    told = []
    for lowest in (0.99, 0.95, 0.9, 0.8, 0.7, 0.5):
        above = [row for row in rows if row.score >= lowest]
        weight = sum(row.weight for row in above)
        right = math.fsum(row.weight * row.score for row in above)
        told.append(
            {
                "lowest": lowest,
                "texts": len(above),
                "rows": weight,
                "expected": right / weight if weight else None,
            }
        )
    return told
