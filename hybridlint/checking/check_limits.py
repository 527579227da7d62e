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

#: Seconds of processor time that the check of a file may take, with its fixes.
SECONDS = 5.0
#: Bytes that the check of a file may take, besides what the process had before.
MEMORY = 500_000_000
#: Seconds after which the end is asked for again: what runs while a signal arrives may swallow the exception.
_AGAIN = 0.25
#: Seconds beyond the limit after which the kernel ends a process that does not answer: it runs no Python code.
_GRACE = 3


class OutOfBoundsError(BaseException):
    """Raised when a check has taken too much processor time. No handler of `Exception` holds it up."""


class _Process:
    """Whether this process only checks files, so that the kernel may end it."""

    expendable = False


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
    """Lift the bound of the memory: what tells of a file that needed too much needs some itself."""
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
    watch = _Watch()
    before = signal.signal(signal.SIGPROF, watch.end)
    limit = _let_the_kernel_end()
    signal.setitimer(signal.ITIMER_PROF, SECONDS if seconds is None else seconds, _AGAIN)
    try:
        try:
            yield
        finally:
            # A signal that arrives from here on finds nothing to end, and one that arrives before is the last.
            watch.over = True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        _free_memory()
        if limit is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_CPU, limit)


def _let_the_kernel_end() -> tuple[int, int] | None:
    """Let the kernel end the process soon after the limit. Returns the limit that it had, None if nothing changed."""
    if not _Process.expendable:
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    wanted = int(usage.ru_utime + usage.ru_stime + SECONDS) + _GRACE
    if hard != resource.RLIM_INFINITY and wanted > hard:
        return None
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, hard))
    return soft, hard


class _Watch:
    """Ends a check, as long as it is under way."""

    over = False

    def end(self, number: int, frame: FrameType | None) -> None:
        if not self.over:
            raise OutOfBoundsError
