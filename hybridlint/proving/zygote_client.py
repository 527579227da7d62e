"""Child processes that are forks of one process, which has imported the modules that proofs need.

Importing takes longer than most proofs.
"""

from __future__ import annotations

import array
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from hybridlint.proving.stopping import check_stopped
from hybridlint.runtime.facts.records import record

#: Whether this system can hand streams to another process, and copy processes that have imported numpy.
POSSIBLE = sys.platform == "linux"
#: Seconds between checks of whether the user has stopped the proof.
_POLLED = 0.25
#: Seconds within which a process ends that nobody asks for copies.
_ENDING = 3.0
#: Bytes of a number that tells of a copy.
_NUMBER = 8


class NoForkError(Exception):
    """Raised when the process to be copied has ended or does not answer."""


@record()
class ForkedProcess:
    """A forked process that is not a child of this one, with the needed part of `subprocess.Popen`."""

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    #: Tells the status with which it ends.
    ended: socket.socket
    returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        if self.returncode is None:
            if not select.select([self.ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a copy", timeout or 0.0)
            told = _told(self.ended)
            self.ended.close()
            # Whoever was to tell has been killed.
            self.returncode = -signal.SIGKILL if told is None else os.waitstatus_to_exitcode(told)
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit status, None if it has not ended."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0.0)
        return None

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


@record(frozen=True)
class ZygoteProgram:
    """A Python program that serves as a template (`hybridlint.proving.child.runtime_zygote`), and its environment.

    Its first argument is the descriptor of the socket for requests.
    """

    path: Path
    arguments: tuple[str, ...]
    environment: Mapping[str, str]

    def started(self, requests: socket.socket) -> subprocess.Popen[bytes]:
        """Start it, with pipes for the streams that it makes: those of its copies are pipes too."""
        process = subprocess.Popen(
            [sys.executable, str(self.path), str(requests.fileno()), *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            pass_fds=[requests.fileno()],
            start_new_session=True,
        )
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()
        return process


@record(frozen=True)
class _Running:
    """A program that runs, and the socket for requests."""

    program: ZygoteProgram
    process: subprocess.Popen[bytes]
    asking: socket.socket
    #: The process that has started it.
    owner: int

    def serves(self, program: ZygoteProgram) -> bool:
        """Whether the process runs `program`, as far as this process can see, so that its fork does too."""
        return program == self.program and (self.owner != os.getpid() or self.process.poll() is None)

    def end(self) -> None:
        """Ask no more, and wait until it has ended with its copies, if this process has started it."""
        self.asking.close()
        if self.owner == os.getpid():
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING)


class ZygoteClient:
    """Forks of the program that was requested last. It runs until another is requested, or this process ends.

    A process that is forked from this one asks the same program.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: _Running | None = None
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The process that is copied, None if there is none."""
        return None if self._last is None else self._last.process

    def start(self, program: ZygoteProgram) -> None:
        """Start a program of which copies will be needed."""
        with self._lock:
            self._running(program)

    def copy(self, program: ZygoteProgram, folder: Path, *, within: float, **request: Any) -> ForkedProcess:
        """Return a copy of a program, in a folder and a session of its own, which gets a request.

        Raises NoCopyError if there is none after `within` seconds, and StoppedProofError if the user stops the proof.
        """
        ours, theirs = _streams()
        answer, there = socket.socketpair()
        try:
            data = json.dumps({"folder": str(folder), **request}).encode()
            rights = array.array("i", [*theirs, there.fileno()])
            with self._lock:
                self._running(program).asking.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            there.close()
            return ForkedProcess(_number(answer, within), *ours, answer)
        except BaseException as error:
            answer.close()
            for stream in ours:
                stream.close()
            if not isinstance(error, (OSError, NoForkError)):
                raise
            # Whoever asks next starts another.
            self._last = None
            raise NoForkError from error
        finally:
            there.close()
            for number in theirs:
                os.close(number)

    def end(self) -> None:
        """End the process that is copied, with its copies."""
        with self._lock:
            if self._last is not None:
                self._last.end()
            self._last = None

    def _running(self, program: ZygoteProgram) -> _Running:
        last = self._last
        if last is None or not last.serves(program):
            if last is not None:
                # It ends with the last of its copies.
                last.asking.close()
            asking, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with there:
                last = self._last = _Running(program, program.started(there), asking, os.getpid())
        return last

    def _forked(self) -> None:
        # A thread of the other process may hold it.
        self._lock = threading.Lock()


def _streams() -> tuple[tuple[IO[bytes], IO[bytes], IO[bytes]], list[int]]:
    """Return this process's ends of three pipes, for the input, the output and the errors of another, and its ends."""
    (reads, stdin), (stdout, writes), (stderr, tells) = os.pipe(), os.pipe(), os.pipe()
    return (os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), os.fdopen(stderr, "rb")), [reads, writes, tells]


def _number(answer: socket.socket, within: float) -> int:
    until = time.monotonic() + within
    while not select.select([answer], [], [], _POLLED)[0]:
        check_stopped()
        if time.monotonic() > until:
            raise NoForkError
    process = _told(answer)
    if process is None:
        raise NoForkError
    return process


def _told(source: socket.socket) -> int | None:
    with suppress(OSError):
        found = source.recv(_NUMBER, socket.MSG_WAITALL)
        return int.from_bytes(found, "big") if len(found) == _NUMBER else None
    return None
