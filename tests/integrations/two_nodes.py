"""A Ray cluster of two nodes on this machine, each with one core to give away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OBJECT_STORE = 100 * 1024**2  # bytes: little is kept


@contextmanager
def two_nodes() -> Iterator[Any]:
    """The cluster, with this process connected to it."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=OBJECT_STORE, include_dashboard=False)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
