"""Files checked and blocks proved by real processes of Dask: the same results as here, whatever happens to a worker."""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the cluster's tests need Dask: pip install 'hybridlint[dask]'")

from hybridlint.checking.cluster.checks import checking_on
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.system.lifeline import KERNEL, Lifeline
from tests.constructs.sections import constructs

FILES = 70
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of constructs, one of which imports another, and a file that does not parse."""
    folder = tmp_path_factory.mktemp("project")
    for number, construct in enumerate(list(constructs())[:: 2752 // FILES][:FILES]):
        (folder / f"m{number}.py").write_text(construct.module, encoding="utf-8")
    (folder / "broken.py").write_text("def hybrid_forward(\n", encoding="utf-8")
    (folder / "helpers.py").write_text("def first(x):\n    return x[0]\n", encoding="utf-8")
    (folder / "uses.py").write_text(
        "from mxnet.gluon import HybridBlock\nfrom helpers import first\n\n\nclass Net(HybridBlock):\n"
        "    def hybrid_forward(self, F, x):\n        return first(x)\n",
        encoding="utf-8",
    )
    return folder


class Processes:
    """A scheduler and its workers. On Linux they end with this process, however it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        self.lifelines: list[Lifeline] = []
        self.all = [self._start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show")]

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, *arguments]
        lifeline = Lifeline.new()
        kept = [lifeline.reading] if KERNEL else []
        with open(self.folder / "log", "ab") as log:
            started = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True, pass_fds=kept
            )
        lifeline.hold(-started.pid)
        lifeline.close_other()
        self.lifelines.append(lifeline)
        return started

    def add_worker(self) -> subprocess.Popen[bytes]:
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder)]
        worker = self._start("worker", self.address, *options)
        self.all.append(worker)
        return worker

    def wait(self, workers: int) -> None:
        distributed: Any = importlib.import_module("distributed")
        with distributed.Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)

    def end(self) -> None:
        for process in self.all:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for lifeline in self.lifelines:
            lifeline.release()


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    found = Processes(tmp_path_factory.mktemp("dask"))
    try:
        found.add_worker()
        found.wait(1)
        yield found
    finally:
        found.end()


def _hybridlint(folder: Path, *arguments: str) -> tuple[int, Any, str]:
    command = [sys.executable, "-m", "hybridlint", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [("--output-format", "json"), ("--diff", "--unsafe-fixes"), ("--possible",)])
def test_findings_are_those_of_a_run_on_this_machine(
    project: Path, processes: Processes, arguments: tuple[str, ...]
) -> None:
    here = _hybridlint(project, "check", "--no-cache", *arguments, ".")
    there = _hybridlint(project, "check", "--no-cache", *arguments, "--cluster", processes.address, ".")
    assert there == here
    assert here[0] in {1, 2}
    assert "m1.py" in here[1]


def test_a_worker_that_is_killed_loses_nothing_and_progress_is_told(
    project: Path, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    doomed = processes.add_worker()
    processes.wait(2)
    told: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> None:
        if not told:
            os.killpg(doomed.pid, signal.SIGKILL)
            doomed.wait()
        told.append((done, of))

    here = CheckSession(use_cache=False)
    there = CheckSession(use_cache=False, elsewhere=checking_on(processes.address), progress=progress)
    files = here.files([Path()])
    assert there.check(files) == here.check(files)
    assert told == [(done, len(files)) for done in range(1, len(files) + 1)]


def test_proofs_are_those_of_a_run_on_this_machine(tmp_path: Path, processes: Processes) -> None:
    (tmp_path / "net.py").write_text(
        "from mxnet.gluon import HybridBlock\n\n\nclass Right(HybridBlock):\n"
        "    # hybridlint: shapes(x=(2, 3))\n    def hybrid_forward(self, F, x):\n        return F.relu(x)\n\n\n"
        "class Wrong(HybridBlock):\n    # hybridlint: shapes(x=(2, 3))\n"
        "    def hybrid_forward(self, F, x):\n        return x + x.shape[0]\n",
        encoding="utf-8",
    )
    arguments = ("verify", "--no-cache", "--output-format", "json", "net.py")
    found = [_hybridlint(tmp_path, *arguments), _hybridlint(tmp_path, *arguments, "--cluster", processes.address)]
    outcomes = [[(each["block"], each["status"]) for each in json.loads(out)] for _, out, _ in found]
    assert outcomes[0] == outcomes[1]
    assert [status for _, status in outcomes[0]][:2] == ["proved", "refuted"]
    assert found[0][0] == found[1][0] == 1


def test_a_file_that_a_worker_does_not_see_is_no_silent_difference(project: Path, processes: Processes) -> None:
    from hybridlint.checking.checker import Job
    from hybridlint.checking.cluster.client import Cluster
    from hybridlint.project.settings.config import Config

    job = Job(project / "helpers.py", b"x = 1\n", Config(root=project))
    with Cluster(processes.address) as cluster, pytest.raises(UsageError, match=r"does not see .*helpers\.py as it is"):
        list(cluster.spread([(0, job)]))


def test_a_scheduler_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        status, out, said = _hybridlint(tmp_path, "check", "--cluster", address, ".")
    assert (status, out) == (2, "")
    assert "no Dask scheduler answers" in said
    assert "Traceback" not in said


@pytest.mark.skipif(not KERNEL, reason="only Linux tells a process that another one has ended")
def test_a_run_of_these_tests_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.checking.cluster.test_cluster import Processes\n"
        "it = Processes(Path(sys.argv[1])); it.add_worker()\n"
        "print(*(each.pid for each in it.all), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        left = [int(each) for each in run.stdout.readline().split()]
        run.kill()
    assert len(left) == 2
    assert all(map(_ends, left))


def _ends(number: int) -> bool:
    """Whether a process is gone, or dead and not yet asked for, within half a minute."""
    for _ in range(300):
        try:
            state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False
