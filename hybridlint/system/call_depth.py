"""How deeply calls may be nested: analyses follow code that is nested itself."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Calls within calls that an analysis may make: a chain of a thousand branches or terms takes three of each.
#: With a large stack it may make more, measured to take at most half of it.
_DEPTH = 4000
_DEEPER, _STACK = 20_000, 64 * 2**20


@contextmanager
def deep() -> Iterator[None]:
    """Let the code inside call itself more deeply, where that takes little of a stack whose size is known.

    That is the main thread's, and from Python 3.11 on, where calls of Python functions by such take none of it. How
    deeply does not depend on who calls, so that the same is found whichever process checks a file.
    """
    before = sys.getrecursionlimit()
    small = sys.version_info < (3, 11) or sys.platform == "win32"
    if small or threading.current_thread() is not threading.main_thread():
        yield
        return
    with _large_stack() as large:
        wanted = _calls_at_hand() + (_DEEPER if large else _DEPTH)
        if before < wanted:
            sys.setrecursionlimit(wanted)
        try:
            yield
        finally:
            # Python refuses a limit that the calls at hand exceed, which those of a caller do not.
            sys.setrecursionlimit(before)


def _calls_at_hand() -> int:
    frame: FrameType | None = sys._getframe()
    number = 0
    while frame is not None:
        frame, number = frame.f_back, number + 1
    return number


@contextmanager
def _large_stack() -> Iterator[bool]:
    """Let the main thread's stack grow while the code inside runs. Yields whether it may.

    Linux looks at the limit whenever a stack grows, and leaves twice this much room for it.
    """
    if sys.platform != "linux":
        yield False
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft != resource.RLIM_INFINITY and soft < _STACK:
        if hard != resource.RLIM_INFINITY and hard < _STACK:
            yield False
            return
        resource.setrlimit(resource.RLIMIT_STACK, (_STACK, hard))
    try:
        yield True
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))
