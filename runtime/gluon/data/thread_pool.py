"""Threads that make batches. They end when their pool goes, each after the call that it is in."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any

from hybridlint.runtime.gluon.data.answers import Answer, raised, returned

_Task = tuple[Answer, Callable[..., Any], tuple[Any, ...]]


class ThreadPool:
    """`count` threads, each of which begins with ``begin(*arguments)``."""

    def __init__(self, count: int, begin: Callable[..., Any], arguments: Iterable[Any]) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._end = weakref.finalize(self, _end, self._tasks, count)
        for _ in range(count):
            threading.Thread(target=_work, args=(self._tasks, begin, tuple(arguments)), daemon=True).start()

    def apply_async(self, function: Callable[..., Any], arguments: Iterable[Any] = ()) -> Answer:
        """Have a thread call a function. Raises ValueError once the pool is closed."""
        if not self._end.alive:
            raise ValueError("the pool of this loader is closed: make a new DataLoader")
        answer = Answer()
        self._tasks.put((answer, function, tuple(arguments)))
        return answer

    def terminate(self) -> None:
        """Drop the calls that no thread has begun, and let the threads end. It waits for none."""
        self._end()


def _work(tasks: SimpleQueue[_Task | None], begin: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    begin(*arguments)
    while (task := tasks.get()) is not None:
        answer, function, given = task
        try:
            answer.put(returned(function(*given)))
        except BaseException as error:
            answer.put(raised(error))
        # A waiting thread keeps nothing alive: the last task may hold the loader itself.
        del task, answer, function, given


def _end(tasks: SimpleQueue[_Task | None], count: int) -> None:
    closed = raised(RuntimeError("the loader was closed before this batch was made"))
    dropped: list[_Task | None] = []
    try:
        while True:
            dropped.append(tasks.get_nowait())
    except Empty:
        pass
    for task in dropped:
        if task is not None:
            task[0].put(closed)
    for _ in range(count):
        tasks.put(None)
