"""Distribution of jobs over processes: batches of neighbouring files, with a bounded number in memory."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

from hybridlint.checking.checker import Job, check
from hybridlint.checking.pool import Answer, Batch, Numbered, WorkerPool

#: Bytes of hybrid code above which more processes pay: starting two takes 50 ms, analyzing this much takes 100 ms.
_PARALLEL_FROM = 60_000
#: Cost ratio, measured on gluoncv and gluonnlp: hybrid code takes 1 µs a byte, other text, only parsed, 0.1 µs.
_LIGHTER = 10
#: Bytes read before a check starts. At most twice as many are in memory at any time.
_WINDOW = 5_000_000
#: Batches for each process: so many that all processes finish together.
_BATCHES = 40

#: Keeps a newly started interpreter from importing modules from the current folder, which is the project's.
_SAFE_PATH = "PYTHONSAFEPATH"


def spread_jobs(jobs: Iterable[Numbered], processes: int) -> Iterator[Answer]:
    """Yield each job's number and result, in any order. Jobs are taken lazily.

    At most so many processes work at once.
    """
    windows = _windows(jobs)
    first = next(windows, [])
    with _garbage_kept():
        if processes < 2 or sum(_weight(job) for _, job in first) < _PARALLEL_FROM:
            yield from ((number, check(job)) for number, job in chain(first, *windows))
        else:
            yield from _in_processes(chain([first], windows), processes)


def _in_processes(windows: Iterator[list[Numbered]], processes: int) -> Iterator[Answer]:
    import multiprocessing

    if sys.platform != "linux":
        os.environ[_SAFE_PATH] = "1"
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    first = next(windows, [])
    light = [(number, job) for number, job in first if not job.hybrid] if sys.platform == "linux" else []
    heavy = [(number, job) for number, job in first if job.hybrid] if light else first
    pool = WorkerPool(context, processes, (_batches(window, processes) for window in chain([heavy], windows)))
    try:
        if light:
            # Importing the analysis takes 0.1 s; another process checks the light files meanwhile.
            pool.begin(Batch(light, aside=True))
        if sys.platform == "linux":
            _load_once()
        yield from pool.results()
    finally:
        pool.end()


def _batches(window: list[Numbered], processes: int) -> list[Batch]:
    """Divide a window's jobs into batches of neighbours."""
    limit = sum(_weight(job) for _, job in window) // (processes * _BATCHES)
    batches: list[Batch] = []
    weight, jobs = 0, []
    for number, job in window:
        jobs.append((number, job))
        weight += _weight(job)
        if weight > limit:
            batches.append(Batch(jobs))
            weight, jobs = 0, []
    if jobs:
        batches.append(Batch(jobs))
    return batches


def _windows(jobs: Iterable[Numbered]) -> Iterator[list[Numbered]]:
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
    """Return the cost of a job in bytes of hybrid code; other text only costs its parsing."""
    return len(job.data) if job.hybrid else len(job.data) // _LIGHTER


def processors() -> int:
    """Return how many processes may work at once on this machine."""
    if sys.platform != "linux" and sys.version_info < (3, 11):
        # On these platforms new processes would import modules from the project's folder first.
        return 1
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Disable garbage collection, which doubles the time: syntax trees are many small objects without cycles.

    The checker collects objects with cycles whenever it starts a new shared analysis.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _load_once() -> None:
    """Import once, before forking, what every worker would import; libcst too, as so much code has findings."""
    from hybridlint.analysis import interpret  # noqa: F401
    from hybridlint.analysis.flow import every_execution  # noqa: F401
    from hybridlint.fixing import loop, offered_fixes  # noqa: F401
    from hybridlint.project.settings import selection, suppress  # noqa: F401
    from hybridlint.rule import all_rules
    from hybridlint.runtime.facts import registry
    from hybridlint.runtime.facts.abstract import loading
    from hybridlint.text.libcst_import import import_libcst

    import_libcst()
    all_rules()
    registry.load()
    loading.layer_names()
    gc.freeze()
