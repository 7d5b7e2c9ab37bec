"""The difference of two models under one judge, and whether it is clear."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Side:
    """The difference under one judge: the better model minus the worse one.

    low, high: the limits of its interval. lowest, highest: the limits if every missing verdict
    spoke against the better model, and for it. unresolved: the number of units that lack a verdict.
    """

    judge: str
    value: float
    low: float
    high: float
    lowest: float
    highest: float
    unresolved: int

    @property
    def clear(self) -> bool:
        """Whether the interval is above 0, whatever the missing verdicts were."""
        return self.low > 0 and self.lowest > 0

    @property
    def loose(self) -> bool:
        """Whether the side would be clear, for or against, without its missing verdicts."""
        return (self.low > 0) != self.clear or (self.high < 0) != self.turned().clear

    def turned(self) -> "Side":
        """Return the same difference with the two models exchanged."""
        return Side(self.judge, -self.value, -self.high, -self.low, -self.highest, -self.lowest,
                    self.unresolved)  # fmt: skip
