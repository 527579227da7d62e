"""Workers that load batches: processes that end with their parent, or threads."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.pool import Pool, ThreadPool
from multiprocessing.reduction import ForkingPickler
from typing import Any

from hybridlint.runtime.util import is_np_array, is_np_shape, set_np

# The data set of a worker process, set once when the process starts.
_given: dict[str, Any] = {}


def start_processes(count: int, dataset: Any) -> Pool:
    """Start worker processes that hold a data set.

    They are forked if the system supports it, as in MXNet, so that unpicklable objects such as lambdas work.
    """
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin" else None
    # The parent handles interrupts: otherwise each child would print a traceback.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if _in_main_thread() else None
    try:
        arguments = (dataset, is_np_shape(), is_np_array())
        return multiprocessing.get_context(method).Pool(count, initializer=_begin_process, initargs=arguments)
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def start_threads(count: int) -> Pool:
    """Start worker threads with the current numpy mode."""
    return ThreadPool(count, initializer=set_np, initargs=(is_np_shape(), is_np_array()))


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


def _begin_process(dataset: Any, shape: bool, array: bool) -> None:
    set_np(shape, array)
    _given["dataset"] = dataset
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent process ends, however it ends, then end this process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
