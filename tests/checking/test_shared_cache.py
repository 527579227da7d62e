"""A cache that many processes use at once: each finds what a lone one does, and so does the next."""

from __future__ import annotations

from pathlib import Path

from hybridlint.proving.process import Process
from tests import commands

HYBRID = """from mxnet.gluon import HybridBlock


class Net{number}(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.asnumpy()
"""
FILES, PROCESSES, ROUNDS = 20, 4, 2


def _begun(folder: Path, *options: str) -> Process:
    return commands.started(["check", "--isolated", "--output-format", "concise", *options, "."], cwd=folder)


def _found(process: Process) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout as told, process.stderr as complained:
        found = told.read().decode()
        assert complained.read() == b""
    process.wait()
    return found


def test_processes_that_share_a_cache_find_the_same(tmp_path: Path) -> None:
    for number in range(FILES):
        (tmp_path / f"net{number}.py").write_text(HYBRID.format(number=number))
    for changed in range(ROUNDS):
        # Some of a round find what others have just written, and some what is of the round before.
        (tmp_path / f"net{changed}.py").write_text(HYBRID.format(number=changed) + "\n\nx = 1\n")
        (tmp_path / f"new{changed}.py").write_text(HYBRID.format(number="New"))
        alone = _found(_begun(tmp_path, "--no-cache"))
        assert alone.count("HYB106") == FILES + changed + 1
        together = [_begun(tmp_path) for _ in range(PROCESSES)]
        assert [_found(process) for process in together] == [alone] * PROCESSES
        assert _found(_begun(tmp_path)) == alone
