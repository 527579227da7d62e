"""The start of the child process: it reads its task, and has its blocks judged."""

from __future__ import annotations

import importlib
import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn, TextIO

from hybridlint.proving.child import operator_facts
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.limits import limit
from hybridlint.proving.child.runtime_zygote import RuntimeZygote
from hybridlint.proving.child.sandbox.confinement import enter
from hybridlint.proving.child.stages import Stage
from hybridlint.proving.child.supervisor import Supervisor
from hybridlint.proving.child.worker import Worker, engine, not_run

#: What most tasks import as well; of the bundled runtime the modules that it imports when they are needed.
_LATER = (
    "encodings.ascii",
    "hybridlint.launch.legacy.loader",
    "hybridlint.proving.child.sandbox.landlock",
    "hybridlint.proving.child.sandbox.privileges",
    "fcntl",
)
_OF_BUNDLED = (
    "mxnet.ndarray.gradient_namespace",
    "mxnet.numpy_extension",
    "mxnet.serialization.symbol_json",
    "mxnet.symbol.precision_casts",
)


def main(arguments: Sequence[str]) -> NoReturn:
    """Work on the task from standard input; given a socket and an engine, fork for each task."""
    if arguments:
        # A copy need not import what most tasks do.
        with suppress(NotRunError):
            mx = engine(arguments[1])
            for name in (*_LATER, *(_OF_BUNDLED if arguments[1] != "mxnet" else ())):
                importlib.import_module(name)
            assert mx.np is not None
        if RuntimeZygote(socket.socket(fileno=int(arguments[0]))).run() is None:
            os._exit(0)
    _work()


def _work() -> NoReturn:
    """Work on the task from standard input, then exit without waiting for threads of user code."""
    control, messages = _take_streams()
    task = json.loads(_task_text(control))
    operator_facts.learn(task["operators"])
    if not hasattr(os, "fork"):
        _alone(task, messages)
    else:
        supervisor = Supervisor(task, control, messages)
        supervisor.send({"event": "stage", **Stage("importing mxnet")._asdict()})
        supervisor.run()
    messages.flush()
    os._exit(0)


def _alone(task: Mapping[str, Any], messages: TextIO) -> None:
    """Work on a task in this process, on a system that cannot copy processes."""

    def send(message: Mapping[str, Any], _arrays: Any = ()) -> None:
        messages.write(json.dumps(message, default=str) + "\n")
        messages.flush()

    send({"event": "stage", **Stage("importing mxnet")._asdict()})
    limit(task)
    guard = enter(task)
    worker = Worker(task, send, guard, ProofEvidence(lambda _message, _arrays: None))
    try:
        with suppress(NotRunError):
            engine(task["engine"])
        send({"event": "ready"})
        names = worker.load()
    except NotRunError as error:
        worker.report_import()
        send({"event": "failed", **not_run(error), "stopped": guard.notes})
        return
    worker.report_import()
    importing = len(guard.notes)
    for name in names:
        worker.send_reads()
        send({"event": "start", "block": name})
        worker.judge(name)
        del guard.notes[importing:]
    worker.send_reads()
    send({"event": "end"})


def _task_text(control: int) -> bytes:
    """Return the task, after its length; the stream stays open while a process waits for the outcome."""
    size = int.from_bytes(_exactly(control, 8), "big")
    return _exactly(control, size)


def _exactly(source: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(source, min(size, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _take_streams() -> tuple[int, TextIO]:
    """Return the descriptor of the task, and a stream for messages on standard output.

    User code then prints to standard error and reads nothing.
    """
    control, messages = os.dup(0), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return control, messages
