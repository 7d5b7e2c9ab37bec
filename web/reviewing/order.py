"""The queue: which rows are shown and in which order."""

from collections.abc import Callable

from pydantic import BaseModel

from ...errors import UsageError
from .blind import blind_states, differing
from .flags import flagged
from .rows import Row
from .samples import samples
from .session import Session

ORDERS: dict[str, Callable[[Row], tuple[float | str, ...]]] = {
    "doubt": lambda row: (-row.doubt, -row.weight),
    "rows": lambda row: (-row.weight, row.score),
    "score": lambda row: (row.score, -row.weight),
    "-score": lambda row: (-row.score, -row.weight),
    "text": lambda row: (row.text.casefold(),),
    "code": lambda row: (row.code, row.text.casefold()),
    "file": lambda row: (row.number,),
}
"""The orders of the queue. "doubt": most rows that are expected to be wrong first."""


class Wanted(BaseModel):
    """The filters, which combine; "" and False do not filter.

    state: open, reviewed or accepted. band: exact, high, medium, low, unmapped or failed. words:
    in the text, the name or the note, or how the code begins. sample: its number.
    """

    order: str = "doubt"
    state: str = ""
    band: str = ""
    words: str = ""
    reviewer: str = ""
    sample: str = ""
    flagged: bool = False
    changed: bool = False
    differs: bool = False


def queue(session: Session, wanted: Wanted, reviewer: str) -> list[str]:
    """Return the ids of the rows, in order; in a blind review as this reviewer sees them.

    Raises UsageError for an unknown order.
    """
    if wanted.order not in ORDERS:
        raise UsageError(f"order is {wanted.order!r}, not one of {', '.join(ORDERS)}")
    tests = list(_tests(session, wanted, reviewer))
    rows = [row for row in session.table.rows.values() if session.is_mine(row)]
    if session.blind:
        rows = _blind(session, rows, wanted.state, reviewer)
    elif wanted.state:
        rows = [row for row in rows if row.state == wanted.state]
    rows = [row for row in rows if all(test(row) for test in tests)]
    return [row.id for row in sorted(rows, key=ORDERS[wanted.order])]


def _blind(session: Session, rows: list[Row], state: str, reviewer: str) -> list[Row]:
    """Return the rows for blind reviews that have this state for the reviewer, "" for any."""
    mine = {row.id: now for row, now in blind_states(session, reviewer)}
    return [row for row in rows if row.id in mine and state in ("", mine[row.id])]


def _tests(session: Session, wanted: Wanted, reviewer: str) -> list[Callable[[Row], bool]]:
    tests: list[Callable[[Row], bool]] = []
    if wanted.band:
        tests.append(lambda row: row.band == wanted.band)
    if wanted.words.strip():
        tests.append(_holds(wanted.words.casefold().split()))
    if wanted.reviewer:
        tests.append(lambda row: row.reviewer == wanted.reviewer)
    if wanted.sample:
        drawn = next(
            (one.drawn for one in samples(session.log.reviews) if one.number == wanted.sample), {}
        )
        tests.append(lambda row: row.id in drawn)
    if wanted.flagged:
        marked = flagged(session, reviewer)
        tests.append(lambda row: row.id in marked)
    if wanted.changed:
        tests.append(lambda row: row.id in session.earlier)
    if wanted.differs and not session.blind:
        differing_ids = differing(session)
        tests.append(lambda row: row.id in differing_ids)
    return tests


def _holds(words: list[str]) -> Callable[[Row], bool]:
    def holds(row: Row) -> bool:
        text = f"{row.text}\n{row.name}\n{row.note}".casefold()
        code = row.code.casefold()
        return all(word in text or (code and code.startswith(word)) for word in words)

    return holds
