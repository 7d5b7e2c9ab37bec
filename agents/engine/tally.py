"""What the requests about one item have used so far."""

from dataclasses import dataclass

from ..wires.request import Reply


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


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
