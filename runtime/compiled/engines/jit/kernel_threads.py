"""Threads that help another one with native code, and sleep while there is none."""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from typing import Any

from hybridlint.runtime.compiled.engines.jit.llvm import Compiled
from hybridlint.runtime.compiled.engines.jit.thread_team import begin_word, end_word
from hybridlint.runtime.compiled.engines.threads import wished_threads


class KernelThreads:
    """So many threads, which are started when they are asked for the first time."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def ask(self, job: Callable[[], None]) -> None:
        """Have each of them run a job, as soon as it has finished others. What it returns, or when, is not told.

        Where they have more than enough to do already, nothing is asked of them.
        """
        if self._jobs.qsize() > self.count:
            return
        if not self._threads:
            self._start()
        for _ in range(self.count):
            self._jobs.put(job)

    def _start(self) -> None:
        with self._lock:
            if self._threads:
                return
            for _ in range(self.count):
                self._threads.append(threading.Thread(target=self._work, name="hybridlint-helper", daemon=True))
            for thread in self._threads:
                thread.start()
            # Nobody may run native code while the interpreter takes its memory back.
            atexit.register(self._end)

    def _work(self) -> None:
        # The job is not kept while the thread sleeps: it holds a network's memory.
        while self._has_worked():
            pass

    def _has_worked(self) -> bool:
        job = self._jobs.get()
        if job is not None:
            job()
        return job is not None

    def _end(self) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()


class ThreadTeam:
    """The native functions by which a thread runs kernels together with helpers."""

    def __init__(self, native: Compiled, number: int) -> None:
        # Their code lives as long as this, which a helper may run later than anybody else.
        self._native = native
        self._lead, self._help = (native.team_function(f"{name}{number}") for name in ("lead", "help"))

    def run(self, table: Any, words: Any) -> None:
        """Run the kernels on the buffers of a table; the words belong to one run at a time."""

        def job() -> None:
            # It keeps code and memory alive as long as a helper may look at them.
            self._help(ctypes.addressof(table), ctypes.addressof(words))

        words[0] = begin_word(words[0])
        try:
            helpers().ask(job)
            self._lead(ctypes.addressof(table), ctypes.addressof(words))
        finally:
            words[0] = end_word(words[0])


@cache
def helpers() -> KernelThreads:
    """Return the helpers of this process: one less than the threads that are wished."""
    return KernelThreads(wished_threads() - 1)


# Threads do not live on in a child process.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)
