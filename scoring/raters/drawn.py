"""Draw a sample by strata, and the probability with which each item was judged by a person."""

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from ...errors import UsageError
from ...files.counted import counted

S = TypeVar("S", bound=Hashable)


def allocate_sample(sizes: Mapping[S, int], n: int) -> dict[S, int]:
    """Return how many items to draw from each stratum: as equally as their sizes allow.

    Formula: strata in order of size; each gets min(size, what is left / strata that are left).

    Source: equal allocation, Cochran (1977), "Sampling Techniques", chapter 5.

    Args:
        sizes: the number of items of each stratum.
        n: how many items to draw in all.

    Returns:
        The number for each stratum; their sum is n, or the number of items if that is smaller.

    Raises:
        UsageError: fewer than one item for each stratum.

    >>> allocate_sample({"common": 90, "rare": 4}, 20)
    {'common': 16, 'rare': 4}
    """
    if n < len(sizes):
        raise UsageError(
            f"a sample of {counted(n, 'item')} cannot hold one of each of {len(sizes)} groups"
        )
    left, drawn = n, {}
    ordered = sorted(sizes, key=lambda name: (sizes[name], str(name)))
    for at, name in enumerate(ordered):
        drawn[name] = min(sizes[name], left // (len(ordered) - at))
        left -= drawn[name]
    return {name: drawn[name] for name in sizes}


def draw_by_strata(strata: Sequence[Hashable], n: int, seed: int) -> list[int]:
    """Draw n places: from each stratum as many as `allocate_sample` says, each equally likely.

    Formula: simple random sampling without replacement within each stratum.

    Source: Cochran (1977), "Sampling Techniques", chapter 5.

    Args:
        strata: the stratum of each item.
        n: how many items to draw.
        seed: of the draw.

    Returns:
        The places of the drawn items, in their order.

    Raises:
        UsageError: fewer than one item for each stratum.

    >>> draw_by_strata(["a"] * 5 + ["b"], 2, seed=1)
    [1, 5]
    """
    wanted = allocate_sample(Counter(strata), n)
    draw = random.Random(seed)
    places: list[int] = []
    for name, count in wanted.items():
        inside = [at for at, stratum in enumerate(strata) if stratum == name]
        places += draw.sample(inside, count)
    return sorted(places)


def judged_chances(strata: Sequence[Hashable], judged: Iterable[int]) -> dict[int, float]:
    """Return, for each judged item, the probability with which an item like it was judged.

    Formula: items of the stratum that were judged / items of the stratum.

    Source: Horvitz and Thompson (1952), JASA 47; items that were drawn and not judged are taken
    to be like the judged ones of their stratum: weighting classes, Oh and Scheuren (1983).

    Args:
        strata: the stratum of each item of the whole set.
        judged: the places of the items that were judged.

    Returns:
        The probability by place; 1 / probability is how many items a judged one stands for.

    >>> judged_chances(["common"] * 8 + ["rare"] * 2, [0, 1, 8])
    {0: 0.25, 1: 0.25, 8: 0.5}
    """
    places = list(judged)
    size, done = Counter(strata), Counter(strata[at] for at in places)
    return {at: done[strata[at]] / size[strata[at]] for at in places}
