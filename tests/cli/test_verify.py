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
