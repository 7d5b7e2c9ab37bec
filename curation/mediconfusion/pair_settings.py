"""Define the settings of a set of confusing pairs."""

from dataclasses import dataclass, field

from ...errors import UsageError
from ...prompts.data import Categories
from ...prompts.pairs import PairRules, load_pair_rules


@dataclass(frozen=True)
class PairSettings:
    """The settings of a set of pairs. Raises UsageError for one outside its bounds.

    least_medical, most_general: the thresholds of the two encoders. per_image: how many pairs an
    image may be in. pairs: how many pairs are written about at most, those with the widest gaps.
    tries: how often a question is written at most, if a check objects to it. seed: decides the
    order of the options, the captions from which categories are listed, and the split. validation:
    the share of the pairs in the validation split. categories: None to list them from captions.
    """

    least_medical: float = 0.9
    most_general: float = 0.75
    per_image: int = 1
    pairs: int | None = None
    tries: int = 3
    seed: int = 0
    validation: float = 0.2
    rules: PairRules = field(default_factory=lambda: load_pair_rules("mediconfusion"))
    categories: Categories | None = None

    def __post_init__(self) -> None:
        """Check the bounds."""
        for name in ("least_medical", "most_general"):
            if not -1 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}; a cosine is from -1 to 1")
        for name in ("per_image", "tries"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.pairs is not None and self.pairs < 1:
            raise UsageError(f"pairs is {self.pairs}; it must be at least 1")
        if not 0 <= self.validation <= 1:
            raise UsageError(f"validation is {self.validation}; a share is from 0 to 1")
