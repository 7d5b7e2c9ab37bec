"""What an item has used so far, and a reply with how it was got."""

from dataclasses import dataclass

from ..judge import JudgeSpec
from ..wires.request import Reply
from .prices import Price


@dataclass
class Tally:
    """What an item has used so far; a sum is None once one of its parts is unknown."""

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost: float | None = 0.0

    def add(self, reply: Reply | None, cost: float | None) -> None:
        """Count a request."""
        self.calls += 1
        if reply is not None:
            self.tokens_in = _plus(self.tokens_in, reply.tokens_in)
            self.tokens_out = _plus(self.tokens_out, reply.tokens_out)
            self.cost = None if self.cost is None or cost is None else self.cost + cost


@dataclass(frozen=True)
class Arrived:
    """A reply with how it was got. latency: seconds; cost: US dollars or None if unknown."""

    reply: Reply
    sent: JudgeSpec
    attempt: int
    latency: float
    cost: float | None


def cost_of(price: Price | None, reply: Reply) -> float | None:
    """Return the cost of a reply in US dollars, None if it is unknown."""
    if price is None or reply.tokens_in is None or reply.tokens_out is None:
        return None
    return price.cost(
        reply.tokens_in, reply.tokens_out, min(reply.tokens_cached or 0, reply.tokens_in)
    )


def tokens_of(reply: Reply, expected: int) -> int:
    """Return the tokens of a request and its reply, or `expected` where they are unknown."""
    if reply.tokens_in is None or reply.tokens_out is None:
        return expected
    return reply.tokens_in + reply.tokens_out


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
