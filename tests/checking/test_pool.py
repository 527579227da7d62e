"""The processes of a check: what a lost one was doing is done again, and all of them end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hybridlint.checking import pool as pools
from hybridlint.checking.checker import Job
from hybridlint.checking.pool import Batch, WorkerPool
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")

PATIENCE = 60


def _job(name: str) -> Job:
    return Job(Path(name), b"", Config(root=Path()))


def _checked(batches: list[Batch]) -> dict[int, Result]:
    pool = WorkerPool(multiprocessing.get_context("fork"), 2, iter([batches]))
    try:
        found = list(pool.results())
    finally:
        pool.end()
    assert len(found) == len(dict(found))
    return dict(found)


def _kills(folder: Path, times: int) -> None:
    """End this process, at most so many times in all."""
    for number in range(times):
        try:
            (folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)


def _with_check_that_kills(monkeypatch: pytest.MonkeyPatch, folder: Path, times: int) -> None:
    def check(job: Job) -> Result:
        if job.path.name == "heavy.py":
            _kills(folder, times)
        return Result(job.path, text="checked")

    monkeypatch.setattr(pools, "check", check)


BATCHES = [
    Batch([(0, _job("a.py")), (1, _job("heavy.py")), (2, _job("b.py"))]),
    Batch([(3, _job("c.py")), (4, _job("d.py"))]),
]


def test_files_of_a_lost_process_are_checked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _with_check_that_kills(monkeypatch, tmp_path, times=1)
    found = _checked(BATCHES)
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert all(result.text == "checked" for result in found.values())


def test_a_file_that_costs_two_processes_is_named_and_the_others_are_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _with_check_that_kills(monkeypatch, tmp_path, times=9)
    found = _checked(BATCHES)
    assert [n for n, result in sorted(found.items()) if result.failure is None] == [0, 2, 3, 4]
    assert found[1].path == Path("heavy.py")
    assert str(found[1].failure).startswith("the process that checked the file was ended twice, by SIGKILL")
    assert len(list(tmp_path.iterdir())) == 2


def test_all_windows_are_taken_even_empty_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _with_check_that_kills(monkeypatch, tmp_path, times=0)
    pool = WorkerPool(multiprocessing.get_context("fork"), 2, iter([[], [BATCHES[0]], [], [BATCHES[1]]]))
    pool.begin(Batch([(5, _job("light.py"))], aside=True))
    try:
        assert sorted(number for number, _ in pool.results()) == [0, 1, 2, 3, 4, 5]
    finally:
        pool.end()


#: Starts two processes that would work for ever, tells their numbers, and waits for them.
ENDLESS = """
import multiprocessing, os, sys, time
from pathlib import Path
from hybridlint.checking import pool as pools
from hybridlint.checking.checker import Job
from hybridlint.project.settings.config import Config

def check(job):
    os.write(told, f"{os.getpid()}\\n".encode())
    while True:
        time.sleep(1)

told = int(sys.argv[1])
pools.check = check
batches = [pools.Batch([(number, Job(Path("a.py"), b"", Config(root=Path())))]) for number in range(2)]
list(pools.WorkerPool(multiprocessing.get_context("fork"), 2, iter([batches])).results())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_a_parent_that_is_killed(number: signal.Signals) -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(reading, "rb", buffering=0) as told,
        subprocess.Popen(
            [sys.executable, "-c", ENDLESS, str(writing)], pass_fds=[writing], stdout=subprocess.PIPE
        ) as parent,
    ):
        os.close(writing)
        workers = [int(told.readline()) for _ in range(2)]
        parent.send_signal(number)
        assert parent.stdout is not None
        # Whoever reads the output of the command is not kept waiting by its processes: all ends of the pipes close.
        assert parent.stdout.read() == b""
        assert told.read() == b""
        deadline = time.monotonic() + PATIENCE
        while any(map(_runs, workers)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not any(map(_runs, workers))


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
