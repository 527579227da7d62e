"""The process that has imported mxnet and nothing of any project; a copy of it works on each task."""

from __future__ import annotations

import array
import gc
import json
import os
import select
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

#: Descriptors that come with a request: the copy's standard streams, and the socket on which its end is told.
_RIGHTS = 4
#: Bytes of a request.
_MOST = 1 << 16
#: Seconds without a request or a copy after which it ends.
IDLE = 300.0


class RuntimeZygote:
    """Forks itself for each request from `asking`, until that hangs up or stays silent for long."""

    def __init__(self, asking: socket.socket) -> None:
        self.asking = asking
        #: For each copy the socket on which its end is told.
        self.copies: dict[int, socket.socket] = {}
        self.woken, self.waking = socket.socketpair()
        self.woken.setblocking(False)
        self.waking.setblocking(False)

    def run(self) -> Mapping[str, Any] | None:
        """Return the request in each copy, and None here once nobody asks any more and all copies have ended."""
        before = signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self.waking.fileno(), warn_on_full_buffer=False)
        # What was imported lives as long as the copies; not looking at it keeps its memory shared.
        gc.freeze()
        asked = True
        while asked or self.copies:
            sources = [self.asking, self.woken] if asked else [self.woken]
            ready, _, _ = select.select(sources, [], [], None if self.copies else IDLE)
            if self.woken in ready:
                with suppress(BlockingIOError):
                    self.woken.recv(_MOST)
                self._bury()
            if not ready:
                asked = False
            elif self.asking in ready:
                data, numbers = self._asked()
                asked = bool(numbers)
                if asked and self._copied(*numbers):
                    signal.signal(signal.SIGCHLD, before)
                    request: Mapping[str, Any] = json.loads(data)
                    os.chdir(request["folder"])
                    return request
        return None

    def _asked(self) -> tuple[bytes, Sequence[int]]:
        """Return the next request and the descriptors that came with it, none if there will be no more."""
        space = socket.CMSG_SPACE(_RIGHTS * array.array("i").itemsize)
        numbers = array.array("i")
        try:
            data, rights, _, _ = self.asking.recvmsg(_MOST, space)
        except OSError:
            return b"", numbers
        for _, _, received in rights:
            numbers.frombytes(received)
        return data, numbers

    def _copied(self, stdin: int, stdout: int, stderr: int, answer: int) -> bool:
        """Copy this process. Return whether this is the copy, in a session of its own, with its standard streams."""
        process = os.fork()
        if not process:
            signal.set_wakeup_fd(-1)
            os.setsid()
            for held in (self.asking, self.woken, self.waking, *self.copies.values()):
                held.close()
        for number, stream in enumerate((stdin, stdout, stderr)):
            if not process:
                os.dup2(stream, number)
            os.close(stream)
        if not process:
            os.close(answer)
            return True
        self.copies[process] = socket.socket(fileno=answer)
        self._tell(process, process)
        return False

    def _bury(self) -> None:
        for process in list(self.copies):
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                self._tell(process, status)
                self.copies.pop(process).close()

    def _tell(self, process: int, number: int) -> None:
        with suppress(OSError):
            self.copies[process].sendall(number.to_bytes(8, "big"))
