"""Child processes that are copies of one that has imported the bundled runtime, which takes longer than most proofs."""

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from hybridlint.proving.stopping import check_stopped

#: Whether this system can hand streams to another process, and copy processes that have imported numpy.
POSSIBLE = sys.platform == "linux"
#: Seconds between checks of whether the user has stopped the proof.
_POLLED = 0.25
#: Seconds within which a process ends that nobody asks for copies.
_ENDING = 3.0
#: Bytes of a number that tells of a copy.
_NUMBER = 8


class NoCopyError(Exception):
    """Raised when the process to be copied has ended or does not answer."""


@dataclass
class Copy:
    """A process that is no child of this one, with the part of `subprocess.Popen` that a proof needs."""

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


@dataclass
class _Template:
    """A process that has imported the bundled runtime, started by the process `owner` with an environment."""

    owner: int
    program: Path
    environment: Mapping[str, str]
    engine: str
    asking: socket.socket = field(init=False)
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.asking, there = socket.socketpair()
        with there:
            self.process = subprocess.Popen(
                [sys.executable, str(self.program), str(there.fileno()), self.engine],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self.environment,
                pass_fds=[there.fileno()],
                start_new_session=True,
            )

    def serves(self, program: Path, environment: Mapping[str, str], engine: str) -> bool:
        wanted = (os.getpid(), program, environment, engine)
        return wanted == (self.owner, self.program, self.environment, self.engine) and self.process.poll() is None

    def close(self) -> None:
        """Let it end, with the last of its copies."""
        self.asking.close()

    def end(self) -> None:
        """Wait until it has ended, which it does with its copies."""
        if self.owner == os.getpid():
            self.close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_ENDING)


_LOCK = threading.Lock()
_LAST: list[_Template] = []


def copy(program: Path, folder: Path, environment: Mapping[str, str], engine: str, *, within: float) -> Copy:
    """Return a copy, in a session of its own, of a process that runs `program` in an environment.

    That one is started unless the last one is alike. Raises NoCopyError if there is none after `within` seconds, and
    StoppedProofError if the user stops the proof.
    """
    with _LOCK:
        if not _LAST or not _LAST[0].serves(program, environment, engine):
            for other in _LAST:
                other.close()
            _LAST[:] = [_Template(os.getpid(), program, environment, engine)]
        ours, theirs = _streams()
        answer, there = socket.socketpair()
        try:
            rights = array.array("i", [*theirs, there.fileno()])
            request = json.dumps({"folder": str(folder)}).encode()
            _LAST[0].asking.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except OSError as error:
            _give_up(ours, answer)
            raise NoCopyError from error
        finally:
            there.close()
            for number in theirs:
                os.close(number)
    try:
        process = _number(answer, within)
    except BaseException:
        _give_up(ours, answer)
        raise
    return Copy(process, *ours, answer)


def _streams() -> tuple[tuple[IO[bytes], IO[bytes], IO[bytes]], list[int]]:
    """Return this process's ends of three pipes, for the input, the output and the errors of another, and its ends."""
    (reads, stdin), (stdout, writes), (stderr, tells) = os.pipe(), os.pipe(), os.pipe()
    return (os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), os.fdopen(stderr, "rb")), [reads, writes, tells]


def _number(answer: socket.socket, within: float) -> int:
    until = time.monotonic() + within
    while not select.select([answer], [], [], _POLLED)[0]:
        check_stopped()
        if time.monotonic() > until:
            raise NoCopyError
    process = _told(answer)
    if process is None:
        raise NoCopyError
    return process


def _told(source: socket.socket) -> int | None:
    with suppress(OSError):
        found = source.recv(_NUMBER, socket.MSG_WAITALL)
        return int.from_bytes(found, "big") if len(found) == _NUMBER else None
    return None


def _give_up(streams: tuple[IO[bytes], ...], answer: socket.socket) -> None:
    answer.close()
    for stream in streams:
        stream.close()


@atexit.register
def end() -> None:
    """End the process that is copied, with its copies."""
    with _LOCK:
        for template in _LAST:
            template.end()
        _LAST.clear()
