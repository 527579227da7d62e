"""The process that keeps a proof: it starts those that run the project's code, and judges what they hand over.

It never runs any of that code itself. The module is imported in a process of its own, which is copied for each
block, so that a block meets what the import left and nothing that another block did. Each block's process has a channel
of its own, which ends with it. Only this process can speak to the one that asked for the proof.
"""

from __future__ import annotations

import array
import json
import os
import select
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from hybridlint.proving.child.case import NOT_RUN
from hybridlint.proving.child.channel import Frame, FrameError, Frames, encoded
from hybridlint.proving.child.court import ADVICE, Court
from hybridlint.proving.child.descendants import adopt, die_with_parent, end_all
from hybridlint.proving.child.errors import describe
from hybridlint.proving.child.graphs import Exported
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.nest import Nest
from hybridlint.proving.child.worker import engine

#: Events of a block's process that are passed on, or looked at here.
_EVIDENCE = {"trial", "observation", "agreed"}
#: Longest texts that are passed on of what a process says.
_MOST_TEXT = 2_000


class Keeper:
    """Keeps the proof of one module. `control` ends when the process that asked for the proof does."""

    def __init__(self, task: Mapping[str, Any], control: int, messages: TextIO) -> None:
        self.task = task
        self.control = control
        self.messages = messages
        self.nest = 0

    def run(self) -> None:
        """Send the outcome of every block that the task names; then end all that was started."""
        here, there = socket.socketpair()
        self.nest = os.fork()
        if not self.nest:
            here.close()
            os.close(self.control)
            os.close(self.messages.fileno())
            Nest(self.task, there).run()
        there.close()
        adopt()
        try:
            self._talk(here)
        finally:
            end_all()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message to the process that asked for the proof."""
        self.messages.write(json.dumps(message, default=str) + "\n")
        self.messages.flush()

    def _talk(self, nest: socket.socket) -> None:
        frames = Frames(nest)
        names: list[str] | None = None
        while names is None:
            for frame in self._wait(nest, frames):
                message = frame.message
                if message.get("event") == "loaded":
                    names = [str(name) for name in message["names"]]
                elif message.get("event") == "failed":
                    self._pass_on(message)
                    return
                else:
                    self._pass_on_progress(message)
            if names is None and frames.ended:
                self._end_with(os.waitpid(self.nest, 0)[1])
                return
        for name in names:
            self.send({"event": "start", "block": name})
            status = self._block(name, nest, frames)
            if status is not None:
                self._end_with(status)
                return
        self.send({"event": "end"})

    def _wait(self, *sources: Any) -> list[Frame]:
        """Return the frames that arrive next. Ends this process if the one that asked for the proof has ended."""
        waited, frames = sources
        ready, _, _ = select.select([self.control, waited], [], [])
        if self.control in ready:
            self._leave()
        try:
            return list(frames.arrived())
        except FrameError:
            # The module itself has written there, while it was imported.
            frames.ended = True
            return []

    def _leave(self) -> None:
        end_all()
        os._exit(0)

    def _block(self, name: str, nest: socket.socket, nest_frames: Frames) -> int | None:
        """Have a block judged in a process of its own; return the exit status of that if it has ended before."""
        here, there = socket.socketpair()
        here.setblocking(False)
        with here:
            with there:
                _hand_over(nest, {"block": name}, there)
            outcome = self._heard(name, here, nest, nest_frames)
        end_all(spared=[self.nest])
        if isinstance(outcome, int):
            return outcome
        self.send({"event": "outcome", "block": name, **outcome})
        return None

    def _heard(
        self, name: str, source: socket.socket, nest: socket.socket, nest_frames: Frames
    ) -> Mapping[str, Any] | int:
        """Return the outcome of a block by what its process sends, or the status with which that ended before."""
        court = Court(self._graph_outputs, fixed=self.task["after"] is not None)
        frames = Frames(source)
        status: int | None = None
        while True:
            waiting: list[Any] = [self.control]
            waiting += [one for one, ended in ((source, frames.ended), (nest, nest_frames.ended)) if not ended]
            over = status is not None
            ready, _, _ = select.select(waiting, [], [], 0 if over else None)
            if self.control in ready:
                self._leave()
            if nest in ready:
                status = self._ended(name, nest_frames)
            try:
                found = self._judged(court, frames) if source in ready else None
            except (FrameError, MemoryError) as error:
                return _spoilt(error)
            if found is not None:
                return found
            if over and status is not None and (frames.ended or source not in ready):
                return status

    def _judged(self, court: Court, frames: Frames) -> Mapping[str, Any] | None:
        for frame in frames.arrived():
            event = frame.message.get("event")
            if event in _EVIDENCE:
                court.take(frame)
            elif event == "outcome":
                return _outcome(court.judged(frame.message))
            elif event == "stage":
                verdict = frame.message.get("verdict")
                confirmed = None if verdict is None else _outcome(court.judged(verdict))
                self._pass_on_progress({**frame.message, "verdict": confirmed})
            else:
                self._pass_on_progress(frame.message)
        return None

    def _ended(self, name: str, frames: Frames) -> int | None:
        """Return the exit status of the block's process, or that of the module's, if that has ended too."""
        status: int | None = None
        with suppress(FrameError, KeyError, ValueError, TypeError):
            for frame in frames.arrived():
                # Of a block that had its outcome, the end is told when the next one has begun.
                status = int(frame.message["status"]) if frame.message.get("block") == name else status
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
            _compute(self.task, graph, there)
        there.close()
        frames = Frames(here)
        with here:
            while not frames.ended:
                for frame in self._wait(here, frames):
                    os.waitpid(process, 0)
                    return frame.message.get("failed") or frame.arrays
        os.waitpid(process, 0)
        return "it ends the process"

    def _end_with(self, status: int) -> None:
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        self.send({"event": "ended", "status": code})

    def _pass_on_progress(self, message: Mapping[str, Any]) -> None:
        if message.get("event") in {"stage", "read", "module end"}:
            self._pass_on(message)

    def _pass_on(self, message: Mapping[str, Any]) -> None:
        self.send(_short(message))


def _compute(task: Mapping[str, Any], graph: Exported, answer: socket.socket) -> None:
    """Send the outputs of a graph, and end this process."""
    try:
        die_with_parent()
        limit(task)
        try:
            frame = encoded({}, graph.outputs(engine(task["engine"])))
        except Exception as error:
            frame = encoded({"failed": describe(error)})
        answer.sendall(frame)
    finally:
        os._exit(0)


def _hand_over(nest: socket.socket, message: Mapping[str, Any], channel: socket.socket) -> None:
    """Send a message with a socket to the module's process; nothing if that has ended, which shows elsewhere."""
    with suppress(OSError):
        rights = array.array("i", [channel.fileno()])
        nest.sendmsg([encoded(message)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


def _outcome(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim without what concerns the proof alone."""
    return {name: _short(value) for name, value in claim.items() if name not in {"event", "trial", "block"}}


def _short(value: Any) -> Any:
    """Return a value with its texts cut to what anybody reads; graphs and paths stay whole."""
    if isinstance(value, str):
        return value if len(value) <= _MOST_TEXT else value[:_MOST_TEXT] + "..."
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list) else value


def _spoilt(error: Exception) -> dict[str, Any]:
    what = "its results need more memory than the proof may use" if isinstance(error, MemoryError) else str(error)
    return {"status": NOT_RUN, "reason": what, "add": ADVICE, "row": None, "fixed": False, "directive": None}
