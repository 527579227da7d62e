"""Workers that load batches: processes that hold the data set, or threads."""

from __future__ import annotations

import io
import multiprocessing
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

from hybridlint.runtime.gluon.data.process_pool import ProcessPool
from hybridlint.runtime.gluon.data.thread_pool import ThreadPool
from hybridlint.runtime.util import is_np_array, is_np_shape, set_np

# The data set of a worker process, set once when the process starts.
_given: dict[str, Any] = {}


def start_processes(count: int, dataset: Any) -> ProcessPool:
    """Start worker processes that hold a data set.

    They are started as the program has chosen for multiprocessing, and otherwise forked if the system supports it, as
    in MXNet, so that unpicklable objects such as lambdas work.
    """
    # With a handler of the parent's a process would print a traceback for an interrupt until it has its own.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if _in_main_thread() else None
    try:
        return ProcessPool(count, _start_method(), _begin_process, (dataset, is_np_shape(), is_np_array()))
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def start_threads(count: int) -> ThreadPool:
    """Start worker threads with the current numpy mode."""
    return ThreadPool(count, set_np, (is_np_shape(), is_np_array()))


def make_batch(samples: Sequence[Any], batchify_fn: Callable[[Any], Any], dataset: Any = None) -> bytes:
    """Return the pickled batch of samples from the data set given to the process at its start."""
    dataset = _given["dataset"] if dataset is None else dataset
    file = io.BytesIO()
    ForkingPickler(file, pickle.HIGHEST_PROTOCOL).dump(batchify_fn([dataset[k] for k in samples]))
    return file.getvalue()


def make_batch_here(samples: Sequence[Any], batchify_fn: Callable[[Any], Any], dataset: Any) -> Any:
    """Return a batch of samples; for use in a thread."""
    return batchify_fn([dataset[k] for k in samples])


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _start_method() -> str | None:
    chosen = multiprocessing.get_start_method(allow_none=True)
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    # Where this runtime is served as mxnet, a process that is not forked knows no mxnet.
    served = not __name__.startswith("hybridlint.")
    if chosen is not None and not (served and can_fork):
        return chosen
    return "fork" if can_fork and sys.platform != "darwin" else None


def _begin_process(dataset: Any, shape: bool, array: bool) -> None:
    set_np(shape, array)
    _given["dataset"] = dataset
