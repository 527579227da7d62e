"""The supervisor's watch over the project's code: refused system calls, and its budget.

The system asks here what to do with a call that the table of `sandbox.calls` does not allow outright. The code of the
project waits meanwhile, and its arguments are in registers, which no thread of it can change. Paths are in memory: they
are read to name them, and decide nothing.
"""

from __future__ import annotations

import array
import errno
import os
import select
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from hybridlint.proving.child.disk_usage import unlinked_bytes, usage
from hybridlint.proving.child.sandbox.allowed_system_calls import CallAction, call_table
from hybridlint.proving.child.sandbox.seccomp import this_architecture

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_QUESTION, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_GO_ON = 1
#: Most notes of one block, and bytes of a path in one.
_MOST_NOTES, _MOST_PATH = 100, 4_096
#: Seconds between two looks at the budget.
_PAUSE = 0.25
#: Bytes on disk, and files and folders, that a proof may have in its folder at once.
_MOST_DISK, _MOST_FILES, _MOST_FOLDERS = 2 << 30, 10_000, 1_000
_KERNEL = "(a system call)"
#: Where calls that change a file have it: the argument of a path, with one of the folder before it, or a descriptor.
_BY_PATH = frozenset(
    ("chmod", "chown", "lchown", "utime", "utimes", "setxattr", "lsetxattr", "removexattr", "lremovexattr")
)
_BY_DESCRIPTOR = frozenset(("flock", "fchmod", "fchown", "fsetxattr", "fremovexattr"))


class _Question(NamedTuple):
    """A system call that waits for an answer: who calls, the architecture, the number and the arguments."""

    number: int
    thread: int
    audit: int
    call: int
    arguments: Sequence[int]


class BlockWatch:
    """Watches the process that imports the module, and its copies, from a thread of the supervisor.

    It kills them when they take more than the budget of a proof.
    """

    def __init__(self, task: Mapping[str, Any]) -> None:
        #: Why it has killed them, "" if it has not.
        self.exceeded = ""
        self.scratch = os.path.realpath(task["scratch"])
        self.memory = int(task.get("memory") or 0)
        #: The shortest table: what others add, the filter of the process itself allows.
        self.table = call_table(truncating=False)
        self.here, self.there = socket.socketpair()
        #: The process that imports the module, 0 before there is one.
        self.nest = 0
        #: How many copies it may make of itself.
        self.granted = 0
        self._notes: dict[str, None] = {}
        self._listener: int | None = None

    def start(self, nest: int) -> None:
        """Watch a process from now on."""
        self.nest = nest
        self.there.close()
        threading.Thread(target=self._run, daemon=True).start()

    def close_in_copy(self) -> None:
        """Close the descriptors in a copy of the supervisor."""
        self.here.close()
        if self._listener is not None:
            os.close(self._listener)

    def noted(self) -> list[str]:
        """Return the calls that were refused since the last time."""
        notes, self._notes = self._notes, {}
        return list(notes)

    def _run(self) -> None:
        self._listener = self._received()
        poll = select.poll()
        if self._listener is not None:
            poll.register(self._listener, select.POLLIN)
        due = time.monotonic() + _PAUSE
        while True:
            asked = poll.poll(max(0.0, due - time.monotonic()) * 1000) if self._listener is not None else ()
            if any(event & select.POLLIN for _, event in asked):
                self._answer_one()
            elif asked or self._listener is None:
                # All that could ask have ended, or nothing does ask.
                time.sleep(max(0.0, due - time.monotonic()))
            if time.monotonic() >= due:
                reason = self.excess()
                if reason is not None and not self.exceeded:
                    self.exceeded = reason
                    self._kill()
                due = time.monotonic() + _PAUSE

    def _received(self) -> int | None:
        """Return the descriptor of what the watched process asks, None if it has none."""
        numbers = array.array("i")
        with self.here, suppress(OSError):
            _, rights, _, _ = self.here.recvmsg(16, socket.CMSG_SPACE(numbers.itemsize))
            for _, _, data in rights:
                numbers.frombytes(data[: numbers.itemsize])
        return numbers[0] if numbers else None

    # -- refused calls

    def _answer_one(self) -> None:
        import fcntl

        asked = bytearray(_QUESTION.size)
        assert self._listener is not None
        # Whoever asked may have been killed meanwhile.
        with suppress(OSError):
            fcntl.ioctl(self._listener, _RECEIVE, asked)
            number, thread, _, call, audit, _, *arguments = _QUESTION.unpack(asked)
            error, flags = self._answer(_Question(number, thread, audit, call, arguments))
            fcntl.ioctl(self._listener, _SEND, bytearray(_ANSWER.pack(number, 0, -error, flags)))

    def _answer(self, question: _Question) -> tuple[int, int]:
        """Return the error number of the call, 0 for none, and the flags of the answer."""
        system = this_architecture()
        if system is None or question.audit != system.audit:
            self._note("call the system in the way of another architecture")
            return errno.EPERM, 0
        name = system.name_of(question.call)
        process = _process_of(question.thread)
        action = self.table.decide(name, question.arguments, (process, question.thread) if process else ())
        if action is CallAction.COPY and question.thread == self.nest and self.granted:
            self.granted -= 1
            action = CallAction.ALLOW
        if action is CallAction.ALLOW:
            return 0, _GO_ON
        if action is CallAction.NAME:
            self._name_change(name, question)
            return 0, 0
        self._note("start another process" if action is CallAction.COPY else f"call `{name}`")
        return errno.EPERM, 0

    def _name_change(self, name: str, question: _Question) -> None:
        """Note a change of a file that was not done, unless it is one of the proof."""
        place = _place(name, question)
        if place is None or not f"{place}{os.sep}".startswith(self.scratch + os.sep):
            self._note(f"{'lock' if name == 'flock' else 'change'} {place or 'a file'}")

    def _note(self, tried: str) -> None:
        if len(self._notes) < _MOST_NOTES:
            self._notes.setdefault(f"it tries to {tried} {_KERNEL}")

    # -- the budget

    def excess(self) -> str | None:
        """Return the limit that the proof exceeds, None if it keeps to its budget."""
        found = usage(self.scratch, _MOST_FILES)
        if not found.whole:
            return "it makes folders that cannot be looked into"
        if found.files + found.folders > _MOST_FILES or found.folders > _MOST_FOLDERS:
            return f"it makes more than {_MOST_FILES:,} files or {_MOST_FOLDERS:,} folders"
        processes = list(_family(os.getpid()))
        if found.disk + sum(unlinked_bytes(process, self.scratch) for process in processes) > _MOST_DISK:
            return f"its files take more than {_MOST_DISK >> 30} GiB"
        if self.memory and sum(map(_memory_of, processes)) > self.memory:
            return f"its processes take more than {self.memory >> 20:,} MiB of memory"
        return None

    def _kill(self) -> None:
        for process in reversed(list(_family(self.nest))):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


def _process_of(thread: int) -> int:
    """Return the number of the process of a thread, 0 if it has ended."""
    with suppress(OSError, ValueError), open(f"/proc/{thread}/status", "rb") as file:
        for line in file:
            if line.startswith(b"Tgid:"):
                return int(line.split()[1])
    return 0


def _place(name: str, question: _Question) -> str | None:
    """Return the path of the file that a call changes, None if it cannot be told."""
    arguments, thread = question.arguments, question.thread
    with suppress(OSError, ValueError):
        if name in _BY_DESCRIPTOR:
            return os.readlink(f"/proc/{thread}/fd/{arguments[0] & 0xFFFFFFFF}")
        folder, text = ("cwd", arguments[0]) if name in _BY_PATH else (_folder(arguments[0]), arguments[1])
        with open(f"/proc/{thread}/mem", "rb", buffering=0) as memory:
            memory.seek(text)
            path = os.fsdecode(memory.read(_MOST_PATH).partition(b"\0")[0])
        return os.path.realpath(os.path.join(os.readlink(f"/proc/{thread}/{folder}"), path))
    return None


def _folder(descriptor: int) -> str:
    number = descriptor & 0xFFFFFFFF
    return f"fd/{number}" if number < 1 << 31 else "cwd"


def _family(process: int) -> Iterator[int]:
    """Yield a process and all its descendants that the system lists."""
    pending = [process]
    while pending:
        found = pending.pop()
        yield found
        with suppress(OSError), open(f"/proc/{found}/task/{found}/children", "rb") as file:
            pending += map(int, file.read().split())


def _memory_of(process: int) -> int:
    """Return the bytes of memory of a process that no file holds too."""
    with suppress(OSError, ValueError, IndexError), open(f"/proc/{process}/statm", "rb") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0
