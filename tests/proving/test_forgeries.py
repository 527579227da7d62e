"""No wrong block is called proved by what its code does to the process of the proof, and no other loses its outcome."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hybridlint.proving.process import ENDING

from . import forgeries

#: One of each family; `python -m tests.proving.forgeries` measures all of them.
IN_A_CALL = [
    "os._exit",
    "KeyboardInterrupt",
    "all descriptors closed",
    "print to all descriptors and end",
    "half a line",
    "a length of gigabytes",
    "json.dumps",
    "the worker's own message",
    "np.abs",
    "builtins",
    "functions of the proof",
    "asnumpy",
    "runs of the proof",
    "a fork",
]
AT_IMPORT = [
    "np.abs",
    "json's encoder",
    "asnumpy",
    "runs of the proof",
    "a length of gigabytes",
    "a thread that prints",
]


@pytest.mark.parametrize("name", IN_A_CALL)
def test_in_a_call(name: str) -> None:
    assert forgeries.failures(name, at_import=False, limit=20.0) == []


@pytest.mark.parametrize("name", AT_IMPORT)
def test_at_import(name: str) -> None:
    assert forgeries.failures(name, at_import=True, limit=20.0) == []


def test_nothing_that_a_proof_has_started_outlives_it_even_if_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(forgeries.module("signals ignored", at_import=True), encoding="utf-8")
    program = f"""
from pathlib import Path

from hybridlint.proving.prover import prove_file

prove_file(Path({str(path)!r}), Path({str(path)!r}).read_text(), None)
"""
    mark = {"LC_FORGERY": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, **mark})
    until = time.monotonic() + 30
    # The program, the process that is copied, the supervisor, and the process of the module.
    while len(_marked(str(tmp_path))) < 4 and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    until = time.monotonic() + 3 * ENDING
    while _marked(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert _marked(str(tmp_path)) == []


def _marked(mark: str) -> list[str]:
    """Return the processes whose environment has a mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"LC_FORGERY={mark}".encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
    return found
