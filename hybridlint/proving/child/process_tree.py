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
#: Seconds before it is looked for the first time whether they have, and the most between two times.
_FIRST, _PAUSE = 0.0005, 0.005


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
    pause = _FIRST
    while True:
        found = [process for process in below(os.getpid()) if process not in spared]
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not found or time.monotonic() > until:
            return
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE)
        _bury(found)


def _bury(processes: Collection[int]) -> None:
    """Wait for the processes that have ended.

    Another process's child becomes a child of this process when its parent ends.
    """
    for process in processes:
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
