"""A Ray cluster of several nodes on this machine, for the tests that `make cluster` runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

with_ray = pytest.mark.skipif(
    not os.environ.get("DXJUDGE_RAY"), reason="takes a minute: `make cluster` runs it, with Ray"
)


@contextmanager
def two_nodes() -> Iterator[Any]:
    """A head and a node, each with one core."""
    utils: Any = pytest.importorskip("ray.cluster_utils")
    running = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    running.add_node(num_cpus=1)
    try:
        yield running
    finally:
        running.shutdown()
