"""Proofs on a cluster, in place of this machine's."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.proving import remote_prover
from hybridlint.proving.threads import MOST

if TYPE_CHECKING:
    from hybridlint.core.proof_outcome import ProofOutcome
    from hybridlint.proving.progress import Progress
    from hybridlint.proving.read_set import ReadSet
    from hybridlint.proving.settings import ProofSettings


@contextmanager
def proving_on(address: str | None) -> Iterator[None]:
    """Have the cluster at an address prove whatever is proved inside; None leaves it to this machine."""
    if address is None:
        yield
        return
    from hybridlint.checking.cluster.client import Cluster

    with Cluster(address) as cluster:

        def prove(
            path: Path,
            before: str,
            after: str | None,
            settings: ProofSettings,
            *,
            blocks: Collection[str] | None,
            progress: Progress | None,
            read: ReadSet | None,
        ) -> list[ProofOutcome]:
            outcomes, was_read = cluster.prove(path, before, after, settings, blocks)
            if read is not None and was_read is not None:
                read.files |= was_read.files
                read.folders |= was_read.folders
                read.libraries |= was_read.libraries
            for outcome in outcomes:
                if progress is not None:
                    progress(path, outcome.block)
            return outcomes

        most = MOST.get()
        remote_prover.prove = prove
        MOST.set(max(cluster.threads, 1))
        try:
            yield
        finally:
            remote_prover.prove = None
            MOST.set(most)
