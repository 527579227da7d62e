"""The future result of one call by a pool of workers."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from multiprocessing.context import TimeoutError as WorkerTimeoutError
from typing import Any


class InWorker(Exception):
    """The traceback of an exception in another process, as text."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


class Answer:
    """The result of one call, or what it raised; made by a worker, awaited by `get`."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._open: Callable[[], Any] = _nothing

    def put(self, result: Callable[[], Any]) -> None:
        """Settle it; `result` returns or raises the outcome of the call. The first result stays."""
        if not self._done.is_set():
            self._open = result
            self._done.set()

    def ready(self) -> bool:
        """Return whether it is settled."""
        return self._done.is_set()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it is settled, at most `timeout` seconds."""
        self._done.wait(timeout)

    def get(self, timeout: float | None = None) -> Any:
        """Return the result. Raises what the call raised, and multiprocessing's TimeoutError after `timeout` s."""
        if not self._done.wait(timeout):
            raise WorkerTimeoutError
        return self._open()


def returned(value: Any) -> Callable[[], Any]:
    """Return a result that is a value."""
    return lambda: value


def raised(error: BaseException) -> Callable[[], Any]:
    """Return a result that is an error."""

    def fail() -> Any:
        raise error

    return fail


def unpickled(message: bytes) -> Callable[[], Any]:
    """Return the result in a worker's message, which is read by whoever asks for it: (value, error, its traceback)."""

    def read() -> Any:
        value, error, traceback = pickle.loads(message)
        if error is not None:
            raise error from InWorker(traceback)
        return value

    return read


def _nothing() -> Any:
    raise AssertionError("the answer is not there yet")
