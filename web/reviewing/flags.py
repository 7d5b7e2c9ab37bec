"""The rows that reviewers flagged for a second look."""

from collections.abc import Iterable

from .log import Review


def flagged(reviews: Iterable[Review]) -> dict[str, str]:
    """Return, by text, who flagged it last; a flag that was removed is gone for everybody."""
    marked: dict[str, str] = {}
    for review in reviews:
        if review.act == "flagged":
            marked[review.text] = review.reviewer
        elif review.act == "unflagged":
            marked.pop(review.text, None)
    return marked
