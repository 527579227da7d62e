"""``--add-directives``: what a proof has found out, written into the files."""

from __future__ import annotations

import json

import pytest

from .conftest import CommandLine

NET = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.dense = nn.Dense(units, in_units=5)

    def hybrid_forward(self, F, x):
        y = self.dense(x)
        y += 1
        return y


class Said(nn.HybridBlock):
    # hybridlint: shapes(x=("N", 3))
    def hybrid_forward(self, F, x):
        return F.relu(x)
"""
COMMENT = '# hybridlint: verify(kwargs={"units": 4}, x=("N", 5))\n'


def test_verify_writes_what_it_has_found(cli: CommandLine) -> None:
    text = NET.replace("y += 1", "y = y + 1").replace("\n", "\r\n")
    path = cli.write("net.py", text.encode())
    outcome = cli("verify", "--add-directives", "net.py")
    assert outcome.status == 0
    expected = text.replace("class Net", COMMENT.replace("\n", "\r\n") + "class Net")
    assert path.read_bytes() == expected.encode()
    assert f"Wrote 1 directive, which was run as it stands:\nnet.py:4: {COMMENT}" in outcome.out
    assert "net.py:5 " in outcome.out
    again = cli("verify", "--add-directives", "net.py")
    assert "Wrote no directives" in again.out
    assert path.read_bytes() == expected.encode()


def test_json_stays_json(cli: CommandLine) -> None:
    cli.write("net.py", NET.replace("y += 1", "y = y + 1"))
    outcome = cli("verify", "--add-directives", "--output-format", "json", "net.py")
    assert [found["row"] for found in json.loads(outcome.out)] == [5, 16]
    assert "Wrote 1 directive" in outcome.err


def test_a_block_that_is_refuted_gets_none(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    assert cli("verify", "--add-directives", "net.py").status == 1
    assert path.read_text(encoding="utf-8") == NET


def test_check_writes_them_into_what_it_has_fixed(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("check", "--fix", "--verify", "--add-directives", "net.py")
    assert outcome.status == 0
    assert path.read_text(encoding="utf-8") == NET.replace("y += 1", "y = y + 1").replace(
        "class Net", f"{COMMENT}class Net"
    )
    assert "Lines are those of the file after fixing." in outcome.out
    assert "net.py:5 " in outcome.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "--add-directives"), "give `--verify` too"),
        (("check", "--add-directives", "--verify", "--diff"), "leave `--diff` out"),
        (("check", "--add-directives", "--verify", "-"), "name the file"),
    ],
)
def test_where_nothing_can_be_written(cli: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    outcome = cli(*arguments)
    assert outcome.status == 2
    assert said in outcome.err
