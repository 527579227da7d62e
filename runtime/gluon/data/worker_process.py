"""The code of a worker process: it runs calls from a connection until the connection is closed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

# How often a worker asks whether its parent is still there, for parents whose end is not seen otherwise: a process that
# was forked later may hold what would tell.
_ASK_S = 1.0


Beginning = tuple[Callable[..., Any], tuple[Any, ...]]


def work(connection: Connection, foreign: Iterable[Connection], beginning: Beginning | None) -> None:
    """Begin, then make the calls that come. A process that was not forked asks for its beginning.

    `foreign` are inherited ends of other workers' connections.
    """
    for end in foreign:
        end.close()
    # The parent handles interrupts: otherwise each child would print a traceback. A handler of the parent that does not
    # end the process must not keep a worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        begin, arguments = _asked(connection) if beginning is None else beginning
        begin(*arguments)
        while True:
            message = _answer(connection.recv_bytes())
            connection.send_bytes(message)
    except (EOFError, ConnectionError):
        # The pool has gone.
        return


def _asked(connection: Connection) -> Any:
    connection.send_bytes(b"")
    return pickle.loads(connection.recv_bytes())


def _answer(message: bytes) -> bytes:
    """Return the result or error of a call, pickled: (value, error, its traceback)."""
    try:
        function, arguments = pickle.loads(message)
        return bytes(ForkingPickler.dumps((function(*arguments), None, "")))
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        try:
            failed = bytes(ForkingPickler.dumps((None, error, text)))
            pickle.loads(failed)
        except Exception:
            failed = bytes(ForkingPickler.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"), text)))
        return failed


def _end_with_parent(parent_id: int) -> None:
    """Wait until the parent process ends, however it ends, then end this process."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    while not wait([parent.sentinel], _ASK_S):
        if os.getppid() != parent_id:
            break
    os._exit(1)
