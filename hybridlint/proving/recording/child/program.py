"""Running the user's program as python does, with the bundled runtime or a real mxnet."""

from __future__ import annotations

import atexit
import importlib
import os
import runpy
import signal
import sys
from collections.abc import Mapping
from typing import Any

from hybridlint.proving.recording.child.arrays import Arrays
from hybridlint.proving.recording.child.run_record import RunRecord
from hybridlint.proving.recording.child.unhybridized import stay_eager
from hybridlint.proving.recording.child.watch import Watcher


def run(task: Mapping[str, Any]) -> None:
    """Run and watch the program that a task names, and write the record however the program ends."""
    bundled = task["engine"] == "bundled"
    if bundled:
        importlib.import_module("hybridlint.launch.serve").serve()
    try:
        mx = importlib.import_module("mxnet")
    except ImportError as error:
        sys.exit(f"hybridlint record: {sys.executable} has no mxnet that can be imported: {error}")
    if task["eager"]:
        stay_eager(mx)
    watcher = Watcher(mx, task["root"], RunRecord(), Arrays(task["arrays"]) if task["arrays"] else None)
    watching = watcher.installed()
    watching.__enter__()
    process = os.getpid()

    def save() -> None:
        # Forked processes also get here.
        if os.getpid() == process:
            _save(watcher, task)

    atexit.register(save)
    _end_properly()
    if not task["eager"]:
        _advise_eager()
    if bundled:
        _run_served(task)
    else:
        _run_plain(task)


def _end_properly() -> None:
    """Make SIGTERM end the program with an exit, so that what was recorded so far is saved."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def _advise_eager() -> None:
    """After the traceback of a failed program, say how it can still be recorded."""
    report = sys.excepthook

    def excepthook(kind: Any, error: Any, trace: Any) -> None:
        report(kind, error, trace)
        if issubclass(kind, Exception):
            sys.stderr.write("hybridlint record: if it fails because it is hybridized, record it with --eager\n")

    sys.excepthook = excepthook


def _save(watcher: Watcher, task: Mapping[str, Any]) -> None:
    count = len(watcher.book.blocks)
    if watcher.problem is not None:
        sys.stderr.write(f"hybridlint record: some calls are not recorded: {watcher.problem}\n")
    if count:
        watcher.book.save(task["output"])
        recorded = f"{count} class{'es' if count > 1 else ''} in {os.path.relpath(task['output'])}"
    else:
        recorded = f"no block of a class in a file under {task['root']} was called"
    sys.stderr.write(f"hybridlint record: {recorded}\n")


def _run_served(task: Mapping[str, Any]) -> None:
    launch = importlib.import_module("hybridlint.launch.main_program")
    if not getattr(sys.flags, "safe_path", False):
        # Later replaced by the program's folder.
        sys.path.insert(0, "")
    start = launch.run_module if task["module"] else launch.run_script
    read_failure = importlib.import_module("hybridlint.frontends.program_failure").read_failure
    start(task["program"], task["arguments"], read_failure)


def _run_plain(task: Mapping[str, Any]) -> None:
    program = task["program"]
    sys.argv[:] = [program, *task["arguments"]]
    if task["module"]:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        folder = program if os.path.isdir(program) else os.path.dirname(program)
        sys.path.insert(0, os.path.realpath(folder))
        runpy.run_path(program, run_name="__main__")
