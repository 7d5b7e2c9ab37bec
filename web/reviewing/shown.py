"""A row as its reviewer sees it."""

from dataclasses import asdict
from typing import Any

from ...ontology.mapping import BETWEEN
from ...ontology.table_row import COLUMNS
from .blind import blind_reviews
from .flags import flagged
from .log import Review
from .rows import Row, row_id
from .samples import samples
from .session import Session

_HISTORY = 20  # acts of one row that are shown
_DECISIONS = ("decided", "settled", "undone", "flagged", "unflagged")


def briefs(session: Session, ids: list[str], reviewer: str) -> list[dict[str, Any] | None]:
    """Return what the list shows of rows; None for one that the table no longer holds."""
    by_row = blind_reviews(session.log.reviews) if session.blind else {}
    marked = flagged(session, reviewer)
    told: list[dict[str, Any] | None] = []
    for id in ids:
        row = session.table.rows.get(id)
        if row and session.blind:
            row = _blind(session, row, by_row.get(id, {}).get(reviewer))
        told.append({**row.brief(), "flagged": marked.get(id, "")} if row else None)
    return told


def _blind(session: Session, row: Row, review: Review | None) -> Row:
    """Return a row without what other people decided: as computed, or as this reviewer chose."""
    plain = asdict(row)
    code = review.code if review else row.computed
    tree = session.table.tree
    known = bool(code) and tree.contains(code)
    plain |= {
        "code": code,
        "name": tree.name(code) if known else "",
        "state": "reviewed" if review else "open",
        "reviewer": review.reviewer if review else "",
        "note": review.note if review else "",
        "additional": tuple(filter(None, review.additional_codes.split(BETWEEN))) if review else (),
    }
    return Row(**plain)


def detail(session: Session, id: str, reviewer: str) -> dict[str, Any]:
    """Return everything that the page shows of one row. Raises InputError for an unknown one."""
    row = session.row(id)
    reviews = session.log.reviews
    by_row = blind_reviews(reviews).get(id, {})
    shown = _blind(session, row, by_row.get(reviewer)) if session.blind else row
    cells = session.table.cells(row)
    carried = session.earlier.get(id)
    further = session.table.tree
    return {
        **shown.brief(),
        "version": session.table.version(row),
        "computed": row.computed,
        "category_score": row.category_score,
        "decided_by": row.decided_by,
        "term": cells["term"],
        "source": cells["source"],
        "reason": cells["reason"],
        "note": shown.note,
        "additional": [
            {"code": code, "name": further.name(code) if further.contains(code) else ""}
            for code in shown.additional
        ],
        "other": {
            name: cell for name, cell in cells.items() if name not in COLUMNS and cell.strip()
        },
        "flagged": flagged(session, reviewer).get(id, ""),
        "earlier": {"code": carried.old, "fate": carried.fate, "why": carried.why}
        if carried
        else None,
        "samples": [one.number for one in samples(reviews) if id in one.drawn],
        "reviews": [] if session.blind else [_told(one) for one in by_row.values()],
        "history": [] if session.blind else _history(reviews, row.text),
    }


def _history(reviews: list[Review], text: str) -> list[dict[str, str]]:
    id = row_id(text)
    acts = [one for one in reviews if one.act in _DECISIONS and one.text and row_id(one.text) == id]
    return [_told(one) for one in acts[-_HISTORY:]]


def _told(review: Review) -> dict[str, str]:
    return {
        "time": review.time,
        "reviewer": review.reviewer,
        "act": review.act,
        "code": review.code,
        "additional_codes": review.additional_codes,
        "note": review.note,
    }
