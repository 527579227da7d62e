"""Names whose values are reported at most, and chains of branches that end in a complaint."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hybridlint.analysis.flow.reporting_names import is_report, only_counts, only_reported, tallies
from hybridlint.analysis.project.chains import complaint, ends_in_options


def function(body: str) -> ast.FunctionDef:
    node = ast.parse("def f(self, x):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("t = clock()\nreturn x", True),
        ("t = clock()\nprint(t)\nreturn x", True),
        ("t = clock()\nd = clock() - t\ntotal = 0\ntotal += d\nreturn x", True),
        ("t = clock()\nif t > 3:\n    print(t)\nreturn x", True),
        ("t = clock()\nwith scope():\n    d = t\nreturn x", True),
        ("t = clock()\nd = t * 2\nreturn x * d", False),
        ("t = clock()\nif t > 3:\n    x = x * 2\nreturn x", False),
        ("t = clock()\nself.t = t\nreturn x", False),
        ("t = clock()\nfor _ in range(t):\n    x = x * 2\nreturn x", False),
        ("t = clock()\nreturn [x * t for _ in x]", False),
    ],
)
def test_names_that_are_only_reported(body: str, reported: bool) -> None:
    assert only_reported(function(body), "t") is reported


@pytest.mark.parametrize(
    ("called", "reports"),
    [("print", True), ("logging.info", True), ("self._logger.debug", True), ("self.info", False), ("F.log", False)],
)
def test_calls_that_report(called: str, reports: bool) -> None:
    assert is_report(ast.parse(called, mode="eval").body) is reports


METER = """
class Meter:
    def __init__(self, log):
        self.total, self.calls, self.kept = {{}}, 0, []
        self.log = log

    def add(self, name, seconds):
        self.total[name] = self.total.get(name, 0) + seconds
        self.calls += 1
        self.kept.append(seconds)
        self.log.append(name)

    def summary(self):
        return self.total, self.calls

    {more}
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("pass", {"total", "calls", "kept"}),
        ("def __len__(self):\n        return self.calls", {"total", "kept"}),
        ("def show(self):\n        print(self.kept)", {"total", "calls", "kept"}),
        (
            "def last(self):\n        return self.kept[-1]\n\n    def __call__(self):\n        return self.last()",
            {"total", "calls"},
        ),
        ("names = ['total']", {"calls", "kept"}),
    ],
)
def test_sums_that_nothing_computes_with(more: str, found: set[str]) -> None:
    assert tallies(ast.parse(METER.format(more=more))) == found


@pytest.mark.parametrize(
    ("body", "only"),
    [
        ("n += 1\nassert n", True),
        ("n = n + 1\nassert n >= 1, 'none'", True),
        ("n += 1\nprint(n)", True),
        ("n += 1\nassert n == 3", False),
        ("n += 1\nassert n > 1", False),
        ("n += 1\nreturn x * n", False),
    ],
)
def test_counts_that_only_begin(body: str, only: bool) -> None:
    assert only_counts(function(body), "n") is only


CHAIN = """
if self.kind == "a":
    x = x * 2
elif self.kind {op} "b":
    x = x * 3
else:
    {end}
return x
"""


@pytest.mark.parametrize(
    ("op", "end", "found"),
    [
        ("==", "print('no', self.kind)", True),
        ("in", "raise ValueError(self.kind)", True),
        ("==", "logging.warning('no'); assert False", True),
        ("==", "x = x * 4", False),
        ("==", "return self.other(x)", False),
        ("!=", "print('no')", False),
    ],
)
def test_complaints(op: str, end: str, found: bool) -> None:
    node = function(CHAIN.format(op=op, end=end)).body[0]
    assert isinstance(node, ast.If)
    assert (complaint(node) is not None) is found


def test_one_branch_is_no_chain() -> None:
    node = function("if self.kind == 'a':\n    x = x * 2\nelse:\n    print('b')\nreturn x").body[0]
    assert isinstance(node, ast.If)
    assert complaint(node) is None


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ("if self.k == 'a':\n    return x\nelif self.k == 'b':\n    return x * 2", True),
        ("if self.k in ('a', 'b'):\n    return x", True),
        ("if self.k == 'a':\n    return x\nelse:\n    return x * 2", False),
        ("if self.k == 'a':\n    x = x * 2\nelif self.k == 'b':\n    return x", False),
        ("if x > 3:\n    return x", False),
        ("if not self.relative:\n    return x", True),
        ("if self.relative:\n    return x\nelse:\n    x = x * 2", False),
        ("if self.relative:\n    x = x * 2", False),
        ("return x", False),
    ],
)
def test_functions_that_end_in_options(body: str, ends: bool) -> None:
    assert ends_in_options(function(body)) is ends
