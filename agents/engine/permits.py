"""What a run asks before it sends a request: whether it may go now, and whether it may cost money.

`Limiter` and `Budget` (limits.py) answer for one process. Processes that work on one job on many
machines ask something that answers for all of them.
"""

from typing import Protocol


class Pace(Protocol):
    """Says when a request may be sent."""

    async def enter(self, tokens: int) -> float:
        """Wait for a place for a request of so many tokens; return its time, for `leave`."""

    def leave(self, *, started: float, throttled: float | None = None, surplus: int = 0) -> None:
        """Free the place; see `Limiter.leave`."""


class Purse(Protocol):
    """Says whether a request may cost money, and counts what was spent."""

    max_cost: float | None
    calls: int
    spent: float
    reached: bool

    async def reserve(self, estimate: float, pause: float = ...) -> None:
        """Count a call before it is sent. Raises BudgetReached."""

    def settle(self, estimate: float, actual: float) -> None:
        """Replace the estimate by the real cost."""


class Permits(Protocol):
    """Answers for all processes of a job."""

    @property
    def purse(self) -> Purse:
        """The budget of the job."""

    def pace(self, endpoint: str) -> Pace:
        """Return what says when a request to this model and server may be sent."""
