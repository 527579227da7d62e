"""The process that supervises a proof: it starts workers for the project's code, and judges their evidence.

It never runs any of that code itself. A separate process imports the module, and forks for each block, so that a block
meets the state after the import and nothing from other blocks. Each block's process has a channel of its own, which
ends with it. Only this process can speak to the process that requested the proof.
"""

from __future__ import annotations

import array
import json
import os
import select
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from hybridlint.core import schema
from hybridlint.core.proof_outcome import OUTCOME
from hybridlint.core.schema import MalformedError
from hybridlint.proving.child.comparison_evidence import EVIDENCE, OF_BLOCK
from hybridlint.proving.child.errors import NotRunError, describe
from hybridlint.proving.child.graphs import OF_GRAPH, Exported
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.messages import MALFORMED
from hybridlint.proving.child.module_channel import ModuleMessages, new_mark
from hybridlint.proving.child.module_zygote import ModuleZygote
from hybridlint.proving.child.process_tree import adopt, die_with_parent, end_all
from hybridlint.proving.child.proof_case import NOT_RUN
from hybridlint.proving.child.result_verifier import ADVICE, ResultVerifier
from hybridlint.proving.child.sandbox.confinement import enter_quietly
from hybridlint.proving.child.watch import BlockWatch
from hybridlint.proving.child.wire import WireError, WireMessage, WireReader, encode_message
from hybridlint.proving.child.worker import engine

#: Events of the module's process that are passed on.
_PASSED_ON = ("ready", "stage", "read", "unbuilt", "module end")


class Supervisor:
    """Keeps the proof of one module. `control` ends when the process that asked for the proof does."""

    def __init__(self, task: Mapping[str, Any], control: int, messages: TextIO) -> None:
        self.task = task
        self.control = control
        self.messages = messages
        self.nest = 0
        self.watch = BlockWatch(task)
        #: What the module's process tried and this one has seen, in order.
        self.notes: dict[str, None] = {}

    def run(self) -> None:
        """Send the outcome of every block that the task names; then end all that was started."""
        here, there = socket.socketpair()
        # A real MXNet starts threads in a copy of a process that has imported it, which Landlock would not confine.
        early = self.task["engine"] != "mxnet"
        if early:
            self._import()
        self.nest = os.fork()
        if not self.nest:
            here.close()
            self.watch.here.close()
            os.close(self.control)
            os.close(self.messages.fileno())
            ModuleZygote(self.task, there, self.watch.there).run()
        there.close()
        self.watch.start(self.nest)
        adopt()
        try:
            if not early:
                self._import()
            self._talk(here)
        except WireError as error:
            self._fail(f"the module cannot be imported: {error}")
        finally:
            end_all()

    def _import(self) -> None:
        """Import mxnet for the forks of this process. The process that imports the module reports failures."""
        with suppress(NotRunError):
            engine(self.task["engine"])

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message to the process that asked for the proof."""
        self.messages.write(json.dumps(message, default=str) + "\n")
        self.messages.flush()

    def _talk(self, nest: socket.socket) -> None:
        mark = new_mark()
        # Its process reads the mark once user code has imported.
        nest.sendall(mark)
        frames = ModuleMessages(nest, mark, self.task["timeout"], self._note_written)
        names: Sequence[str] | None = None
        failed: Mapping[str, Any] | None = None
        while names is None:
            for frame in self._wait(nest, frames):
                message = frame.message
                if message["event"] == "loaded":
                    names = message["names"]
                elif message["event"] == "failed":
                    # Only a process that then ends has failed.
                    failed = message
                elif message["event"] in _PASSED_ON:
                    self.send(message)
            if names is None and frames.ended:
                exit_status = os.waitpid(self.nest, 0)[1]
                if failed is None or exit_status:
                    self._end_with(exit_status)
                else:
                    self.send({**failed, "stopped": [*failed.get("stopped", ()), *self._noted()]})
                return
        while_importing = self._noted()
        # A block that the text defines is asked for, whatever the module's process says.
        for name in dict.fromkeys([*names, *self.task["defined"]]):
            self.send({"event": "start", "block": name})
            status = self._block(name, nest, frames, while_importing)
            if status is not None:
                self._end_with(status)
                return
        self.send({"event": "end"})

    def _wait(self, *sources: Any) -> list[WireMessage]:
        """Return the messages that arrive next. Ends this process if the process that asked for the proof has ended."""
        waited, frames = sources
        ready, _, _ = select.select([self.control, waited], [], [])
        if self.control in ready:
            self._leave()
        return list(frames.arrived())

    def _note_written(self, what: str) -> None:
        self.notes.setdefault(f"{what} (while it is imported)")

    def _fail(self, reason: str) -> None:
        self.send({"event": "failed", **_unrun(reason), "stopped": self._noted()})

    def _noted(self) -> list[str]:
        """Return the actions that were tried and refused since the last time."""
        notes, self.notes = self.notes, {}
        return [*notes, *self.watch.noted()]

    def _leave(self) -> None:
        end_all()
        os._exit(0)

    def _block(
        self, name: str, nest: socket.socket, nest_frames: ModuleMessages, while_importing: Sequence[str]
    ) -> int | None:
        """Judge a block in a process of its own; return its exit status if it ends early."""
        here, there = socket.socketpair()
        here.setblocking(False)
        with here:
            with there:
                self.watch.granted = 1
                _hand_over(nest, {"block": name}, there)
            outcome = self._heard(name, here, nest, nest_frames)
        end_all(spared=[self.nest])
        if isinstance(outcome, int):
            return outcome
        self.watch.exceeded = self.watch.exceeded or self.watch.excess() or ""
        if self.watch.exceeded:
            return int(signal.SIGKILL)
        stopped = [*outcome.get("stopped", ()), *while_importing, *self._noted()]
        self.send({**outcome, "event": "outcome", "block": name, "stopped": stopped})
        return None

    def _heard(
        self, name: str, source: socket.socket, nest: socket.socket, nest_frames: ModuleMessages
    ) -> Mapping[str, Any] | int:
        """Return the outcome that the block's process sent, or its exit status if it died first."""
        court = ResultVerifier(self._graph_outputs, fixed=self.task["after"] is not None)
        frames = WireReader(source, OF_BLOCK)
        status: int | None = None
        while True:
            waiting: list[Any] = [self.control]
            waiting += [one for one, ended in ((source, frames.ended), (nest, nest_frames.ended)) if not ended]
            ready, _, _ = select.select(waiting, [], [])
            if self.control in ready:
                self._leave()
            if nest in ready:
                told = self._ended(name, nest_frames)
                status = status if told is None else told
            try:
                found = self._judged(court, frames) if source in ready else None
            except (WireError, MalformedError, MemoryError) as error:
                return _spoilt(error)
            if found is not None:
                return found
            # A process has ended when its channel has, whoever says so.
            if status is not None and frames.ended:
                return status

    def _judged(self, court: ResultVerifier, frames: WireReader) -> Mapping[str, Any] | None:
        for frame in frames.arrived():
            message = frame.message
            if message["event"] in EVIDENCE:
                court.take(frame)
            elif message["event"] == "outcome":
                found: Mapping[str, Any] = OUTCOME(court.judged(message))
                return found
            elif message["event"] == "stage" and message["verdict"] is not None:
                self.send({**message, "verdict": OUTCOME(court.judged(message["verdict"]))})
            else:
                self.send(message)
        return None

    def _ended(self, name: str, frames: ModuleMessages) -> int | None:
        """Return the exit status of the block's process, or of the module's process if it has ended too."""
        status: int | None = None
        with suppress(WireError):
            for frame in frames.arrived():
                message = frame.message
                # Of a block that had its outcome, the end is told when the next one has begun.
                status = message["status"] if message["event"] == "ended" and message["block"] == name else status
            if not frames.ended:
                return status
        frames.ended = True
        with suppress(OSError):
            os.kill(self.nest, 9)
        return os.waitpid(self.nest, 0)[1]

    def _graph_outputs(self, graph: Exported) -> Sequence[Any] | str:
        """Return the outputs of a graph, or why there are none, from a copy of this process."""
        here, there = socket.socketpair()
        process = os.fork()
        if not process:
            here.close()
            os.close(self.control)
            self.watch.close_in_copy()
            _compute(self.task, graph, there)
        there.close()
        frames = WireReader(here, OF_GRAPH)
        with here:
            while not frames.ended:
                try:
                    found = self._wait(here, frames)
                except (WireError, MalformedError):
                    break
                for frame in found:
                    os.waitpid(process, 0)
                    return frame.message.get("failed") or frame.arrays
        os.waitpid(process, 0)
        return "it ends the process"

    def _end_with(self, status: int) -> None:
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        why = {"reason": self.watch.exceeded} if self.watch.exceeded else {}
        self.send({"event": "ended", "status": code, **why})


def _compute(task: Mapping[str, Any], graph: Exported, answer: socket.socket) -> None:
    """Send the outputs of a graph, and end this process."""
    try:
        die_with_parent()
        limit(task)
        enter_quietly(task)
        try:
            frame = encode_message({}, graph.outputs(engine(task["engine"])))
        except Exception as error:
            frame = encode_message({"failed": describe(error)})
        answer.sendall(frame)
    finally:
        os._exit(0)


def _hand_over(nest: socket.socket, message: Mapping[str, Any], channel: socket.socket) -> None:
    """Send a message with a socket to the module's process; nothing if that has ended, which shows elsewhere."""
    with suppress(OSError):
        rights = array.array("i", [channel.fileno()])
        nest.sendmsg([encode_message(message)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


def _spoilt(error: Exception) -> dict[str, Any]:
    if isinstance(error, MemoryError):
        return _unrun("its results need more memory than the proof may use")
    return _unrun(f"{MALFORMED}: {schema.in_words(error)}" if isinstance(error, MalformedError) else str(error))


def _unrun(reason: str) -> dict[str, Any]:
    return {"status": NOT_RUN, "reason": reason, "add": ADVICE, "row": None, "fixed": False, "directive": None}
