"""Jobs spread over the processors: batches of neighbouring files, a bounded number at a time."""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.checking.checker import Job, Result, check

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext, ForkContext

#: Bytes of hybrid code from which more processes pay: starting two takes some 50 ms, these some 100 ms to analyze.
_PARALLEL_FROM = 60_000
#: Measured on gluoncv and gluonnlp: hybrid code takes 1 µs a byte, all other text, which is only parsed, 0.1 µs.
_LIGHTER = 10
#: Bytes that are read before any of them are checked; they and as many again are in memory at any time.
_WINDOW = 5_000_000
#: Batches for each process: many enough that all end together, few enough that neighbours share what they import.
_BATCHES = 20

#: Has an interpreter that is started anew import nothing from the current folder, which is that of a project.
_SAFE_PATH = "PYTHONSAFEPATH"

_Numbered: TypeAlias = tuple[int, Job]


def spread(jobs: Iterable[_Numbered]) -> Iterator[tuple[int, Result]]:
    """Yield the result of each job with its number, in any order. Jobs are taken as they are needed."""
    windows = _windows(jobs)
    first = next(windows, [])
    with _garbage_kept():
        if _processors() < 2 or sum(_weight(job) for _, job in first) < _PARALLEL_FROM:
            yield from ((number, check(job)) for number, job in chain(first, *windows))
        else:
            yield from _in_processes(chain([first], windows))


def _in_processes(windows: Iterator[list[_Numbered]]) -> Iterator[tuple[int, Result]]:
    import multiprocessing

    if sys.platform != "linux":
        os.environ[_SAFE_PATH] = "1"
        yield from _pooled(windows, multiprocessing.get_context())
        return
    context = multiprocessing.get_context("fork")
    first = next(windows, [])
    light = [(number, job) for number, job in first if not job.hybrid]
    # What the analysis needs takes a tenth of a second to import; the other processor is at work meanwhile.
    receiver = _begin_aside(light, context)
    _load_once()
    heavy = [(number, job) for number, job in first if job.hybrid]
    yield from _pooled(chain([heavy], windows), context)
    try:
        yield from receiver.recv()
    except EOFError:
        yield from _check_all(light)


def _begin_aside(jobs: list[_Numbered], context: ForkContext) -> Connection:
    """Begin to check files in a process of their own; return where their results come, or nothing if it dies."""
    receiver, sender = context.Pipe(duplex=False)
    context.Process(target=_send_results, args=(jobs, sender), daemon=True).start()
    sender.close()
    return receiver


def _send_results(jobs: list[_Numbered], sender: Connection) -> None:
    gc.disable()
    sender.send(_check_all(jobs))


def _pooled(windows: Iterable[list[_Numbered]], context: BaseContext) -> Iterator[tuple[int, Result]]:
    from concurrent.futures import ProcessPoolExecutor

    waiting: deque[list[Future[list[tuple[int, Result]]]]] = deque()
    with ProcessPoolExecutor(_processors(), context, gc.disable) as pool:
        for window in windows:
            waiting.append(_submit(pool, window))
            if len(waiting) > 1:
                yield from _results(waiting.popleft())
        while waiting:
            yield from _results(waiting.popleft())


def _submit(pool: ProcessPoolExecutor, window: list[_Numbered]) -> list[Future[list[tuple[int, Result]]]]:
    """Hand out a window's jobs, the heaviest batch first, so that no process is left with much at the end."""
    limit = sum(_weight(job) for _, job in window) // (_processors() * _BATCHES)
    batches: list[tuple[int, list[_Numbered]]] = []
    weight, batch = 0, []
    for number, job in window:
        batch.append((number, job))
        weight += _weight(job)
        if weight > limit:
            batches.append((weight, batch))
            weight, batch = 0, []
    batches.append((weight, batch))
    return [pool.submit(_check_all, batch) for _, batch in sorted(batches, key=lambda each: -each[0])]


def _check_all(batch: list[_Numbered]) -> list[tuple[int, Result]]:
    return [(number, check(job)) for number, job in batch]


def _results(futures: Iterable[Future[list[tuple[int, Result]]]]) -> Iterator[tuple[int, Result]]:
    for future in futures:
        yield from future.result()


def _windows(jobs: Iterable[_Numbered]) -> Iterator[list[_Numbered]]:
    size, window = 0, []
    for number, job in jobs:
        window.append((number, job))
        size += len(job.data)
        if size > _WINDOW:
            yield window
            size, window = 0, []
    if window:
        yield window


def _weight(job: Job) -> int:
    """Return what a job costs: hybrid code counts whole, all other text for the little that parsing it takes."""
    return len(job.data) if job.hybrid else len(job.data) // _LIGHTER


def _processors() -> int:
    if sys.platform != "linux" and sys.version_info < (3, 11):
        # Its new processes would look for modules in the folder of the project first.
        return 1
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Search no garbage meanwhile: syntax trees are many small objects without cycles, and searching doubles the time.

    What has cycles is collected by the checker, whenever it begins anew.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _load_once() -> None:
    """Import here what every forked process would import for itself."""
    from hybridlint.analysis import interpret  # noqa: F401
    from hybridlint.rule import all_rules
    from hybridlint.runtime import registry

    all_rules()
    registry.load()
    gc.freeze()
