"""Loaders that go while their workers are busy: nothing hangs, and no process, thread or file descriptor is left."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.gluon.data import DataLoader, SimpleDataset

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts file descriptors in /proc")

# Each message is larger than a pipe, and sixteen are under way when the first one was read.
LEFT = """
import multiprocessing, os, signal, sys, threading
import numpy as np
from hybridlint.runtime.gluon.data import DataLoader

def leave(method, workers):
    loader = DataLoader(np.zeros((400, 2000)), 8, num_workers=workers, thread_pool=method == "threads")
    for batch in loader:
        break

if __name__ == "__main__":
    method, workers, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if method != "threads":
        multiprocessing.set_start_method(method)
    signal.signal(signal.SIGTERM, lambda *_: None)
    leave(method, workers)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(times):
        leave(method, workers)
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()
    print(len(os.listdir("/proc/self/fd")) - before, len(multiprocessing.active_children()))
"""

AT_EXIT = """
import os, signal, sys
import numpy as np
from hybridlint.runtime.gluon.data import DataLoader

signal.signal(signal.SIGTERM, lambda *_: None)
loader = DataLoader(np.zeros((400, 2000)), 8, num_workers=4, thread_pool=sys.argv[1] == "threads")
batches = iter(loader)
next(batches)
if sys.argv[1] == "fork":
    print(*(worker.process.pid for worker in loader._worker_pool._state.workers))
"""


def _run(folder: Path, program: str, *arguments: object) -> str:
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    command = [sys.executable, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(
    ("method", "workers", "times"), [("fork", 8, 5), ("threads", 8, 5), ("spawn", 2, 1), ("forkserver", 2, 1)]
)
def test_a_loop_may_be_left_after_its_first_batch(tmp_path: Path, method: str, workers: int, times: int) -> None:
    assert _run(tmp_path, LEFT, method, workers, times).split() == ["0", "0"], "descriptors and processes that are left"


@pytest.mark.parametrize("kind", ["fork", "threads"])
def test_a_program_ends_with_a_loader_that_is_busy(tmp_path: Path, kind: str) -> None:
    workers = [int(each) for each in _run(tmp_path, AT_EXIT, kind).split()]
    assert len(workers) == (4 if kind == "fork" else 0)
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


def _end(how: Any) -> Any:
    if isinstance(how, str):
        os.kill(os.getpid(), getattr(signal, how))
    if how is None:
        raise SystemExit(3)
    return np.float64(how)


@pytest.mark.parametrize(("how", "said"), [("SIGKILL", "was ended by signal 9"), (None, "exited with 3")])
def test_a_worker_that_dies_is_said_at_once_and_costs_its_batch_alone(how: Any, said: str) -> None:
    loader = DataLoader(SimpleDataset([how, 1, 2, 3]).transform(_end), 1, num_workers=2, prefetch=4)
    batches: Any = iter(loader)
    with pytest.raises(RuntimeError, match=f"{said}, and its batch is lost"):
        next(batches)
    batches._rcvd_idx += 1
    assert [float(batch.asscalar()) for batch in batches] == [1, 2, 3]


def test_without_a_worker_left_no_batch_is_waited_for() -> None:
    loader = DataLoader(SimpleDataset(["SIGKILL"] * 4).transform(_end), 1, num_workers=2, prefetch=4)
    batches: Any = iter(loader)
    for _ in range(4):
        with pytest.raises(RuntimeError, match="ended by signal 9"):
            next(batches)
        batches._rcvd_idx += 1


class _Two(Exception):  # noqa: N818
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def _raise_two(x: int) -> None:
    raise _Two(x, x)


def test_an_error_that_cannot_travel_is_said_in_words() -> None:
    loader = DataLoader(SimpleDataset([7]).transform(_raise_two), 1, num_workers=1)
    with pytest.raises(RuntimeError, match="_Two: 7 and 7") as caught:
        next(iter(loader))
    assert "in _raise_two" in str(caught.value.__cause__), "where it was raised is said"


def test_what_cannot_be_pickled_is_said_by_the_batch() -> None:
    loader = DataLoader(SimpleDataset([7]), 1, num_workers=1, batchify_fn=lambda rows: rows)
    with pytest.raises(Exception, match="pickle"):
        next(iter(loader))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_of_the_program_ends_no_worker() -> None:
    loader = DataLoader(SimpleDataset(list(range(6))), 2, num_workers=2)
    batches = iter(loader)
    next(batches)

    def forget() -> None:
        nonlocal loader, batches
        del loader, batches

    child = multiprocessing.get_context("fork").Process(target=forget)
    child.start()
    child.join()
    assert child.exitcode == 0
    assert [batch.asnumpy().tolist() for batch in batches] == [[2, 3], [4, 5]]


@pytest.mark.parametrize("threads", [False, True])
def test_a_pool_that_was_ended_says_so(threads: bool) -> None:
    loader = DataLoader(SimpleDataset(list(range(6))), 2, num_workers=1, thread_pool=threads)
    assert loader._worker_pool is not None
    loader._worker_pool.terminate()
    loader._worker_pool.terminate()
    with pytest.raises(ValueError, match="make a new DataLoader"):
        iter(loader)


class _Holds:
    """A function of batches that holds its loader, as a bound method of a trainer may."""

    loader: Any = None

    def __call__(self, rows: list[Any]) -> Any:
        self.loader = None
        return rows


def test_a_loader_may_go_in_a_thread_of_its_own() -> None:
    holds = _Holds()
    holds.loader = DataLoader(SimpleDataset(list(range(6))), 2, num_workers=1, thread_pool=True, batchify_fn=holds)
    answer = holds.loader._worker_pool.apply_async(holds, ([1],))
    assert answer.get(60) == [1]
