"""What is recorded of a program: the same as under the real MXNet 1.9.1, which `recorded.json` keeps.

``hybridlint record --python PYTHON_WITH_MXNET --output ../recorded.json train.py``, in `project`, asks it anew.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from hybridlint.frontends.commands.record import command
from tests import commands

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Project:
    """A copy of the project with the programs that are run in it."""

    folder: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run hybridlint in the folder."""
        return commands.text(arguments, cwd=self.folder)

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        (self.folder / name).write_text(text, encoding="utf-8")

    @property
    def record(self) -> Path:
        """Where the record stands."""
        return self.folder / ".hybridlint" / "recorded.json"

    @property
    def blocks(self) -> Any:
        """What is recorded of each class."""
        return json.loads(self.record.read_text(encoding="utf-8"))["blocks"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(HERE / "project", tmp_path / "project")))


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_record_is_that_of_mxnet(project: Project) -> None:
    done = project.run("record", "--", "python", "-u", "train.py")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        0,
        "hybridlint record: 3 classes in .hybridlint/recorded.json",
    )
    assert project.record.read_text(encoding="utf-8") == (HERE / "recorded.json").read_text(encoding="utf-8")


def test_the_example_of_the_page_is_part_of_it() -> None:
    page = HERE.parents[2] / "docs" / "recording.md"
    if not page.is_file():
        pytest.skip("runs in a checkout only")
    (example,) = re.findall(r"^```json\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    known = {line.strip().rstrip(",") for line in (HERE / "recorded.json").read_text(encoding="utf-8").splitlines()}
    assert {line.strip().rstrip(",") for line in example.splitlines()} <= known


def test_a_program_that_fails_is_recorded_as_far_as_it_came(project: Project) -> None:
    done = project.run("record", "train.py", "fail")
    assert done.returncode == 1
    assert "ValueError: as it was asked to" in done.stderr
    assert set(project.blocks) == {"model.py:Head", "model.py:Net", "model.py:Steps"}


def test_what_is_recorded_is_proved(project: Project) -> None:
    """Neither a lambda nor the list of states could be guessed."""
    project.run("record", "train.py")
    done = project.run("verify", "model.py", "--output-format", "json")
    outcomes = {outcome["block"]: outcome for outcome in json.loads(done.stdout)}
    assert {name: outcome["status"] for name, outcome in outcomes.items()} == dict.fromkeys(
        ("Head", "Net", "Steps"), "proved"
    )
    assert outcomes["Head"]["setup"] == " as `head` of Net(100) on x (N, T, 8), mask (N, T, 1)"
    assert outcomes["Head"]["rounds"] == [{"N": 2, "T": 7}, {"N": 3, "T": 9}]


SLOW = """\
import time

from mxnet.gluon import nn


class Slow(nn.HybridBlock):
    def __init__(self, seconds=0.0, **kwargs):
        super().__init__(**kwargs)
        self.seconds = seconds

    def hybrid_forward(self, F, x):
        time.sleep(self.seconds)
        return F.relu(x)
"""


def test_what_takes_too_long_for_a_proof_is_left_aside(empty: Project) -> None:
    empty.write("net.py", SLOW)
    empty.write("program.py", "from mxnet import nd\nfrom net import Slow\nSlow(*[5])(nd.ones((2, 3)))\n")
    empty.write("pyproject.toml", "[tool.hybridlint.verify]\ntimeout = 4\n")
    assert empty.run("record", "program.py").returncode == 0
    (outcome,) = json.loads(empty.run("verify", "net.py", "--output-format", "json").stdout)
    assert (outcome["status"], outcome["setup"]) == ("proved", "() on x (N, L)")


MODULE = """\
from mxnet.gluon import nn


class Scale(nn.HybridBlock):
    def hybrid_forward(self, F, x, y):
        return F.relu(x) + F.sum(y, axis=1)
"""
PROGRAM = """\
from mxnet import nd
from net import Scale

block = Scale()
block(nd.ones((2, 3)), nd.ones((2, 5, {size})))
"""


@pytest.mark.parametrize(("size", "codes"), [(3, []), (1, ["HYB301 error"])])
def test_a_possible_finding_becomes_certain_or_vanishes(empty: Project, size: int, codes: list[str]) -> None:
    empty.write("net.py", MODULE)
    empty.write("program.py", PROGRAM.format(size=size))
    assert _told(empty) == ["HYB301 possible"]
    assert empty.run("record", "program.py").returncode == 0
    assert _told(empty) == codes
    empty.write("net.py", MODULE.replace("F.relu", "F.abs"))
    assert _told(empty) == ["HYB301 possible"], "a class that has changed is another one"
    empty.write("net.py", "# A comment.\n" + MODULE)
    assert _told(empty) == codes


def test_what_fixes_change_stays_known(empty: Project) -> None:
    empty.write("net.py", MODULE)
    empty.write("program.py", PROGRAM.format(size=1))
    empty.run("record", "program.py")
    assert empty.run("check", "--fix", "--unsafe-fixes", "net.py").returncode == 0
    assert "F.broadcast_add" in (empty.folder / "net.py").read_text(encoding="utf-8")
    assert _told(empty) == []
    (outcome,) = json.loads(empty.run("verify", "net.py", "--output-format", "json").stdout)
    assert (outcome["status"], outcome["setup"]) == ("proved", "() on x (N, 3), y (N, 5, 1)")


def _told(project: Project) -> list[str]:
    done = project.run("check", "--possible", "--output-format", "json", "net.py")
    return [f"{finding['code']} {finding['severity']}" for finding in json.loads(done.stdout)]


def test_the_inputs_themselves_are_kept_where_that_is_asked_for(empty: Project) -> None:
    empty.write("net.py", MODULE)
    empty.write("program.py", PROGRAM.format(size=3))
    empty.write("pyproject.toml", '[tool.hybridlint]\nrecorded = "kept/calls.json"\n')
    done = empty.run("record", "--data", "program.py")
    assert done.stderr == "hybridlint record: 1 class in kept/calls.json\n"
    assert (empty.folder / "kept" / "calls" / "net-py-Scale-1.npz").is_file()
    (outcome,) = json.loads(empty.run("verify", "net.py", "--output-format", "json").stdout)
    assert outcome["status"] == "proved"


def test_a_module_is_recorded_too(empty: Project) -> None:
    empty.write("net.py", MODULE)
    empty.write("program.py", PROGRAM.format(size=3))
    done = empty.run("record", "-m", "program", "--output", "mine")
    assert (done.returncode, done.stderr) == (0, "hybridlint record: 1 class in .hybridlint/recorded.json\n")


def test_a_program_without_blocks_of_the_project(empty: Project) -> None:
    empty.write("program.py", "import sys\nfrom mxnet.gluon import nn\nprint(nn.Dense(2), sys.argv[1:])\nsys.exit(3)\n")
    done = empty.run("record", "program.py", "--data", "-m")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (3, "Dense(None -> 2, linear) ['--data', '-m']")
    assert "no block of a class in a file under" in done.stderr
    assert not empty.record.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "give a program: a script, or a module with -m"),
        (("python",), "give a program: a script, or a module with -m"),
        (("python", "-c", "pass"), "`-c` is no program that can be recorded: give a script, or a module with -m"),
        (("--", "--outptu", "x"), "`--outptu` is no program that can be recorded"),
        (("--python", "nowhere/python", "x.py"), "there is no interpreter nowhere/python"),
        (("ls",), "`ls` is no Python program: give the script or the module that it runs"),
    ],
)
def test_misuse(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(sentence)):
        command.main(list(arguments), standalone_mode=False)


def test_a_record_that_cannot_be_read_is_misuse(empty: Project) -> None:
    empty.write("net.py", MODULE)
    empty.record.parent.mkdir()
    for text in ("{", '{"version": 0, "blocks": {}}', '{"version": 1, "blocks": {"a.py:A": {}}}'):
        empty.record.write_text(text, encoding="utf-8")
        done = empty.run("check", "net.py")
        assert done.returncode == 2
        assert "record" in done.stderr


FAILING = """\
import mxnet as mx
from mxnet.gluon import HybridBlock


class Good(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * 2


class Bad(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.reshape((x.shape[0], -1))


for net in Good(), Bad():
    net.hybridize()
    net(mx.nd.ones((2, 3)))
"""


def test_a_program_that_fails_leaves_what_was_seen_until_then(project: Project) -> None:
    project.write("failing.py", FAILING)
    outcome = project.run("record", "failing.py")
    assert outcome.returncode == 1
    assert "record it with --eager" in outcome.stderr
    assert set(project.blocks) == {"failing.py:Good"}


def test_eagerly_a_program_that_fails_once_hybridized_is_recorded(project: Project) -> None:
    project.write("failing.py", FAILING)
    assert project.run("record", "--eager", "failing.py").returncode == 0
    assert set(project.blocks) == {"failing.py:Good", "failing.py:Bad"}


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
def test_a_program_that_is_told_to_end_leaves_what_was_seen_until_then(project: Project) -> None:
    project.write("failing.py", FAILING.replace("return x.reshape((x.shape[0], -1))", "os.kill(os.getpid(), 15)"))
    project.write("failing.py", "import os\n" + (project.folder / "failing.py").read_text(encoding="utf-8"))
    assert project.run("record", "--eager", "failing.py").returncode == 143
    assert set(project.blocks) == {"failing.py:Good"}
