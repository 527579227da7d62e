"""Checks on a cluster, in place of this machine's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.checking.checker import Job
    from hybridlint.core.result import Result

    Spread = Callable[[Iterator[tuple[int, Job]]], Iterator[tuple[int, Result]]]


def checking_on(address: str | None) -> Spread | None:
    """Return what checks numbered jobs on the cluster at an address; None leaves them to this machine."""
    if address is None:
        return None

    def spread(jobs: Iterator[tuple[int, Job]]) -> Iterator[tuple[int, Result]]:
        from hybridlint.checking.cluster.client import Cluster

        with Cluster(address) as cluster:
            yield from cluster.spread(jobs)

    return spread
