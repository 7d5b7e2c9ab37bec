"""How the outcome of an item ended, as a status of the measures."""

from collections.abc import Iterable

from ...agents.outcome import Failed, Outcome
from .measure import UNRESOLVED, Score, Status


def ended(outcome: Outcome | None) -> Status:
    """Return done, abstained, undecided or failed; None, where nothing was asked, is failed.

    A jury whose votes are tied is undecided: every judge answered, and nobody failed. A jury
    without its quorum is failed, because the votes are missing.
    """
    if outcome is None:
        return "failed"
    if isinstance(outcome, Failed) and outcome.kind == "tied":
        return "undecided"
    return outcome.status


def unresolved(statuses: Iterable[Status]) -> Score:
    """Return a score without a value: undecided if nothing but ties keeps it from one."""
    missing = {status for status in statuses if status in UNRESOLVED}
    return Score(None, "undecided" if missing == {"undecided"} else "failed")
