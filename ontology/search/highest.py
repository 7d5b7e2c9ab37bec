"""Find the places of the highest numbers of a row, the same on every processor."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float32] | npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]

_GROUPS = 16  # groups of numbers for each number that is sought, at least
_LARGEST = 32  # numbers of a group, at most


def highest(scores: Numbers, k: int) -> Places:
    """Return the places of the k highest numbers of a row, the highest first, ties by place."""
    return Heights.of(scores, k).highest(k)


@dataclass(frozen=True, eq=False)
class Heights:
    """A row of numbers in groups, of which only those with a high number are looked at.

    tops: the highest number of each group. size: the numbers of a group; those of the first one are
    as many places apart as there are groups. The last numbers of the row are in no group.
    """

    numbers: Numbers
    tops: Numbers
    size: int

    @classmethod
    def of(cls, numbers: Numbers, k: int) -> "Heights":
        """Group a row in which the k highest are sought."""
        size = min(max(len(numbers) // (_GROUPS * k), 1), _LARGEST)
        groups = len(numbers) // size
        tops = numbers[: size * groups].reshape(size, groups).max(axis=0)
        return cls(numbers, tops, size)

    def reaching(self, limit: float) -> Places:
        """Return the places of the numbers that reach a limit, in their order."""
        groups, grouped = len(self.tops), self.size * len(self.tops)
        high = np.flatnonzero(self.tops >= limit)
        inside = (np.arange(0, grouped, groups)[:, None] + high).ravel()
        places = np.concatenate([inside, np.arange(grouped, len(self.numbers))])
        found: Places = places[self.numbers[places] >= limit]
        return found

    def highest(self, k: int) -> Places:
        """Return the places of the k highest numbers, the highest first, ties by place.

        NumPy's argpartition chooses other places of a tie on other processors. So its partition is
        used only for the k-th highest number, which is the same everywhere.
        """
        if k >= len(self.numbers):
            return np.argsort(-self.numbers, kind="stable")
        places = self.reaching(np.partition(self.tops, -k)[-k])
        best = self.numbers[places]
        likely = best >= np.partition(best, -k)[-k]
        places, best = places[likely], best[likely]
        found: Places = places[np.argsort(-best, kind="stable")[:k]]
        return found
