"""``check --fix -i`` writes the changes that are accepted, and ``check --watch`` runs again when a file changes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from hybridlint.frontends.commands.watch import states

from .conftest import BESIDE_PACKAGE, CommandLine
from .test_check import CLEAN, IN_PLACE

HEAD = "from mxnet import nd\nfrom mxnet.gluon import HybridBlock\n"


def _net(name: str, *, summed: bool = False, called: bool = False) -> str:
    """Return a class with two mistakes, of which some are repaired."""
    first = "x = x + 1" if summed else "x += 1"
    last = "F" if called else "nd"
    head = f"\n\nclass {name}(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
    return f"{head}        {first}\n        return {last}.relu(x)\n"


TEXT = HEAD + _net("A") + _net("B") + _net("C")


@pytest.mark.parametrize(
    ("answers", "classes"),
    [
        ("y\ny\ny\n", "ABC"),
        ("n\ny\nn\n", "B"),
        ("y\nq\n", "A"),
        ("n\na\n", "BC"),
        ("a\n", "ABC"),
        ("q\n", ""),
        ("Yes\n?\nwhat\nno\nyes\n", "AC"),
        ("y\n", "A"),
        ("", ""),
    ],
)
def test_what_is_accepted_is_written(cli: CommandLine, answers: str, classes: str) -> None:
    path = cli.write("net.py", TEXT)
    outcome = cli("check", "--fix", "-i", "--no-cache", stdin=answers.encode())
    written = "".join(_net(name, summed=name in classes, called=name in classes) for name in "ABC")
    head = HEAD.replace("from mxnet import nd\n", "") if classes == "ABC" else HEAD
    assert path.read_text(encoding="utf-8") == head + written
    assert outcome.status == (0 if classes == "ABC" else 1)
    assert "was not fixed" not in outcome.err


def test_the_fixes_of_a_class_one_by_one(cli: CommandLine) -> None:
    path = cli.write("net.py", HEAD + _net("A") + _net("B"))
    outcome = cli("check", "--fix", "-i", "--no-cache", stdin=b"s\nn\ny\nn\n")
    assert path.read_text(encoding="utf-8") == HEAD + _net("A", called=True) + _net("B")
    assert re.findall(r"net.py, (.*)", outcome.err) == [
        "class A: HYB302, HYB502",
        "class A: HYB302",
        "class A: HYB502",
        "class B: HYB302, HYB502",
    ]


def test_each_change_stands_above_its_proof(cli: CommandLine) -> None:
    cli.write("net.py", HEAD + _net("A"))
    outcome = cli("check", "--fix", "-i", "--verify", "--no-cache", stdin=b"y\n")
    assert outcome.status == 0
    _, change, proof = outcome.err.partition("+        return F.relu(x)\n")
    assert change
    assert "\nproved: eager before = eager after = compiled after\nApply? [y, n, a, s, q, ?] " in proof


@pytest.mark.parametrize("options", [["-i"], ["-i", "--fix", "--diff"], ["-i", "--fix", "--watch"]])
def test_what_it_does_not_go_with(cli: CommandLine, options: list[str]) -> None:
    cli.write("net.py", IN_PLACE)
    assert cli("check", *options).status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise there")
def test_it_watches(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PLACE)
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "hybridlint", "check", "--watch", "--output-format", "concise", "."]
    # Modules of the project are not taken for those of Python.
    cli.write("json.py", "raise SystemExit(3)\n")
    with subprocess.Popen(
        command,
        cwd=cli.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # What a shell without job control starts in the background ignores interrupts, and its children do.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as running:
        assert running.stdout is not None
        guard = Timer(100, running.kill)
        guard.start()
        try:
            lines = iter(running.stdout)
            assert next(line for line in lines if line.startswith(("Found", "All"))) == "Found 1 error.\n"
            next(line for line in lines if line.startswith("Watching"))
            path.write_text(CLEAN, encoding="utf-8")
            assert next(line for line in lines if "changed" in line) == "net.py changed.\n"
            assert next(line for line in lines if line.startswith(("Found", "All"))) == "All checks passed!\n"
            next(line for line in lines if line.startswith("Watching"))
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 0
        finally:
            guard.cancel()
            running.kill()


def test_what_is_watched(tmp_path: Path) -> None:
    for name in ("net.py", "notes.txt", ".venv/inner.py", "deep/other.ipynb", "hybridlint.toml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    assert {Path(name).name for name in states([tmp_path])} == {"net.py", "other.ipynb", "hybridlint.toml"}
    before = states([tmp_path])
    os.utime(tmp_path / "net.py", ns=(time.time_ns(), time.time_ns() + 1))
    assert states([tmp_path]) != before
