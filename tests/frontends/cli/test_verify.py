"""``check --verify`` and ``verify``: the proof as the command line shows it."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import CommandLine

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    # hybridlint: shapes(x=("N", 4, 3))
    def hybrid_forward(self, F, x):
        row = x[0]
        return F.broadcast_mul(x, row.expand_dims(axis=0))
"""
PROVED = re.compile(r"^Net +proved ", re.MULTILINE)


def test_eager_against_compiled(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    outcome = cli("verify", "net.py")
    assert outcome.status == 1
    assert re.search(r"^Net +refuted ", outcome.out, re.MULTILINE)
    assert re.search(r"^net\.py:4\b", outcome.out, re.MULTILINE)
    assert cli("verify", "--exit-zero").status == 0


def test_a_proved_fix(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("check", "--fix", "--verify")
    assert outcome.status == 0, outcome.out
    assert PROVED.search(outcome.out)
    assert "x[0]" not in path.read_text(encoding="utf-8")
    assert "1 proved" in cli("verify").out


def test_a_diff_with_its_proof(cli: CommandLine) -> None:
    path = cli.write("net.py", NET)
    outcome = cli("check", "--diff", "--verify")
    assert outcome.status == 1
    assert outcome.out.startswith("--- net.py\n")
    assert PROVED.search(outcome.err)
    assert path.read_text(encoding="utf-8") == NET


def test_the_command_line_alone_asks_for_the_proof(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    assert "proved" not in cli("check", "--diff").err
    assert "proved" not in cli("check", "--diff", "--verify", "--no-verify").err


def test_json(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    first, *_ = json.loads(cli("verify", "--output-format", "json").out)
    assert (first["block"], first["status"]) == ("Net", "refuted")


def test_nothing_to_prove(cli: CommandLine) -> None:
    cli.write("x.py", "x = 1\n")
    outcome = cli("verify")
    assert outcome.status == 0
    assert cli("verify", "nowhere").status == 2


def test_a_mistake_in_the_settings_names_the_file(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    settings = cli.write("pyproject.toml", "[tool.hybridlint.verify]\nbatch-sizes = [2]\n")
    outcome = cli("verify", "net.py")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {settings}: `verify.batch-sizes` must be ")


def test_a_page_of_the_proof(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    assert cli("verify", "--report", "verify.html").status == 1
    assert cli("check", "--diff", "--verify", "--report", "check.html").status == 1
    for name in ("verify.html", "check.html"):
        text = (cli.folder / name).read_text(encoding="utf-8")
        assert text.startswith("<!DOCTYPE html>")
        assert '<span class="badge proved">proved' in text


def test_the_engine_of_a_check(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    outcome = cli("check", "--diff", "--verify", "--engine", "mxnet", "--python", "no/such/python")
    assert "no/such/python" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("Nett", "no file of the project defines `Nett`. Did you mean `Net`?"),
        ("nets.py:Net", "Did you mean `net.py`?"),
        ("net.py:Nett", "`net.py` defines no `Nett`. Did you mean `Net`?"),
    ],
)
def test_settings_for_what_nobody_defines_name_the_nearest(cli: CommandLine, key: str, said: str) -> None:
    cli.write("net.py", NET)
    settings = cli.write("pyproject.toml", f"[tool.hybridlint.verify.inputs]\n'{key}' = 'x=(\"N\", 4, 3)'\n")
    for command in (("verify", "net.py"), ("check", "--verify", "net.py")):
        outcome = cli(*command)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith(f"error: {settings}: `verify.inputs.{key}`: ")
        assert said in outcome.err


def test_settings_for_a_class_of_another_file(cli: CommandLine) -> None:
    cli.write("net.py", NET)
    cli.write("other.py", NET.replace("Net", "Other"))
    cli.write("pyproject.toml", "[tool.hybridlint.verify.inputs]\nOther = 'x=(\"N\", 4, 3)'\n")
    assert cli("verify", "net.py", "--exit-zero").status == 0


TWO = """\
from mxnet.gluon import HybridBlock


class Right(HybridBlock):
    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        return x * 2


class Wrong(HybridBlock):
    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        return x * x.shape[1]


class Heir(Right):
    pass


class Table(dict):
    pass
"""


def _outcomes(cli: CommandLine, *paths: str) -> dict[str, str]:
    told = json.loads(cli("verify", "--exit-zero", "--output-format", "json", *paths).out)
    return {outcome["block"]: outcome["status"] for outcome in reversed(told)}


def test_only_the_named_blocks_of_a_file_are_proved(cli: CommandLine) -> None:
    cli.write("net.py", TWO)
    cli.write("other.py", NET)
    assert _outcomes(cli, "net.py::Right") == {"Right": "proved"}
    assert _outcomes(cli, "net.py::Right, Heir") == {"Right": "proved", "Heir": "proved"}
    assert _outcomes(cli, "net.py::Right", "net.py::Wrong") == {"Right": "proved", "Wrong": "refuted"}
    assert _outcomes(cli, "net.py::Right", "other.py") == {"Right": "proved", "Net": "refuted"}
    assert _outcomes(cli, "net.py::Right", "net.py").keys() == {"Right", "Wrong", "Heir"}


def test_named_blocks_and_the_cache(cli: CommandLine) -> None:
    cli.write("net.py", TWO)
    assert _outcomes(cli, "net.py::Right") == {"Right": "proved"}
    assert _outcomes(cli, "net.py").keys() == {"Right", "Wrong", "Heir"}
    assert _outcomes(cli, "net.py::Wrong") == {"Wrong": "refuted"}


def test_a_named_class_that_turns_out_to_be_no_hybrid_block(cli: CommandLine) -> None:
    cli.write("net.py", TWO)
    outcome = cli("verify", "net.py::Table")
    assert outcome.status == 0
    assert "net.py:20" in outcome.out
    assert "the module defines no HybridBlock of this name when it is imported" in outcome.out
    cli("verify", "net.py")
    assert _outcomes(cli, "net.py::Table,Right") == {"Table": "not run", "Right": "proved"}


def test_a_name_that_the_file_does_not_have(cli: CommandLine) -> None:
    cli.write("net.py", TWO)
    for arguments, told in {
        ("net.py::Rigth",): "net.py defines no block, and no function that builds a network, of the name `Rigth`. "
        "Did you mean `Right`?",
        ("net.py::Right,Wrongs,Missing",): "of the name `Wrongs`. Did you mean `Wrong`? Nor one of the name `Missing`.",
        ("net.py::",): "of the name ``.",
        ("missing.py::Net",): "missing.py is not a file",
    }.items():
        outcome = cli("verify", *arguments)
        assert (outcome.status, outcome.out) == (2, ""), arguments
        assert told in outcome.err.replace("\n", " "), outcome.err
