"""Loaders with workers: the same batches, errors that reach the program, and workers that end with their parent."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon.data import ArrayDataset, DataLoader, SimpleDataset


def _rows(loader: Any) -> list[list[float]]:
    return [batch.asnumpy().tolist() for batch in loader]


@pytest.mark.parametrize("threads", [False, True])
def test_workers_make_the_same_batches_in_order(threads: bool) -> None:
    dataset = SimpleDataset(list(range(10))).transform(lambda x: x * 2)
    loader = DataLoader(dataset, 4, num_workers=2, thread_pool=threads)
    assert _rows(loader) == _rows(DataLoader(dataset, 4)) == [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18]]
    assert len(loader) == 3
    assert _rows(loader)[0] == [0, 2, 4, 6], "a second epoch begins at the beginning"


def test_arrays_keep_their_dtype_on_the_way() -> None:
    dataset = ArrayDataset(np.ones((4, 2), np.uint8), mx.nd.ones((4, 3), dtype="float16"))
    [(data, label)] = DataLoader(dataset, 4, num_workers=1)
    assert (data.dtype, data.shape, label.dtype, label.shape) == (np.uint8, (4, 2), np.float16, (4, 3))


def test_an_epoch_can_be_begun_ahead() -> None:
    loader = DataLoader(SimpleDataset([1, 2, 3]), 2, num_workers=1, auto_reload=True)
    assert _rows(loader) == _rows(loader) == [[1, 2], [3]]
    loader.clean()
    assert _rows(loader) == [[1, 2], [3]]


def _fail(x: int) -> int:
    raise ZeroDivisionError(f"element {x}")


@pytest.mark.parametrize("threads", [False, True])
def test_errors_of_workers_reach_the_program(threads: bool) -> None:
    loader = DataLoader(SimpleDataset([7]).transform(_fail), 1, num_workers=1, thread_pool=threads)
    with pytest.raises(ZeroDivisionError, match="element 7"):
        next(iter(loader))


def test_a_worker_that_hangs_is_an_error() -> None:
    loader = DataLoader(SimpleDataset([5]).transform(time.sleep), 1, num_workers=1, timeout=0.2)
    with pytest.raises(RuntimeError, match="give DataLoader a longer"):
        next(iter(loader))


PROGRAM = """
import os, time
from hybridlint.runtime.gluon.data import DataLoader, SimpleDataset

class Slow(SimpleDataset):
    def __getitem__(self, place):
        os.write(1, f"{os.getpid()}\\n".encode())
        time.sleep(60)

if __name__ == "__main__":
    next(iter(DataLoader(Slow(list(range(8))), 1, num_workers=2)))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of POSIX")
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Any) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 20
        while any(map(_runs, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(_runs, workers))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().split()[2] != "Z"
    except OSError:
        return True


def test_records_and_arrays_can_be_pickled(tmp_path: Any) -> None:
    names = str(tmp_path / "x.idx"), str(tmp_path / "x.rec")
    writer = mx.recordio.MXIndexedRecordIO(*names, "w")
    writer.write_idx(3, b"three")
    with pytest.raises(AssertionError, match="open for writing"):
        writer.read()
    writer.close()
    reader = pickle.loads(pickle.dumps(mx.recordio.MXIndexedRecordIO(*names, "r")))
    assert reader.read_idx(3) == b"three"
    array = pickle.loads(pickle.dumps(mx.nd.arange(4, dtype="int32").reshape((2, 2))))
    assert (array.asnumpy().tolist(), array.dtype) == ([[0, 1], [2, 3]], np.int32)
