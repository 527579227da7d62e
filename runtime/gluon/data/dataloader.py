"""``mx.gluon.data.dataloader``: loading of batches, optionally by workers."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from multiprocessing.context import TimeoutError as WorkerTimeoutError
from multiprocessing.reduction import ForkingPickler
from typing import Any

from hybridlint.runtime.context import cpu_pinned
from hybridlint.runtime.gluon.data.joining import as_in_context as _as_in_context
from hybridlint.runtime.gluon.data.joining import default_batchify_fn, default_mp_batchify_fn
from hybridlint.runtime.gluon.data.process_pool import ProcessPool
from hybridlint.runtime.gluon.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from hybridlint.runtime.gluon.data.thread_pool import ThreadPool
from hybridlint.runtime.gluon.data.workers import make_batch as _worker_fn
from hybridlint.runtime.gluon.data.workers import make_batch_here as _thread_worker_fn
from hybridlint.runtime.gluon.data.workers import start_processes, start_threads

__all__ = [
    "DataLoader",
    "ForkingPickler",
    "_MultiWorkerIter",
    "_as_in_context",
    "_thread_worker_fn",
    "_worker_fn",
    "default_batchify_fn",
    "default_mp_batchify_fn",
]


class _MultiWorkerIter:
    """Iterator over batches in order, some prefetched by a pool of workers. Projects subclass it for their own loaders.

    Workers that hold the data set themselves return pickles; `dataset` is for workers that share memory. Raises
    RuntimeError if a batch takes longer than `timeout` seconds.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[[Any], Any],
        batch_sampler: Any,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] = _worker_fn,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        self._worker_pool = worker_pool
        self._batchify_fn = batchify_fn
        self._batch_sampler = batch_sampler
        self._data_buffer: dict[int, Any] = {}
        self._rcvd_idx = 0
        self._sent_idx = 0
        self._iter = iter(batch_sampler)
        self._worker_fn = worker_fn
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._dataset = dataset
        # This reference keeps the loader's pool alive as long as the iterator.
        self._data_loader = data_loader
        self._timeout = timeout
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def _push_next(self) -> None:
        """Submit the next batch to the workers."""
        indices = next(self._iter, None)
        if indices is None:
            return
        arguments = (indices, self._batchify_fn, self._dataset)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
        self._sent_idx += 1

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            if self._data_buffer:
                raise AssertionError("batches are left at the end")
            raise StopIteration
        answer = self._data_buffer.pop(self._rcvd_idx)
        try:
            made = answer.get(self._timeout)
        except WorkerTimeoutError:
            raise RuntimeError(
                f"a worker took longer than {self._timeout} s for a batch: give DataLoader a longer `timeout`, or "
                "num_workers=0 to see where it hangs"
            ) from None
        batch = pickle.loads(made) if self._dataset is None else made
        self._rcvd_idx += 1
        return _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    def next(self) -> Any:
        """Return the next batch."""
        return self.__next__()

    def __iter__(self) -> Iterator[Any]:
        return self


class DataLoader:
    """Batches of the elements of `dataset`.

    Give `batch_size` with `shuffle` or `sampler` and `last_batch` (``"keep"``, ``"discard"``, ``"rollover"``), or only
    a `batch_sampler`. `num_workers` processes, or threads with `thread_pool`, keep `prefetch` batches ready (default:
    two per worker). `auto_reload` starts the next epoch while the current one is consumed. Raises ValueError for
    conflicting arguments.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[Any], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ) -> None:
        self._worker_pool: ProcessPool | ThreadPool | None = None
        if timeout <= 0:
            raise AssertionError(f"timeout must be positive, given {timeout}")
        self._dataset = dataset
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._thread_pool = thread_pool
        self._timeout = timeout
        self.auto_reload = auto_reload
        self._batch_sampler = _batches(dataset, batch_size, shuffle, sampler, last_batch, batch_sampler)
        self._num_workers = max(num_workers, 0)
        self._prefetch = max(0, int(prefetch) if prefetch is not None else 2 * self._num_workers)
        if self._num_workers:
            self._worker_pool = (
                start_threads(self._num_workers) if thread_pool else start_processes(self._num_workers, dataset)
            )
        self._batchify_fn = batchify_fn or default_batchify_fn
        self._iter: Any = self._prefetch_iter() if auto_reload and self._worker_pool is not None else None

    def __iter__(self) -> Iterator[Any]:
        if self._worker_pool is None:
            return self._here()
        if not self.auto_reload:
            return self._prefetch_iter()
        ready, self._iter = self._iter or self._prefetch_iter(), None
        return self._reloading(ready)

    def _here(self) -> Iterator[Any]:
        for indices in self._batch_sampler:
            batch = self._batchify_fn([self._dataset[k] for k in indices])
            yield _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    def _prefetch_iter(self) -> _MultiWorkerIter:
        if self._worker_pool is None:
            raise AssertionError("this loader has no workers")
        return _MultiWorkerIter(
            self._worker_pool,
            self._batchify_fn,
            self._batch_sampler,
            pin_memory=self._pin_memory,
            pin_device_id=self._pin_device_id,
            worker_fn=_thread_worker_fn if self._thread_pool else _worker_fn,
            prefetch=self._prefetch,
            dataset=self._dataset if self._thread_pool else None,
            data_loader=self,
            timeout=self._timeout,
        )

    def _reloading(self, ready: Iterator[Any]) -> Iterator[Any]:
        yield from ready
        self.refresh()

    def refresh(self) -> None:
        """Start prefetching the next epoch."""
        self._iter = self._prefetch_iter()

    def clean(self) -> None:
        """Discard the prefetched epoch."""
        self._iter = None

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __del__(self) -> None:
        pool = getattr(self, "_worker_pool", None)
        if pool is not None:
            pool.terminate()


def _batches(
    dataset: Any, batch_size: int | None, shuffle: bool, sampler: Any, last_batch: str | None, batch_sampler: Any
) -> Any:
    """Return the batch sampler. Raises ValueError for conflicting arguments."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueError(
                "batch_size, shuffle, sampler and last_batch must not be specified if batch_sampler is specified."
            )
        return batch_sampler
    if batch_size is None:
        raise ValueError("batch_size must be specified unless batch_sampler is specified")
    if sampler is not None and shuffle:
        raise ValueError("shuffle must not be specified if sampler is specified")
    if sampler is None:
        sampler = (RandomSampler if shuffle else SequentialSampler)(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")
