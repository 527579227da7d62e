"""A pipe between this process and one that it starts: when this process ends, the kernel ends the other one."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hybridlint.runtime.facts.records import record

#: Whether the kernel sends a signal of one's choice when the other end of a pipe is closed.
KERNEL = sys.platform == "linux"


@record(slots=True)
class Lifeline:
    """A pipe on which nothing is ever written: its other end is closed when a process ends, even by SIGKILL.

    This process holds the end for writing. The process that is to end with it keeps the end for reading.
    """

    reading: int
    writing: int

    @classmethod
    def new(cls) -> Lifeline:
        """Open a pipe. No program that this process starts later inherits either end."""
        return cls(*os.pipe())

    def hold(self, process: int) -> None:
        """Make the kernel kill a process, or for a negative number the processes of a group, when this one ends.

        One of these has inherited the end for reading. It does nothing on other systems than Linux.
        """
        if KERNEL:
            import fcntl

            # Whoever sets the owner of a pipe's signals decides whose they are, so this works from either process.
            numbers: Any = fcntl
            fcntl.fcntl(self.reading, numbers.F_SETOWN, process)
            fcntl.fcntl(self.reading, numbers.F_SETSIG, signal.SIGKILL)
            flags = fcntl.fcntl(self.reading, fcntl.F_GETFL)
            fcntl.fcntl(self.reading, fcntl.F_SETFL, flags | os.O_ASYNC)

    def bind(self) -> None:
        """Bind this process, which was forked, to the end of its parent."""
        self.release()
        if KERNEL:
            self.hold(os.getpid())
            if select.select([self.reading], [], [], 0)[0]:
                # The parent has ended before it was watched.
                os._exit(1)

    def release(self) -> None:
        """Close the end for writing: the processes that hold the other end are killed, except from a forked one."""
        _close(self.writing)
        self.writing = -1

    def close_other(self) -> None:
        """Close the end for reading, where another process has inherited it."""
        _close(self.reading)
        self.reading = -1


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        with suppress(OSError):
            os.close(descriptor)


def run_bound(command: Sequence[str]) -> int:
    """Run a program until it ends, or until this process does, and return its exit status."""
    import subprocess

    lifeline = Lifeline.new()
    try:
        with subprocess.Popen(command, pass_fds=[lifeline.reading] if KERNEL else ()) as process:
            lifeline.hold(process.pid)
            try:
                return process.wait()
            except BaseException:
                process.terminate()
                raise
    finally:
        lifeline.release()
        lifeline.close_other()
