"""Processes that make batches, and that can be ended at any moment.

Each worker has a connection of its own and shares no lock with the others, so that killing one in the middle of a
message stops nobody else. ``multiprocessing.Pool`` has one pipe for all results: if it is terminated while more of them
are under way than the pipe holds, a worker keeps the pipe's lock and nobody reads.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from hybridlint.runtime.gluon.data.answers import Answer, raised, unpickled
from hybridlint.runtime.gluon.data.worker_process import work

# How long a pool waits for its own thread, which never waits for a process that was killed.
_PATIENCE_S = 5.0


class ProcessPool:
    """`count` processes, each of which begins with ``begin(*arguments)``.

    `method` is a start method of multiprocessing. A call whose worker dies raises RuntimeError at once, and so do all
    calls once no worker is left.
    """

    def __init__(self, count: int, method: str | None, begin: Callable[..., Any], arguments: Iterable[Any]) -> None:
        self._state = state = _State()
        self._end = weakref.finalize(self, _end, state, os.getpid())
        context: Any = multiprocessing.get_context(method)
        forked = context.get_start_method() == "fork"
        beginning = (begin, tuple(arguments))
        try:
            # Pickled once for all of them, and sent while they start beside each other.
            state.beginning = None if forked else bytes(ForkingPickler.dumps(beginning))
            for _ in range(count):
                here, there = context.Pipe()
                # A forked process holds the ends of its elders too; it has to let go of them.
                foreign = [each.connection for each in state.workers] + [here] if forked else []
                given = (there, foreign, beginning if forked else None)
                process = context.Process(target=work, args=given, daemon=True)
                state.workers.append(_Worker(process, here, begun=forked))
                process.start()
                there.close()
        except BaseException:
            self._end()
            raise
        state.thread = threading.Thread(target=_manage, args=(state,), daemon=True)
        state.thread.start()

    def apply_async(self, function: Callable[..., Any], arguments: Iterable[Any] = ()) -> Answer:
        """Make a worker call a function. If the call cannot be pickled, the answer raises the error.

        Raises ValueError once the pool is closed.
        """
        if not self._end.alive:
            raise ValueError("the pool of this loader is closed: make a new DataLoader")
        answer = Answer()
        try:
            message = bytes(ForkingPickler.dumps((function, tuple(arguments))))
        except Exception as error:
            answer.put(raised(error))
            return answer
        self._state.tasks.append((answer, message))
        self._state.ring()
        return answer

    def terminate(self) -> None:
        """End all workers at once, even busy ones, and close the resources opened for them."""
        self._end()
        self._state.abandon("the loader was closed before this batch was made")


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    # Whether it has what it begins with. One that was not forked asks for it with its first message.
    begun: bool
    answer: Answer | None = None


class _State:
    """What the pool and its thread share. It does not know the pool, which can go while the thread waits."""

    def __init__(self) -> None:
        self.workers: list[_Worker] = []
        self.tasks: deque[tuple[Answer, bytes]] = deque()
        self.thread: threading.Thread | None = None
        self.closing = False
        self.beginning: bytes | None = None
        self.bell, self._rope = multiprocessing.Pipe(duplex=False)
        self._rung = False
        # Garbage may be collected, and a pool end, while its own thread holds this.
        self._lock = threading.RLock()

    def ring(self) -> None:
        """Wake the thread. The pipe holds one byte at most."""
        with self._lock:
            if not self._rung and not self._rope.closed:
                self._rung = True
                self._rope.send_bytes(b"!")

    def heard(self) -> None:
        """Take the byte out."""
        with self._lock:
            if self._rung:
                self._rung = False
                self.bell.recv_bytes()

    def abandon(self, why: str) -> None:
        """Settle all calls that nobody will make."""
        failed = raised(RuntimeError(why))
        for worker in self.workers:
            if worker.answer is not None:
                worker.answer.put(failed)
        while self.tasks:
            self.tasks.popleft()[0].put(failed)

    def close(self) -> None:
        """Close the ends of all pipes."""
        with self._lock:
            for end in (self.bell, self._rope, *(worker.connection for worker in self.workers)):
                end.close()


@dataclass
class _Living:
    """The workers that were not lost, and how the last one was."""

    workers: list[_Worker]
    loss: str = field(default="")


def _manage(state: _State) -> None:
    """Hand tasks to workers that are idle and results to whoever asked, until the pool ends."""
    living = _Living(list(state.workers))
    try:
        while not state.closing:
            _hand_out(state, living)
            if not living.workers:
                state.abandon(living.loss)
            by_end: dict[Any, _Worker] = {worker.connection: worker for worker in living.workers}
            for end in wait([state.bell, *by_end]):
                if state.closing:
                    return
                if end is state.bell:
                    state.heard()
                else:
                    _receive(by_end[end], state, living)
    except OSError:
        # The pool was ended by this thread itself, when it collected garbage.
        if not state.closing:
            raise


def _hand_out(state: _State, living: _Living) -> None:
    for worker in [each for each in living.workers if each.begun and each.answer is None]:
        if not state.tasks:
            return
        worker.answer, message = state.tasks.popleft()
        _send(worker, message, living)


def _send(worker: _Worker, message: bytes, living: _Living) -> None:
    try:
        worker.connection.send_bytes(message)
    except OSError:
        _lose(worker, living)


def _receive(worker: _Worker, state: _State, living: _Living) -> None:
    try:
        message = worker.connection.recv_bytes()
    except (EOFError, OSError):
        _lose(worker, living)
        return
    if not worker.begun and state.beginning is not None:
        worker.begun = True
        _send(worker, state.beginning, living)
    if worker.answer is not None:
        worker.answer.put(unpickled(message))
        worker.answer = None


def _lose(worker: _Worker, living: _Living) -> None:
    worker.process.join(1)
    living.loss = (
        f"a worker process of the DataLoader {_how(worker.process.exitcode)}, and its batch is lost: what it printed "
        "tells why; if the system ended it, take fewer workers for want of memory; num_workers=0 makes batches in this "
        "process"
    )
    living.workers.remove(worker)
    if worker.answer is not None:
        worker.answer.put(raised(RuntimeError(living.loss)))
        worker.answer = None


def _how(code: int | None) -> str:
    if code is None:
        return "closed its connection"
    return f"was ended by signal {-code}" if code < 0 else f"exited with {code}"


def _end(state: _State, owner: int) -> None:
    """Kill the workers, wake the thread, and close everything. A fork of the owner has nothing to end."""
    if os.getpid() != owner:
        return
    state.closing = True
    started = [worker for worker in state.workers if worker.process.pid is not None]
    for worker in started:
        worker.process.kill()
        _shut(worker.connection)
    state.ring()
    if state.thread is not None and state.thread is not threading.current_thread():
        state.thread.join(_PATIENCE_S)
    for worker in started:
        worker.process.join()
        worker.process.close()
    state.close()


def _shut(connection: Connection) -> None:
    """Wake who reads or writes the connection, even if another process holds its other end."""
    if not hasattr(socket, "AF_UNIX") or connection.closed:
        return
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
