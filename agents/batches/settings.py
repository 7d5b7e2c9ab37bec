"""How batches are used, and which judges have them."""

from dataclasses import dataclass
from typing import Literal

from ...errors import UsageError
from ..engine.judges import Judge
from ..engine.models import PROVIDERS, BatchLimits

Repairs = Literal["batch", "live"]


@dataclass(frozen=True)
class Batching:
    """Ask by batches.

    repairs: whether an invalid answer is repaired in a further batch, or by a call at once, at
    the live price. quiet: seconds without a new request after which a batch is sent. first,
    longest: seconds between two looks at a batch; they grow from the first to the longest.
    """

    repairs: Repairs = "batch"
    quiet: float = 2.0
    first: float = 1.0
    longest: float = 60.0

    def __post_init__(self) -> None:
        if self.repairs not in ("batch", "live"):
            raise UsageError(f"repairs is {self.repairs!r}; it must be batch or live")


def limits_of(judge: Judge) -> BatchLimits:
    """Return how large a judge's batches may be. Raises UsageError for one without batches."""
    known = PROVIDERS.get(judge.spec.provider)
    if judge.model is None and known is not None and known.batch is not None:
        return known.batch
    able = ", ".join(f"{name}:MODEL" for name, one in PROVIDERS.items() if one.batch)
    raise UsageError(
        f"{judge.spec.label} has no batches that dxjudge can use: take {able} or openai:MODEL@URL "
        "for a server with OpenAI's batches, or ask without --batch"
    )
