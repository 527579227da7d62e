"""Operators of a project's own: declared in the settings or beside its rules, and known to every rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import CommandLine

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"
HEAD = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    # hybridlint: shapes(x=("N", 6, 8), w=(8, 5))
    def hybrid_forward(self, F, x, w):
"""
GEMM = '"data(..., K), weight(K, M) -> (..., M)"'


def _found(cli: CommandLine, body: str, *options: str) -> list[str]:
    cli.write("net.py", f"{HEAD}        {body}\n")
    outcome = cli("check", "-q", "--output-format", "concise", *options, "net.py")
    assert outcome.status in {0, 1}, outcome.err
    return [re.sub(r"^net\.py:\d+:\d+: ", "", line) for line in outcome.out.splitlines()]


def _declare(cli: CommandLine, *lines: str) -> None:
    cli.write("hybridlint.toml", "\n".join(["[operators]", *lines, ""]))


def test_nothing_is_known_of_the_result_of_an_operator_that_nobody_declares(cli: CommandLine) -> None:
    (found,) = _found(cli, 'return F.Custom(x, w, op_type="gemm")[0] + F.Gemm(x, w).shape[0]')
    assert found.startswith("HYB519 ")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("Gemm", "F.Gemm(x, w)"),
        ("my_gemm", "F.my_gemm(x, weight=w)"),
        ('"contrib.gemm"', "F.contrib.gemm(x, w)"),
        ('"Custom.gemm"', 'F.Custom(x, w, op_type="gemm")'),
    ],
)
def test_the_result_of_a_declared_one_is_a_tensor_of_that_shape(cli: CommandLine, name: str, call: str) -> None:
    _declare(cli, f"{name} = {GEMM}")
    (found,) = _found(cli, f"y = {call}; return y + x")
    assert "HYB301 error: `y` is a tensor of shape (N, 6, 5), `x` is a tensor of shape (N, 6, 8): `+`" in found
    (found,) = _found(cli, f"y = {call}; return y[0]")
    assert found.startswith("HYB201 ")


def test_sizes_are_keywords_of_the_call(cli: CommandLine) -> None:
    _declare(cli, 'Align = "(N, ...), (R, ?) -> (R, size)"')
    (found,) = _found(cli, "y = F.Align(x, w, size=7); return y + w")
    assert "`y` is a tensor of shape (8, 7), `w` is a tensor of shape (8, 5)" in found


def test_several_results(cli: CommandLine) -> None:
    _declare(cli, 'Halves = "(N, C) -> (N, C//5), (N, 3)"')
    (found,) = _found(cli, "a, b = F.Halves(w); return b + w, a, F.relu(x)")
    assert "`b` is a tensor of shape (8, 3)" in found
    assert _found(cli, "y = F.Halves(w); return y[0], y[1], F.relu(x)") == []


def test_modules_of_rules_declare_them_too(cli: CommandLine) -> None:
    cli.write("acme/__init__.py", "")
    cli.write("acme/operators.py", f"operators = {{'Gemm': {GEMM}}}\n")
    body = "y = F.Gemm(x, w); return y[0]"
    assert _found(cli, body)[0].startswith("HYB519 ")
    assert _found(cli, body, "--rules", "acme")[0].startswith("HYB201 ")
    assert _found(cli, body, "--rules", "acme.operators")[0].startswith("HYB201 ")


def test_findings_are_kept_until_a_declaration_changes(cli: CommandLine) -> None:
    body = "y = F.Gemm(x, w); return y + x"
    _declare(cli, f"Gemm = {GEMM}")
    assert len(_found(cli, body)) == len(_found(cli, body)) == 1
    _declare(cli, 'Gemm = "data(...), weight(K, M) -> (...)"')
    assert _found(cli, body) == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('Gemm = "(N -> (N)"', "`operators.Gemm`: `(N` is no shape; write the shapes of inputs and results, as in"),
        ("Gemm = 3", "`operators.Gemm` must be a string, not a number"),
        ("contrib.gemm = 'x -> (N)'", "`operators.contrib` must be a string, not a table; a name with dots stands in"),
        ('dot = "(N) -> (N)"', "`operators.dot`: MXNet has an operator of this name, whose shapes are known"),
    ],
)
def test_what_is_declared_wrongly_is_told(cli: CommandLine, line: str, problem: str) -> None:
    _declare(cli, line)
    cli.write("net.py", f"{HEAD}        return x\n")
    outcome = cli("check", "net.py")
    assert outcome.status == 2
    assert problem in outcome.err


@pytest.mark.skipif(not PAGE.is_file(), reason="runs in a checkout only")
def test_the_declarations_that_the_documentation_shows(cli: CommandLine) -> None:
    _, _, section = PAGE.read_text(encoding="utf-8").partition("## Operators of your own")
    shown = re.search(r"```toml\n(.*?)```", section, re.DOTALL)
    assert shown is not None
    cli.write("pyproject.toml", shown[1])
    (found,) = _found(cli, "a, b = F.halves(w); return F.my_gemm(x, w) + x")
    assert "a tensor of shape (N, 6, 5)" in found
