"""The process that has imported the project's module; a copy of it runs each block."""

from __future__ import annotations

import array
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.core import schema
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.module_channel import receive_mark
from hybridlint.proving.child.process_tree import die_with_parent
from hybridlint.proving.child.sandbox.confinement import confine_block, enter
from hybridlint.proving.child.wire import MARK, decode_message, encode_message
from hybridlint.proving.child.worker import Worker, engine, not_run

#: Bytes of a message that comes with a socket.
_MOST = 1 << 16
#: What the supervisor asks for.
_ASKED = schema.fields({"block": schema.text()})


class ModuleZygote:
    """Imports the module of a task, and copies itself for each block that the supervisor asks for."""

    def __init__(self, task: Mapping[str, Any], supervisor: socket.socket, witness: socket.socket) -> None:
        self.task = task
        self.supervisor = supervisor
        self.witness = witness

    def run(self) -> None:
        """Serve the supervisor until it hangs up, then end without waiting for threads of user code."""
        die_with_parent()
        limit(self.task)
        with self.witness:
            guard = enter(self.task, witness=self.witness, blocks_follow=True)
        worker = Worker(self.task, _sender(self.supervisor), guard, ProofEvidence(lambda _message, _arrays: None))
        try:
            engine(self.task["engine"])
            worker.send({"event": "ready"})
            message = {"event": "loaded", "names": worker.load()}
        except NotRunError as error:
            message = {"event": "failed", **not_run(error), "stopped": guard.notes}
        mark = receive_mark(self.supervisor)
        worker.speak(_sender(self.supervisor, mark), worker.evidence)
        worker.report_import()
        worker.send(message)
        if message["event"] == "failed":
            _leave()
        # What the import left lives as long as its copies; not looking at it keeps its memory shared.
        gc.freeze()
        while True:
            name, channel = self._asked()
            if channel is None:
                _leave()
            else:
                self._serve(name, channel, worker)

    def _asked(self) -> tuple[str, int | None]:
        """Return the requested block and the descriptor of its channel, None if there are no more."""
        space = socket.CMSG_SPACE(array.array("i").itemsize)
        try:
            data, rights, _, _ = self.supervisor.recvmsg(_MOST, space)
        except OSError:
            return "", None
        if not data or not rights:
            return "", None
        numbers = array.array("i")
        numbers.frombytes(rights[0][2][: numbers.itemsize])
        return str(decode_message(data, _ASKED).message["block"]), numbers[0]

    def _serve(self, name: str, channel: int, worker: Worker) -> None:
        # The project may ignore the ends of processes, and its copies then leave no status.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        worker.guard.copying = True
        process = os.fork()
        worker.guard.copying = False
        if not process:
            die_with_parent()
            self.supervisor.close()
            confine_block(worker.guard)
            source = socket.socket(fileno=channel)
            send = _sender(source)
            worker.speak(send, ProofEvidence(send))
            try:
                worker.judge(name)
            finally:
                _leave()
        os.close(channel)
        try:
            _, status = os.waitpid(process, 0)
        except ChildProcessError:
            # A thread of the project has waited for it.
            status = 0
        worker.send({"event": "ended", "block": name, "status": status})


def _sender(target: socket.socket, mark: bytes = MARK) -> Callable[..., None]:
    def send(message: Mapping[str, Any], arrays: Sequence[Any] = ()) -> None:
        target.sendall(encode_message(message, arrays, mark))

    return send


def _leave() -> None:
    """End this process with what it has printed; exit handlers are the project's."""
    try:
        sys.stderr.flush()
    finally:
        os._exit(0)
