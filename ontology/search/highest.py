"""Find the places of the highest numbers of a row, the same on every processor."""

import numpy as np
import numpy.typing as npt


def highest(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.int64]:
    """Return the places of the k highest numbers of a row, the highest first, ties by place.

    NumPy's argpartition chooses other places of a tie on other processors. So its partition is used
    only for the k-th highest number, which is the same everywhere.
    """
    if k < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
    else:
        places = np.arange(len(scores))
    order = np.argsort(-scores[places], kind="stable")
    best: npt.NDArray[np.int64] = places[order[:k]]
    return best
