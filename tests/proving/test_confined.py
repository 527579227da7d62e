"""What a module does to its process, by C code too, changes nothing outside, is named, and costs no other block."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child import watch
from hybridlint.proving.child.disk_usage import unlinked_bytes, usage
from hybridlint.proving.prover import prove_file
from hybridlint.proving.settings import ProofSettings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system confines nothing elsewhere")

HEAD = """\
import ctypes
import gc
import json
import os
import struct
import tempfile
import time

import mxnet as mx
from mxnet.gluon import HybridBlock


for found in gc.get_objects():
    if type(found).__name__ == "AuditGuard" and hasattr(found, "handlers"):
        found.handlers.clear()
c = ctypes.CDLL(None, use_errno=True)


def say(message):
    text = json.dumps({"message": message, "arrays": []}).encode()
    data = struct.pack(">8sIQ", b"hybrid\\0\\1", len(text), 0) + text
    for number in range(3, 100):
        try:
            if not os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):
                continue
        except OSError:
            continue
        last = number
    while data:
        data = data[os.write(last, data) :]


IMPORT


class Attack(HybridBlock):
    # hybridlint: verify(x=("N", 4))
    def hybrid_forward(self, F, x):
        if not hasattr(mx, "_once"):
            mx._once = 1
            CALL
        return F.relu(x)


class Right(HybridBlock):
    # hybridlint: verify(x=("N", 4))
    def hybrid_forward(self, F, x):
        return F.relu(x)
"""


STAGE = {"event": "stage", "stage": "running", "variant": None, "seconds": 0.0, "verdict": None, "within": None}
#: Says it with the mark of the proof, which is in the channel during the import.
MARKED = """
import socket


def say_marked(message):
    text = json.dumps({"message": message, "arrays": []}).encode()
    for number in range(3, 100):
        try:
            with socket.socket(fileno=os.dup(number)) as channel:
                mark = channel.recv(16, socket.MSG_PEEK | socket.MSG_DONTWAIT)
                channel.send(mark + struct.pack(">IQ", len(text), 0) + text)
        except OSError:
            continue


"""
#: Messages of a right shape that end, replace or hide an outcome, if somebody believes them.
FORGED: list[dict[str, object]] = [
    {"event": "loaded", "names": []},
    {"event": "loaded", "names": ["Attack", "Other"]},
    {"event": "failed", "reason": "a lie", "add": None, "row": 1},
    {"event": "ended", "block": "Attack", "status": 9},
    {"event": "module end", "row": 1, "reason": "a lie", "add": None, "fixed": False},
    {"event": "read", "files": ["/a"], "folders": ["/"]},
    {"event": "ready"},
    {"event": "start", "block": "Right"},
    {"event": "outcome", "status": "refuted", "reason": "a lie"},
    {"event": "trial", "trial": 1},
    {"event": "end"},
    {**STAGE, "optional": None},
    {**STAGE, "stage": "importing the module", "optional": None, "within": 0.0},
    {**STAGE, "stage": "importing the module", "optional": "line 1", "within": 0.0},
]


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def proved(
    folder: Path, *, at_import: str = "pass", in_call: str = "pass", timeout: float = 30.0
) -> dict[str, ProofOutcome]:
    path = folder / "net.py"
    path.write_text(HEAD.replace("IMPORT", at_import).replace("CALL", in_call))
    return {o.block: o for o in prove_file(path, path.read_text(), None, ProofSettings(timeout=timeout))}


def test_calls_that_reach_others_are_refused_and_named(tmp_path: Path, victim: subprocess.Popen[bytes]) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("kept")
    attempts = "; ".join(
        [
            f"c.kill({victim.pid}, 9), c.kill(os.getppid(), 9), c.kill(0, 0)",
            f"c.prlimit({victim.pid}, 0, (ctypes.c_ulong * 2)(1, 1), None)",
            f"c.setpriority(0, {victim.pid}, 19), c.shmget(0, 9, 0o1600), c.msgget(0, 0o1600), c.semget(0, 1, 0o1600)",
            "c.mknod(b'device', 0o60600, 0x700), c.fork(), c.unshare(0x10000000), c.setsid()",
            f"c.chmod({str(outside).encode()!r}, 0), c.flock(os.open({str(outside)!r}, 0), 2)",
        ]
    )
    found = proved(tmp_path, in_call=attempts)
    assert {name: outcome.status for name, outcome in found.items()} == dict.fromkeys(found, ProofStatus.PROVED)
    told = {note.partition(" (")[0].removeprefix("it tries to ") for note in found["Attack"].stopped}
    calls = ("kill", "prlimit64", "setpriority", "shmget", "msgget", "semget", "unshare", "setsid")
    assert told >= {f"call `{name}`" for name in calls}
    assert told >= {"start another process", f"change {outside}", f"lock {outside}"}
    assert found["Right"].stopped == ()
    assert victim.poll() is None
    assert os.getpriority(os.PRIO_PROCESS, victim.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    assert outside.stat().st_mode & 0o777


def test_processes_that_fork_and_end_in_a_loop_do_not_begin(tmp_path: Path) -> None:
    found = proved(tmp_path, at_import="for _ in range(16):\n    assert c.fork() == -1")
    assert {outcome.status for outcome in found.values()} == {ProofStatus.PROVED}
    assert all("it tries to start another process (a system call)" in outcome.stopped for outcome in found.values())


def test_signals_to_itself_are_its_own_affair(tmp_path: Path) -> None:
    found = proved(tmp_path, in_call="c.abort()")
    assert "SIGABRT" in found["Attack"].reason
    assert found["Right"].status is ProofStatus.PROVED


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ({"event": "outcome", "status": "great", "reason": 5}, "`status` must be one of proved, refuted, not run"),
        ({"event": "stage"}, "it has no `stage`"),
        ({"event": "read", "files": [1], "folders": []}, "`files[0]` must be a path"),
        ({"event": "end"}, "`event` must be one of"),
        ({**STAGE, "optional": "something else"}, "`optional` must be one of"),
    ],
)
def test_a_malformed_message_costs_its_block_alone(tmp_path: Path, message: object, wrong: str) -> None:
    found = proved(tmp_path, in_call=f"say({message!r}); time.sleep(20)")
    assert found["Attack"].status is ProofStatus.NOT_RUN
    assert found["Attack"].reason.startswith(f"the block's process sent a malformed message: {wrong}")
    assert found["Right"].status is ProofStatus.PROVED


def test_a_malformed_message_during_the_import_is_left_out_and_named(tmp_path: Path) -> None:
    found = proved(tmp_path, at_import="say({'event': 'failed'}); say({'event': 'loaded', 'names': 5})")
    assert {outcome.status for outcome in found.values()} == {ProofStatus.PROVED}
    assert any("a malformed message: `event` must be one of stage, ready" in note for note in found["Right"].stopped)


def test_who_ignores_signals_costs_no_other_block(tmp_path: Path) -> None:
    ignoring = "import signal; [signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)]"
    found = proved(tmp_path, at_import=ignoring, in_call="os._exit(3)")
    assert found["Attack"].reason.startswith("it ended the process with exit status 3")
    assert found["Right"].status is ProofStatus.PROVED


def test_who_reads_the_mark_takes_no_outcome_either(tmp_path: Path) -> None:
    forged = "; ".join(f"say_marked({message!r})" for message in FORGED if message["event"] != "module end")
    found = proved(tmp_path, at_import=f"{MARKED}{forged}")
    statuses = {"Attack": ProofStatus.PROVED, "Right": ProofStatus.PROVED}
    # A block that does not exist is only named if the forged message comes before the true one, which differs by run.
    statuses |= {"Other": ProofStatus.NOT_RUN} if "Other" in found else {}
    assert {name: outcome.status for name, outcome in found.items()} == statuses


def test_no_message_of_the_import_takes_the_place_of_an_outcome(tmp_path: Path) -> None:
    forged = "; ".join(f"say({message!r})" for message in (*FORGED, *({**m, "block": "Right"} for m in FORGED)))
    found = proved(tmp_path, at_import=forged)
    assert {name: outcome.status for name, outcome in found.items()} == dict.fromkeys(found, ProofStatus.PROVED)
    assert found.keys() == {"Attack", "Right"}
    assert all(outcome.module_end is None and outcome.stopped for outcome in found.values())


@pytest.mark.parametrize("ending", ["os._exit(3)", "time.sleep(60)"])
def test_who_names_another_statement_ends_alone(tmp_path: Path, ending: str) -> None:
    row = HEAD[: HEAD.index("import mxnet")].count("\n") + 1
    stage = {"event": "stage", "stage": "importing the module", "optional": f"line {row}", "within": 0.0}
    found = proved(tmp_path, at_import=f"say({stage!r}); {ending}", timeout=12.0)
    assert {name: outcome.status for name, outcome in found.items()} == dict.fromkeys(found, ProofStatus.PROVED)
    assert all("the module ends early at line" in str(outcome.module_end) for outcome in found.values())


def test_too_many_files_end_the_block_and_no_other(tmp_path: Path) -> None:
    making = f"[open(f'{{tempfile.gettempdir()}}/{{k}}', 'w').close() for k in range({watch._MOST_FILES + 100})]"
    found = proved(tmp_path, in_call=making)
    assert found["Attack"].reason == "it makes more than 10,000 files or 1,000 folders"
    assert found["Right"].status is ProofStatus.PROVED


def test_usage_counts_what_is_on_disk_and_no_links(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"x" * 10_000)
    (tmp_path / "a" / "link").symlink_to("/")
    found = usage(str(tmp_path), 10)
    assert (found.files, found.folders, found.whole) == (1, 2, True)
    assert found.disk >= 10_000
    assert usage(str(tmp_path), 1).files + usage(str(tmp_path), 1).folders == 2


def test_files_that_no_folder_has_any_more_count_too(tmp_path: Path) -> None:
    with open(tmp_path / "file", "wb") as stream:
        stream.write(b"x" * 100_000)
        stream.flush()
        assert unlinked_bytes(os.getpid(), str(tmp_path)) == 0
        (tmp_path / "file").unlink()
        assert unlinked_bytes(os.getpid(), str(tmp_path)) >= 100_000
