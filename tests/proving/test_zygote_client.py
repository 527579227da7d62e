"""Proofs run in copies of a process that has imported the runtime: each as if it had been started for it alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving import zygote_client
from hybridlint.proving.child import runtime_zygote
from hybridlint.proving.process import COPIES

from .conftest import module

Prove = Callable[..., dict[str, ProofOutcome]]

pytestmark = pytest.mark.skipif(not zygote_client.POSSIBLE, reason="each proof starts a process of its own here")
NET = """
class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2
"""
#: Leaves something behind in the modules that a copy shares with others.
CHANGED = """
assert not hasattr(mx, "left") and "LEFT" not in os.environ
mx.left = os.environ["LEFT"] = "here"
"""


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    COPIES.end()
    yield
    COPIES.end()


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The processes that are started for proofs, by their arguments after the interpreter."""
    found: list[list[str]] = []
    popen = subprocess.Popen

    def noted(command: list[str], **options: object) -> object:
        found.append(command[2:])
        return popen(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", noted)
    return found


def proved(prove: Prove, text: str = NET) -> bool:
    return prove(text)["Net"].status is ProofStatus.PROVED


def test_the_runtime_is_imported_once(prove: Prove, started: list[list[str]]) -> None:
    assert all(proved(prove) for _ in range(3))
    assert len(started) == 1


def test_no_proof_meets_what_another_has_left(prove: Prove) -> None:
    assert all(proved(prove, CHANGED + NET) for _ in range(2))


def test_threads_have_copies_of_their_own(tmp_path: Path, prove: Prove, started: list[list[str]]) -> None:
    names = [f"net{number}.py" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: prove(NET, name=name)["Net"].status, names))
    assert found == [ProofStatus.PROVED] * 4
    assert len(started) == 1


def test_another_environment_needs_another_import(
    prove: Prove, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proved(prove)
    monkeypatch.setenv("MXNET_ANYTHING", "1")
    assert proved(prove, "assert os.environ['MXNET_ANYTHING'] == '1'\n" + NET)
    assert len(started) == 2


def test_once_it_has_been_killed_there_is_another(prove: Prove, started: list[list[str]]) -> None:
    assert proved(prove)
    last = COPIES.process
    assert last is not None
    last.kill()
    last.wait()
    assert proved(prove)
    assert len(started) == 2


def test_a_forked_process_asks_the_same(prove: Prove, started: list[list[str]]) -> None:
    assert proved(prove)
    forked = os.fork()
    if not forked:
        try:
            os._exit(0 if proved(prove) and len(started) == 1 else 1)
        finally:
            os._exit(2)
    assert os.waitpid(forked, 0)[1] == 0
    assert proved(prove)
    assert len(started) == 1


def test_where_none_can_be_made_a_process_is_started(
    tmp_path: Path, prove: Prove, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: object, **_options: object) -> zygote_client.ForkedProcess:
        raise zygote_client.NoForkError

    monkeypatch.setattr(COPIES, "copy", refused)
    assert proved(prove)
    assert started == [[]]


def test_a_copy_tells_how_it_ends(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""\
import os, signal, socket, sys

sys.path.append({str(Path(runtime_zygote.__file__).parents[3])!r})
from hybridlint.proving.child.runtime_zygote import RuntimeZygote

request = RuntimeZygote(socket.socket(fileno=int(sys.argv[1]))).run()
if request is None:
    os._exit(0)
line = sys.stdin.readline()
print(os.getcwd(), line, flush=True)
os.kill(os.getpid(), signal.SIGKILL) if line == "kill\\n" else sys.exit(request["status"])
""",
        encoding="utf-8",
    )
    served = zygote_client.ZygoteClient()
    for line, status in (("end\n", 3), ("kill\n", -signal.SIGKILL)):
        one = served.copy(
            zygote_client.ZygoteProgram(program, (), dict(os.environ)), tmp_path, within=60.0, status=status
        )
        assert one.poll() is None
        one.stdin.write(line.encode())
        one.stdin.close()
        assert one.stdout.read().decode() == f"{tmp_path} {line}\n"
        assert one.wait(60.0) == one.poll() == status
        assert one.stderr.read() == b""
        one.stdout.close()
        one.stderr.close()
    served.end()


def test_a_program_that_ends_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(module(NET), encoding="utf-8")
    program = f"""
from pathlib import Path
from hybridlint.proving.process import COPIES
from hybridlint.proving.prover import prove_file

path = Path({str(path)!r})
prove_file(path, path.read_text(), None)
print(COPIES.process.pid)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not Path(f"/proc/{int(done.stdout)}").exists()
