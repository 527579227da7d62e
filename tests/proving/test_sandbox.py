"""Of a project that writes, connects and starts programs nothing is left, and each attempt is named."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import hybridlint
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.proving.process import COPIES
from hybridlint.proving.prover import prove_file
from hybridlint.proving.settings import ProofSettings
from tests.proving.conftest import construction_of

from . import hostile

BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])


def _held() -> bool:
    """Whether the system under the tests holds C code too."""
    program = (
        "from hybridlint.proving.child.sandbox.confinement import _held_by_the_system as hold; print(hold('/tmp').name)"
    )
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip() == "ALONE"


HELD = _held()
needs_system = pytest.mark.skipif(not HELD, reason="this system has neither Landlock nor a filter of system calls")


@dataclass(frozen=True)
class Scene:
    """A project, a folder outside of it, and a socket that listens; `state` is all that effects could change."""

    project: Path
    outside: Path
    listening: socket.socket
    mark: str

    @property
    def effects(self) -> dict[str, str]:
        port = self.listening.getsockname()[1]
        names = {"outside": str(self.outside), "project": str(self.project), "port": port}
        return {name: hostile.placed(effect, **names) for name, effect in hostile.EFFECTS.items()}

    def state(self) -> list[tuple[str, int, int, str]]:
        folders = (self.project, self.outside)
        return [_entry(path) for folder in folders for path in sorted([folder, *folder.rglob("*")])]

    def check_untouched(self, before: list[tuple[str, int, int, str]]) -> None:
        assert self.state() == before
        with pytest.raises(BlockingIOError):
            self.listening.accept()
        # The process that is copied runs nothing of the project and stays for the next proof.
        COPIES.end()
        assert not list(self._processes())

    def _processes(self) -> Iterator[str]:
        """Iterate over processes that have our mark, but for this one."""
        for folder in Path("/proc").glob("[0-9]*"):
            # Processes end meanwhile.
            with suppress(OSError):
                if self.mark.encode() in (folder / "environ").read_bytes() and folder.name != str(os.getpid()):
                    yield (folder / "cmdline").read_text()


def _entry(path: Path) -> tuple[str, int, int, str]:
    found = path.lstat()
    content = path.read_text(errors="replace") if path.is_file() else ""
    return str(path), found.st_mode, 0 if path.is_dir() else found.st_mtime_ns, content


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project / "package", outside / "folder", outside / "home", outside / "tmp"):
        folder.mkdir(parents=True)
    (project / "helper.py").write_text("x = 1\n")
    (outside / "kept.txt").write_text("kept")
    (outside / "folder" / "kept.txt").write_text("kept")
    database = __import__("sqlite3").connect(outside / "kept.db")
    database.execute("create table t (x)")
    database.execute("insert into t values (1)")
    database.commit()
    database.close()
    mark = uuid.uuid4().hex
    monkeypatch.setenv("HOME", str(outside / "home"))
    monkeypatch.setenv("MXNET_MARK", mark)
    monkeypatch.setattr(tempfile, "tempdir", str(outside / "tmp"))
    monkeypatch.chdir(project)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield Scene(project, outside, listening, mark)


@pytest.mark.parametrize("place", hostile.PLACES)
def test_nothing_is_left_and_each_attempt_is_named(scene: Scene, place: str) -> None:
    """Even where the code goes on after each error as if nothing were."""
    path = scene.project / "net.py"
    path.write_text(hostile.module(place, scene.effects))
    before = scene.state()
    (outcome,) = prove_file(path, path.read_text(), None, ProofSettings(timeout=60.0))
    scene.check_untouched(before)
    assert outcome.status is ProofStatus.PROVED, outcome
    assert f"it tries to write {scene.outside}/bare (in a thread)" in outcome.stopped
    placed = [told for told in outcome.stopped if not told.endswith(("(in a thread)", "(a system call)"))]
    assert all(told.startswith("it tries to ") and "(net.py:" in told for told in placed)
    rows = {int(told.rpartition(":")[2].rstrip(")")) for told in placed}
    lines = path.read_text().splitlines()
    for name, effect in scene.effects.items():
        named = name not in (*hostile.ALLOWED, hostile.PLACELESS, *(hostile.NAMELESS if HELD else ()))
        assert (lines.index(f"        {effect}") + 1 in rows) == named, (name, outcome.stopped)


@pytest.mark.parametrize("layer", ["python", pytest.param("system", marks=needs_system)])
def test_each_layer_holds_alone(scene: Scene, layer: str) -> None:
    scratch = scene.outside / "tmp" / "scratch"
    effects = {n: e for n, e in scene.effects.items() if layer == "system" or n not in hostile.UNSEEN}
    program = [
        "import json, os, sys",
        "from hybridlint.proving.child.sandbox import guard, confinement as sandbox",
        "sandbox._held_by_the_system = lambda scratch, **_: sandbox.Hold.NONE" if layer == "python" else "",
        "guard.AuditGuard.install = lambda self: None" if layer == "system" else "",
        f"os.makedirs({str(scratch / 'work')!r}); os.chdir({str(scratch / 'work')!r})",
        "os.mkdir('../home'); os.mkdir('../tmp')",
        f"sandbox.enter({{'scratch': {str(scratch)!r}, 'shown': '/', 'project': {str(scene.project)!r}}})",
        "import hybridlint.launch.serve; hybridlint.launch.serve.serve(); import mxnet as mx",
        "done = []",
        *(f"try:\n    {e}\n    done.append({n!r})\nexcept BaseException:\n    pass" for n, e in effects.items()),
        "print(json.dumps(done), flush=True)",
        "os._exit(0)",
    ]
    (scene.outside / "tmp" / "program.py").write_text("\n".join(program))
    before = [entry for entry in scene.state() if str(scratch) not in entry[0]]
    done = subprocess.run(
        [sys.executable, str(scene.outside / "tmp" / "program.py")],
        cwd=scene.project,
        env={**os.environ, "PYTHONPATH": BESIDE_PACKAGE, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [entry for entry in scene.state() if str(scratch) not in entry[0]] == before, done.stdout
    happened = set(json.loads(done.stdout)) - {"thread", hostile.PLACELESS}
    assert happened == set(hostile.ALLOWED) or (layer == "system" and happened > set(hostile.ALLOWED))


@pytest.mark.parametrize(
    ("place", "name", "told"),
    [
        ("CONSTRUCTOR", "subprocess", "it tries to start the program `touch`, which a proof stops"),
        ("FORWARD", "socket", "it tries to open a connection to 127.0.0.1:PORT, which a proof stops"),
        ("FORWARD", "remove", "it tries to delete OUTSIDE/kept.txt, which a proof stops"),
        ("TRACE", "fork", "it tries to start another process, which a proof stops"),
    ],
)
def test_what_is_stopped_is_no_fault_of_the_block(scene: Scene, place: str, name: str, told: str) -> None:
    path = scene.project / "net.py"
    path.write_text(hostile.module(place, {name: scene.effects[name]}, swallowed=False))
    (outcome,) = prove_file(path, path.read_text(), None, ProofSettings(timeout=60.0))
    assert outcome.status is ProofStatus.NOT_RUN
    port = scene.listening.getsockname()[1]
    told = hostile.placed(told, outside=str(scene.outside), project=str(scene.project), port=port)
    assert outcome.reason == told
    assert outcome.failed_row == 8
    assert outcome.add is not None


SECRETIVE = """\
class Net(nn.HybridBlock):
    # hybridlint: verify(x=("N", 4))
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        told = open("/proc/self/environ").read() if os.path.exists("/proc/self/environ") else ""
        assert "hybridlint-secret" not in f"{dict(os.environ)} {told}"
        assert os.path.isfile("helper.py"), "the current folder shows what is in that of the user"

    def hybrid_forward(self, F, x):
        return F.relu(x)
"""


def test_secrets_of_the_environment_stay_there(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "hybridlint-secret")
    text = hostile.HEAD.replace("EFFECTS", "    pass") + SECRETIVE
    (outcome,) = prove_file(scene.project / "net.py", text, None, ProofSettings(timeout=60.0))
    assert outcome.status is ProofStatus.PROVED, outcome.reason


UNASKED = """\
class Net(nn.HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.layer = nn.Dense(units.pop())

    def hybrid_forward(self, F, x):
        return self.layer(x)


def convert():
    print("converting")
    return Net([3])


def convert_quietly():
    return Net([3])


def cached():
    with open("OUTSIDE/kept.txt") as stream:
        return Net([len(stream.read())])


def from_elsewhere():
    return Net(helper.sizes())


def net():
    return Net(helper.harmless())
"""


def test_functions_are_called_unasked_only_where_they_build_and_do_nothing_else(scene: Scene) -> None:
    (scene.project / "helper.py").write_text(
        "import os\n\n\ndef sizes():\n    os.remove('kept')\n    return [4]\n\n\ndef harmless():\n    return [5]\n"
    )
    text = f"import helper\nfrom mxnet.gluon import nn\n\n\n{UNASKED.replace('OUTSIDE', str(scene.outside))}"

    def built(text: str) -> list[str]:
        known = construction_of(scene.project / "net.py", text)
        return list(known.building(["Net"]))

    assert built(text) == ["net()"]
    package = text.replace("import helper\n", "from . import helper\n")
    assert built(package) == ["net()"]
    unknown = text.replace("import helper\n", "import helpers as helper\n")
    assert built(unknown) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere a process outlives the one that began it")
def test_a_proof_ends_with_the_program_that_asked_for_it(scene: Scene) -> None:
    (scene.project / "net.py").write_text(f"{hostile.module('FORWARD', {'pass': 'pass'})}\nwhile True:\n    pass\n")
    program = "import sys; sys.argv[1:] = ['verify', '.']; from hybridlint.frontends.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE}
    with subprocess.Popen([sys.executable, "-c", program], cwd=scene.project, env=environment) as process:
        for _ in range(600):
            if len(list(scene._processes())) > 1:
                break
            time.sleep(0.1)
        else:
            raise AssertionError("the child has not begun")
        time.sleep(1)
        process.kill()
    for _ in range(100):
        if not list(scene._processes()):
            return
        time.sleep(0.1)
    raise AssertionError("the child goes on")
