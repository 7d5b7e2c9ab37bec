"""The small network that orders the rows of a list: candidates of a text, options of a note."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Network:
    """Weights of a network of one hidden layer, as training/listwise.py makes them.

    Everything is computed in float64. Another order of addition then changes less than the rounding
    of a score to four digits removes.
    """

    mean: Numbers
    scale: Numbers
    hidden: Numbers
    hidden_bias: Numbers
    output: Numbers
    skip: Numbers

    def logits(self, rows: npt.NDArray[np.floating]) -> Numbers:
        """Return one number for each row of features; the highest ranks first."""
        scaled = np.clip((rows - self.mean) / self.scale, -6, 6)
        inner = np.tanh(scaled @ self.hidden + self.hidden_bias)
        result: Numbers = inner @ self.output + scaled @ self.skip
        return result
