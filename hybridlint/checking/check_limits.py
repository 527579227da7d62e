"""Limits of time and memory for the check of one file.

The analysis counts its steps and ends by itself. These limits are for other work that takes long: a file that would
hold up a run is given up and named, and the others are checked.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Seconds of processor time that the check of a file may take.
SECONDS = 5.0
#: Seconds more for each finding that may have a fix: fixes are tried one after the other.
SECONDS_PER_FIX = 0.5
#: Findings that are counted for that.
_MOST_FIXES = 100
#: Bytes that the check of a file may take, besides what the process had before.
MEMORY = 500_000_000
#: Seconds after which the end is asked for again: what runs while a signal arrives may swallow the exception.
_AGAIN = 0.25
#: Seconds beyond the limit after which the kernel ends a process that does not answer: it runs no Python code.
_GRACE = 3


class OutOfBoundsError(BaseException):
    """Raised when a check has taken too much processor time. No handler of `Exception` holds it up.

    `seconds` is the processor time that it was allowed.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Process:
    """Whether this process only checks files, so that the kernel may end it, and the check that is under way."""

    expendable = False
    watch: _Watch | None = None


def allow_fixes(count: int) -> None:
    """Allow the check that is under way more time, for each of `count` findings whose fixes it may try."""
    watch = _Process.watch
    if watch is not None:
        watch.allow(SECONDS_PER_FIX * min(count, _MOST_FIXES))


def bounded_process() -> None:
    """Declare that this process only checks files: the kernel may bound its memory, and end it where it hangs."""
    _Process.expendable = True


def _bound_memory(most: int) -> None:
    """Limit this process's memory to its present use, including earlier files, plus the limit for one file."""
    if not _Process.expendable or sys.platform != "linux":
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as state:
        used = int(state.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + most
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _free_memory() -> None:
    """Lift the memory limit: reporting that a file needed too much memory needs some memory too."""
    if _Process.expendable and sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


@contextmanager
def bound_resources(seconds: float | None = None, memory: int = MEMORY) -> Iterator[None]:
    """Raise OutOfBoundsError in the code inside once it has taken too much processor time, by default `SECONDS`.

    It bounds nothing outside the main thread, on systems that have no such clock, or where a profiler or a debugger
    looks on, which take several times as long as the check.
    """
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    if watched or sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    import signal

    if not hasattr(signal, "setitimer"):
        # Python in a browser.
        yield
        return
    _bound_memory(memory)
    watch = _Process.watch = _Watch(SECONDS if seconds is None else seconds)
    before = signal.signal(signal.SIGPROF, watch.end)
    limit = _let_the_kernel_end(watch.seconds)
    signal.setitimer(signal.ITIMER_PROF, watch.seconds, _AGAIN)
    try:
        try:
            yield
        finally:
            # A signal that arrives from here on finds nothing to end, and one that arrives before is the last.
            watch.over = True
            _Process.watch = None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        _free_memory()
        if limit is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_CPU, limit)


def _let_the_kernel_end(seconds: float) -> tuple[int, int] | None:
    """Let the kernel end the process some time after so many seconds from now.

    Returns the limit that it had, None if nothing changed.
    """
    if not _Process.expendable:
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    wanted = int(usage.ru_utime + usage.ru_stime + seconds) + _GRACE
    if hard != resource.RLIM_INFINITY and wanted > hard:
        return None
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, hard))
    return soft, hard


class _Watch:
    """Ends a check that has taken so many seconds of processor time, as long as it is under way."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.over = False

    def allow(self, more: float) -> None:
        """Allow the check more seconds than it has."""
        import signal

        self.seconds += more
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        signal.setitimer(signal.ITIMER_PROF, left + more, _AGAIN)
        _let_the_kernel_end(left + more)

    def end(self, number: int, frame: FrameType | None) -> None:
        if not self.over:
            raise OutOfBoundsError(self.seconds)
