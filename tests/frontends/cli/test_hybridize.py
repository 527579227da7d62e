"""``hybridize`` as its users see it: what is reported, shown and written."""

from __future__ import annotations

import json

from .conftest import CommandLine

NET = """\
from mxnet import nd
from mxnet.gluon import Block, nn


class Net(Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(3)

    def forward(self, x):
        return nd.relu(self.dense(x))  # only what is positive
"""
HYBRID = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return F.relu(self.dense(x))  # only what is positive
"""
READS = NET.replace("nd.relu(self.dense(x))", "nd.array(sorted(self.dense(x).asnumpy().tolist()))")
IN_PART = NET.replace("nd.relu(self.dense(x))", "nd.relu(x) if x.ndim > 2 else self.dense(x)")


def test_it_reports_and_writes_nothing(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("hybridize", "net.py")
    assert outcome.status == 1
    assert "Net       hybridized and proved" in outcome.out
    assert "times as" in outcome.out
    assert "`--fix` writes it." in outcome.out
    assert path.read_text(encoding="utf-8") == NET
    assert cli("hybridize", "--exit-zero").status == 0


def test_fix_writes_what_is_proved(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("hybridize", "--fix", "net.py::Net")
    assert outcome.status == 0, outcome.out
    assert path.read_text(encoding="utf-8") == HYBRID
    assert "Wrote 1 file." in outcome.out
    assert cli("hybridize").out == "No plain Block found: there is nothing to hybridize.\n"


def test_one_class_of_a_file(cli: CommandLine) -> None:
    cli.write("net.py", NET + NET.partition("\n\n\n")[2].replace("Net", "Other").join(["\n\n", ""]))
    outcome = cli("hybridize", "--diff", "net.py::Other")
    assert "+class Other(HybridBlock):\n" in outcome.out
    assert "class Net(HybridBlock):" not in outcome.out


def test_a_diff(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("hybridize", "--diff", "net.py")
    assert outcome.status == 1
    assert outcome.out.startswith("--- net.py\n")
    assert "+class Net(HybridBlock):\n" in outcome.out
    assert path.read_text(encoding="utf-8") == NET


def test_what_is_not_possible_is_said_with_its_line(cli: CommandLine) -> None:
    path = cli.write("net.py", READS)
    [told] = json.loads(cli("hybridize", "--fix", "--unsafe-fixes", "--output-format", "json").out)
    assert told["status"] == "not possible"
    assert told["reasons"][0]["row"] == 11
    assert path.read_text(encoding="utf-8") == READS


def test_what_is_left_to_a_person_is_written_on_request_alone(cli: CommandLine) -> None:
    path = cli.write("net.py", IN_PART)
    outcome = cli("hybridize", "--fix", "net.py")
    assert outcome.status == 1
    assert "What is not proved is written with `--unsafe-fixes`" in " ".join(outcome.out.split())
    assert path.read_text(encoding="utf-8") == IN_PART
    assert cli("hybridize", "--fix", "--unsafe-fixes", "net.py").status == 1
    assert "F.relu(x) if x.ndim > 2" in path.read_text(encoding="utf-8")


def test_misuse(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    for arguments, told in {
        ("--fix", "--diff"): "leave one of them out",
        ("net.py::Nett",): "Net",
        ("missing.py::Net",): "missing.py is not a file",
        ("missing.py",): "missing.py",
    }.items():
        outcome = cli("hybridize", *arguments)
        assert outcome.status == 2, arguments
        assert told in outcome.err
