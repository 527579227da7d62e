"""Processes that check files. They end with this process, and a lost process's work is redone."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from pickle import UnpicklingError
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.checking.check_limits import bounded_process
from hybridlint.checking.checker import Job, check
from hybridlint.core.result import Result
from hybridlint.runtime.facts.records import record
from hybridlint.system.lifeline import Lifeline
from hybridlint.system.signal_end import end_at_once

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

Numbered: TypeAlias = tuple[int, Job]
Answer: TypeAlias = tuple[int, Result]

#: Results that are sent at once: what a worker keeps to itself is lost with it.
_TOGETHER = 64


@record(slots=True, eq=False)
class Batch:
    """Jobs for one worker. `again`: its first worker was lost. `aside`: it has a worker of its own, and the first."""

    jobs: list[Numbered]
    again: bool = False
    aside: bool = False

    @property
    def place(self) -> int:
        """The number of the first job: numbers are close where files are neighbours."""
        return self.jobs[0][0]


@record(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    lifeline: Lifeline
    batch: Batch
    done: int = 0


@record(slots=True)
class WorkerPool:
    """The processes, and the batches that wait for one.

    `windows` are asked for further batches whenever fewer wait than there are processes, so that the jobs in memory
    stay few.
    """

    context: BaseContext
    processes: int
    windows: Iterator[Sequence[Batch]]
    waiting: deque[Batch] = field(default_factory=deque)
    working: list[_Worker] = field(default_factory=list)
    idle: list[_Worker] = field(default_factory=list)

    def begin(self, batch: Batch) -> None:
        """Start a process with its first batch, which it inherits where processes are forked."""
        receiving, sending = self.context.Pipe()
        lifeline = Lifeline.new()
        forked = self.context.get_start_method() == "fork"
        others = (*self.working, *self.idle) if forked else ()
        inherited = _Inherited(
            receiving, lifeline, [one.connection for one in others], [one.lifeline for one in others]
        )
        arguments = (sending, batch, inherited if forked else None)
        process = self.context.Process(target=_work, args=arguments, daemon=True)  # type: ignore[attr-defined]
        with _uninterrupted():
            process.start()
        sending.close()
        lifeline.close_other()
        self.working.append(_Worker(process, receiving, lifeline, batch))

    def results(self) -> Iterator[Answer]:
        """Yield the results of all batches."""
        from multiprocessing.connection import wait

        while self._busy():
            ready = wait([worker.connection for worker in self.working])
            for worker in [worker for worker in self.working if worker.connection in ready]:
                yield from self._received(worker)

    def _busy(self) -> bool:
        """Give the processes that are free something to do. Returns whether any works."""
        while len(self.waiting) < self.processes and (window := next(self.windows, None)) is not None:
            self.waiting += window
        while self.waiting and sum(not worker.batch.aside for worker in self.working) < self.processes:
            if self.idle:
                worker = self.idle.pop()
                self._hand(worker, self._nearest(worker.batch.place))
            else:
                self.begin(self._nearest(self._apart()))
        return bool(self.working)

    def _apart(self) -> int:
        """Return the place at which a further process begins: each has a part of the files to begin with."""
        begun = sum(not worker.batch.aside for worker in self.working)
        return self.waiting[len(self.waiting) * begun // self.processes].place

    def _nearest(self, place: int) -> Batch:
        """Take the waiting batch whose files are nearest: they import what the process has analyzed already."""
        found = min(self.waiting, key=lambda batch: (not batch.again, abs(batch.place - place)))
        self.waiting.remove(found)
        return found

    def _hand(self, worker: _Worker, batch: Batch) -> None:
        worker.batch, worker.done = batch, 0
        self.working.append(worker)
        # A process that is gone is noticed when its answer is awaited.
        with suppress(OSError):
            worker.connection.send(batch)

    def _received(self, worker: _Worker) -> Iterator[Answer]:
        try:
            answers: list[Answer] = worker.connection.recv()
        except (EOFError, OSError, UnpicklingError):
            yield from self._lost(worker)
            return
        worker.done += len(answers)
        if worker.done == len(worker.batch.jobs):
            self.working.remove(worker)
            self._rest(worker)
        yield from answers

    def _rest(self, worker: _Worker) -> None:
        if not worker.batch.aside:
            self.idle.append(worker)
            return
        # It has imported nothing that other batches need.
        _close(worker)
        worker.process.join()

    def _lost(self, worker: _Worker) -> Iterator[Answer]:
        """Redo the unfinished jobs of a dead process one by one. Name the file that killed two processes."""
        self.working.remove(worker)
        _close(worker)
        worker.process.join()
        left = worker.batch.jobs[worker.done :]
        if worker.batch.again:
            yield from ((number, Result(job.path, failure=_ending(worker.process.exitcode))) for number, job in left)
        else:
            self.waiting.extendleft(Batch([job], again=True) for job in reversed(left))

    def end(self) -> None:
        """End all processes at once: they hold nothing but results that nobody waits for."""
        everyone = (*self.working, *self.idle)
        self.working, self.idle = [], []
        for worker in everyone:
            worker.process.kill()
        for worker in everyone:
            _close(worker)
            worker.process.join()


@record(slots=True)
class _Inherited:
    """Connections that a forked process inherits and must close, as they would keep other processes' pipes open."""

    connection: Connection
    lifeline: Lifeline
    connections: list[Connection]
    lifelines: list[Lifeline]

    def drop(self) -> None:
        for lifeline in self.lifelines:
            lifeline.release()
        for connection in (self.connection, *self.connections):
            connection.close()
        self.lifeline.bind()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold interrupts back: a process that was forked a moment ago would answer one with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close(worker: _Worker) -> None:
    worker.connection.close()
    worker.lifeline.release()


def _work(connection: Connection, batch: Batch, inherited: _Inherited | None) -> None:
    """Check batches, the given one first, until nobody sends more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_at_once()
    if inherited is not None:
        inherited.drop()
    _leave_streams()
    gc.disable()
    bounded_process()
    with suppress(EOFError, OSError):
        while True:
            for first in range(0, len(batch.jobs), _TOGETHER):
                connection.send([(number, check(job)) for number, job in batch.jobs[first : first + _TOGETHER]])
            batch = connection.recv()
    # What is left to do at exit is the parent's.
    os._exit(0)


def _leave_streams() -> None:
    """Let go of the streams of the caller, who waits for their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        with suppress(OSError, ValueError):
            if stream is not None:
                os.dup2(nothing, stream.fileno())
    os.close(nothing)


def _ending(status: int | None) -> str:
    """Return why a file has no result, from the exit status of the process that checked it last."""
    how = f"with exit status {status}"
    if status is not None and status < 0:
        how = f"by signal {-status}"
        with suppress(ValueError):
            how = f"by {signal.Signals(-status).name}"
        if status == -getattr(signal, "SIGXCPU", 0):
            return "the check took too long and was ended: leave the file out with `exclude`, or divide it"
    return f"the process that checked the file was ended twice, {how}: check it alone, or leave it out with `exclude`"
