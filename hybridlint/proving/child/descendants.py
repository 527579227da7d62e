"""The processes that a process has started, and those that these have started: on Linux, daemons among them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress

_ADOPTS = 36
_DIES_WITH_PARENT = 1
#: Seconds within which all descendants have ended.
SECONDS = 2.0
_PAUSE = 0.005


def adopt() -> None:
    """Have the system hand orphans among the descendants to this process: a daemon then stays its descendant."""
    _control(_ADOPTS, 1)


def die_with_parent() -> None:
    """Have the system kill this process when the one that started it ends."""
    _control(_DIES_WITH_PARENT, int(signal.SIGKILL) if hasattr(signal, "SIGKILL") else 0)


def _control(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_all(spared: Collection[int] = ()) -> None:
    """Kill all descendants of this process except those in `spared`, and wait for them.

    Elsewhere than on Linux only direct children are known, and end with their process group.
    """
    until = time.monotonic() + SECONDS
    while True:
        found = [process for process in below(os.getpid()) if process not in spared]
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        _bury(spared)
        if not found or time.monotonic() > until:
            return
        time.sleep(_PAUSE)


def _bury(spared: Collection[int]) -> None:
    """Take note of children that have ended; the status of those in `spared` is asked for elsewhere."""
    for process in list(below(os.getpid())):
        if process not in spared:
            with suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)


def below(process: int) -> Iterator[int]:
    """Yield the descendants of a process, children before their own; none where the system does not list them."""
    parents: dict[int, list[int]] = {}
    for name in _numbers():
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            # The name of a program may hold spaces and brackets.
            parents.setdefault(int(file.read().rpartition(b")")[2].split()[1]), []).append(int(name))
    pending = [process]
    while pending:
        for child in parents.get(pending.pop(), ()):
            yield child
            pending.append(child)


def _numbers() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
