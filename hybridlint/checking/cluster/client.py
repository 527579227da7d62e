"""A Dask cluster that checks and proves: it sends work in batches, and resends a lost worker's batch."""

from __future__ import annotations

import importlib
import logging
import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.checking.checker import Job
from hybridlint.checking.cluster.work import Home, UnlikeError, check_batch, prove
from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.core.result import Result
from hybridlint.proving.stopping import STOPPED
from hybridlint.runtime.facts.records import record, replace

if TYPE_CHECKING:
    from hybridlint.proving.read_set import ReadSet
    from hybridlint.proving.settings import ProofSettings

#: Batches under way for each thread of the cluster: one is worked on, one waits.
_AHEAD = 2
#: Files and bytes of a batch.
_FILES, _BYTES = 32, 300_000
#: Seconds between looks at whether there is still a cluster, and how often there may be none.
_LOOK_S, _PATIENCE = 2.0, 15
#: Seconds within which a scheduler answers.
_ANSWER_S = 10

_LOST = "the workers of the cluster that checked the file were ended: check it alone, or leave it out with `exclude`"


@record(slots=True, eq=False)
class _Batch:
    jobs: list[tuple[int, Job]]
    future: Any = None


@record(slots=True)
class Cluster:
    """The cluster behind the scheduler at `address`. It is someone else's: nothing is started or stopped there."""

    address: str
    home: Home = field(default_factory=Home.here)
    _client: Any = None

    def __enter__(self) -> Cluster:
        """Connect. Raises UsageError without Dask, scheduler or workers."""
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise UsageError("`--cluster` needs Dask: install it with `pip install 'hybridlint[dask]'`") from None
        # What Dask says of lost connections is said here in one sentence.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client = distributed.Client(self.address, timeout=_ANSWER_S, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise UsageError(
                f"no Dask scheduler answers at `{self.address}`: give the address that it prints, such as tcp://host:8786"
            ) from error
        if not self.threads:
            self.__exit__()
            raise UsageError(f"the Dask scheduler at {self.address} has no workers: start some with `dask worker`")
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect; what is under way is dropped."""
        self._client.close(timeout=_LOOK_S)

    @property
    def threads(self) -> int:
        """How many tasks can be worked on at once."""
        return sum(self._client.nthreads().values())

    def spread(self, jobs: Iterable[tuple[int, Job]]) -> Iterator[tuple[int, Result]]:
        """Yield each job's number and result, in any order. Jobs are taken lazily. Raises UsageError."""
        waiting = _batches(jobs)
        again: deque[_Batch] = deque()
        going: list[_Batch] = []
        while True:
            while len(going) < _AHEAD * max(self.threads, 1):
                batch = again.popleft() if again else next(waiting, None)
                if batch is None:
                    break
                batch.future = self._client.submit(check_batch, self.home, batch.jobs, pure=False)
                going.append(batch)
            if not going:
                return
            self._await([batch.future for batch in going])
            for batch in [each for each in going if each.future.done()]:
                going.remove(batch)
                yield from self._answers(batch, again)

    def _answers(self, batch: _Batch, again: deque[_Batch]) -> Iterator[tuple[int, Result]]:
        """Yield the results of a batch. If it killed too many workers, its files are done one by one."""
        try:
            yield from self._result(batch.future)
        except _KilledError:
            if len(batch.jobs) > 1:
                again.extend(_Batch([job]) for job in batch.jobs)
            else:
                yield from ((number, Result(job.path, failure=_LOST)) for number, job in batch.jobs)

    def prove(
        self, path: Path, before: str, after: str | None, settings: ProofSettings, blocks: Collection[str] | None
    ) -> tuple[list[ProofOutcome], ReadSet | None]:
        """Prove the blocks of a file on a worker; nothing once proofs are stopped. Raises UsageError."""
        place = Path(os.path.abspath(path))
        future = self._client.submit(
            prove, self.home, place, before, after, settings=settings, blocks=blocks, pure=False
        )
        while not future.done():
            if STOPPED.is_set():
                future.cancel()
                return [], None
            self._await([future])
        try:
            outcomes, read = self._result(future)
        except _KilledError:
            return [
                ProofOutcome(
                    path, path.name, 1, ProofStatus.NOT_RUN, "the workers of the cluster that ran it were ended"
                )
            ], None
        return [replace(outcome, path=path) if outcome.path == place else outcome for outcome in outcomes], read

    def _await(self, futures: list[Any]) -> None:
        """Wait until one is done or some time has passed. Raises UsageError if there is nobody to wait for."""
        distributed: Any = importlib.import_module("distributed")
        for _ in range(_PATIENCE):
            with suppress(TimeoutError), self._client.as_current():
                distributed.wait(futures, timeout=_LOOK_S, return_when="FIRST_COMPLETED")
                return
            if self._client.status != "running":
                raise UsageError(f"the Dask scheduler at {self.address} is gone: start it again")
            if self.threads:
                return
        raise UsageError(f"the Dask scheduler at {self.address} has lost all its workers: start some again")

    def _result(self, future: Any) -> Any:
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise _KilledError from error
        except CancelledError as error:
            raise UsageError(f"the Dask scheduler at {self.address} is gone: start it again") from error
        except UnlikeError as error:
            raise UsageError(str(error)) from error
        except ModuleNotFoundError as error:
            raise UsageError(
                f"a worker of the cluster has no {error.name}: install there what is installed here"
            ) from error


class _KilledError(Exception):
    """Raised for work that has cost as many workers as the scheduler allows."""


def _batches(jobs: Iterable[tuple[int, Job]]) -> Iterator[_Batch]:
    """Yield neighbours together: they import the same files."""
    held: list[tuple[int, Job]] = []
    size = 0
    for number, job in jobs:
        # What this process keeps to fix the file again stays here.
        held.append((number, replace(job, kept=None)))
        size += len(job.data)
        if len(held) == _FILES or size > _BYTES:
            yield _Batch(held)
            held, size = [], 0
    if held:
        yield _Batch(held)
