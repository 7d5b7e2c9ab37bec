"""Split a data set into validation and test; what belongs together stays together."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Split = Literal["validation", "test"]


@dataclass(frozen=True)
class Cluster:
    """Items that belong together: their names, and the stratum that the split is balanced by."""

    stratum: str
    items: tuple[str, ...]


def split_clusters(clusters: Sequence[Cluster], share: float, seed: int) -> dict[str, Split]:
    """Return the split of each item; about `share` of the items of each stratum validate.

    Clusters are drawn with the seed. The difference to the exact share of a stratum is carried to
    the next one, so that the whole set has the share up to half a cluster.
    """
    draw = random.Random(seed)
    splits: dict[str, Split] = {}
    wanted, validating = 0.0, 0
    for stratum in sorted({cluster.stratum for cluster in clusters}):
        own = sorted((c for c in clusters if c.stratum == stratum), key=lambda c: c.items)
        draw.shuffle(own)
        wanted += share * sum(len(cluster.items) for cluster in own)
        for cluster in own:
            validates = validating + len(cluster.items) / 2 <= wanted and share > 0
            validating += len(cluster.items) if validates else 0
            splits |= dict.fromkeys(cluster.items, "validation" if validates else "test")
    return splits


def joined(items: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the items in groups: items that share a part, also through others, are one group.

    items: name -> its parts, such as the images of a pair.

    >>> joined({"p": ["a", "b"], "q": ["c"], "r": ["b", "d"]})
    [('p', 'r'), ('q',)]
    """
    names, first_use = list(items), dict[str, int]()
    edges = [
        (place, first_use.setdefault(part, place))
        for place, name in enumerate(names)
        for part in items[name]
    ]
    rows, columns = (np.array(ends, dtype=np.int64) for ends in zip(*edges, strict=True))
    graph = coo_array((np.ones(len(edges)), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(graph, directed=False)
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels, strict=True):
        groups.setdefault(int(label), []).append(name)
    return [tuple(group) for group in groups.values()]
