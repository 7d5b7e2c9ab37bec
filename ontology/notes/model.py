"""The network that finds the diagnosis of a note (data/notes.json; training/notes.py makes it)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..packaged import packaged
from ..search.network import Network, Numbers
from .options import NOTE_FEATURES

_CATEGORY = 3  # letters of a category


@dataclass(frozen=True)
class NoteModel(Network):
    """The network, and the slope of its logits."""

    slope: float

    def shares(self, rows: Numbers) -> Numbers:
        """Return the probability of each option; together they are 1."""
        logits = self.slope * self.logits(rows)
        shares = np.exp(logits - logits.max())
        result: Numbers = shares / shares.sum()
        return result


@lru_cache(maxsize=1)
def load_note_model() -> NoteModel:
    """Load the model that the package carries."""
    content = json.loads(packaged("notes.json").read_text("utf-8"))
    if tuple(content.pop("features")) != NOTE_FEATURES:
        raise ValueError("data/notes.json was trained on other features; run training/")
    slope = float(content.pop("slope"))
    arrays = {name: np.asarray(numbers, np.float64) for name, numbers in content.items()}
    return NoteModel(**arrays, slope=slope)


def likeliest(codes: Sequence[str], shares: Numbers) -> tuple[int, float]:
    """Return the place of the best code of the likeliest category, and that category's share."""
    categories = np.array([code[:_CATEGORY] for code in codes])
    of_category = {one: float(shares[categories == one].sum()) for one in dict.fromkeys(categories)}
    category = max(of_category, key=of_category.__getitem__)
    return int(np.argmax(np.where(categories == category, shares, -1.0))), of_category[category]
