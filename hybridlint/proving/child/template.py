"""The process that has imported mxnet and nothing of any project; a copy of it works on each task."""

from __future__ import annotations

import array
import gc
import json
import os
import select
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

#: Descriptors that come with a request: the copy's standard streams, and the socket on which its end is told.
_RIGHTS = 4
#: Bytes of a request.
_MOST = 1 << 16
#: Seconds without a request or a copy after which it ends.
IDLE = 60.0


class Template:
    """Copies itself for each request that arrives from `asking`, until that hangs up or asks for nothing for long."""

    def __init__(self, asking: socket.socket, work: Callable[[], None]) -> None:
        self.asking = asking
        self.work = work
        #: For each copy the socket on which its end is told.
        self.copies: dict[int, socket.socket] = {}
        self.woken, self.waking = socket.socketpair()
        self.woken.setblocking(False)
        self.waking.setblocking(False)

    def run(self) -> None:
        """Serve until nobody asks any more and all copies have ended."""
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
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
                asked = self._answer()

    def _answer(self) -> bool:
        """Answer a request. Return whether there was one."""
        space = socket.CMSG_SPACE(_RIGHTS * array.array("i").itemsize)
        try:
            data, rights, _, _ = self.asking.recvmsg(_MOST, space)
        except OSError:
            return False
        if not data or not rights:
            return False
        numbers = array.array("i")
        numbers.frombytes(rights[0][2])
        *streams, answer = numbers
        process = os.fork()
        if not process:
            self._become(json.loads(data), streams, answer)
        for stream in streams:
            os.close(stream)
        self.copies[process] = socket.socket(fileno=answer)
        self._tell(process, process)
        return True

    def _become(self, request: Mapping[str, Any], streams: list[int], answer: int) -> None:
        """Be the copy: a process as if it had just been started."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.close(answer)
            for held in (self.asking, self.woken, self.waking, *self.copies.values()):
                held.close()
            os.chdir(request["folder"])
            self.work()
        finally:
            os._exit(1)

    def _bury(self) -> None:
        for process in list(self.copies):
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                self._tell(process, status)
                self.copies.pop(process).close()

    def _tell(self, process: int, number: int) -> None:
        with suppress(OSError):
            self.copies[process].sendall(number.to_bytes(8, "big"))
