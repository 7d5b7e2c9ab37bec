"""The rows that reviewers flagged for a second look."""

from .rows import row_id
from .session import Session


def flagged(session: Session, reviewer: str = "") -> dict[str, str]:
    """Return, by the id of the row, who flagged it last; a flag that was removed is gone.

    Flags are of everybody, and anybody may remove them. In a blind review each has their own.
    """
    marked: dict[str, str] = {}
    for review in session.log.reviews:
        if session.blind and review.reviewer != reviewer:
            continue
        if review.act == "flagged":
            marked[row_id(review.text)] = review.reviewer
        elif review.act == "unflagged":
            marked.pop(row_id(review.text), None)
    return marked
