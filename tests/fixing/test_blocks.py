"""What serves the repair of a whole block is written only if the block compiles; and blocks are counted."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.core.applied_fixes import BlockState
from hybridlint.fixing.blocks import blocks_in
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.fixing.withheld import UNFINISHED, may_be_unfinished
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.edits import Applicability, Edit, Fix, FixKind, ImportEdit
from hybridlint.text.source import SourceFile, Span

HEAD = """\
from mxnet import nd
from mxnet.gluon import nn


def soft(x):
    return nd.log(1 + nd.exp(x))


"""
WHOLE = """\
class Whole(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return soft(x) * x.T
"""
LEFT = """

class Left(nn.HybridBlock):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def hybrid_forward(self, F, x):
        key = self.table[x.shape]
        return soft(x.T) + key
"""
PARENT = """

class Parent(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.left = Left({})

    def hybrid_forward(self, F, x):
        return self.left(x.T)
"""


def _fixed(text: str, *, unsafe: bool = True) -> FixOutcome:
    return fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=unsafe)


def test_a_helper_gets_f_where_its_block_compiles_then() -> None:
    assert "def soft(x, F=nd):" in _fixed(HEAD + WHOLE).source.text


def test_a_helper_gets_no_f_where_its_block_would_still_raise() -> None:
    done = _fixed(HEAD + LEFT.lstrip())
    assert "def soft(x):\n    return nd.log(1 + nd.exp(x))" in done.source.text
    assert "x.transpose()" in done.source.text
    assert {dropped.reason for dropped in done.dropped} == {UNFINISHED}


def test_a_helper_of_two_blocks_gets_f_for_the_one_that_compiles() -> None:
    assert "return soft(x, F=F)" in _fixed(HEAD + WHOLE + LEFT).source.text


def test_what_would_be_undone_is_not_offered() -> None:
    source = SourceFile(Path("net.py"), HEAD + LEFT.lstrip())
    assert may_be_unfinished(source, analyze_file(source), unsafe=True)
    whole = SourceFile(Path("net.py"), HEAD + WHOLE)
    assert not may_be_unfinished(whole, analyze_file(whole), unsafe=True)


def test_blocks_are_counted_with_what_is_left_in_them_and_in_their_children() -> None:
    done = _fixed(HEAD + WHOLE + LEFT + PARENT)
    row = done.source.text[: done.source.text.index("key =")].count("\n") + 1
    assert done.blocks == (
        BlockState("Left", row, "raises"),
        BlockState("Parent", row, "raises"),
        BlockState("Whole"),
    )


def test_a_block_runs_its_functions_and_bases_and_has_children() -> None:
    text = """
def inner(x): ...
def helper(x): return inner(x)
class Base(HybridBlock):
    def hybrid_forward(self, F, x): return helper(x)
class Child(HybridBlock):
    def hybrid_forward(self, F, x): return x
class Net(Base):
    def __init__(self): self.child = Child()
class Plain: ...
"""
    found = blocks_in(ast.parse(text))
    assert found.entries == {"Base", "Child", "Net"}
    assert found.traced["Net"] == {"Net", "Base", "helper", "inner"}
    assert found.children["Net"] == {"Child"}
    assert set(found.running("inner")) == {"Base", "Net"}
    assert found.with_children("Net") == {"Net", "Base", "helper", "inner", "Child"}


@pytest.mark.parametrize(
    ("fix", "serves"),
    [
        (Fix("", (Edit(Span(0, 1), "b"),), Applicability.SAFE), False),
        (Fix("", (Edit(Span(0, 1), "b\nc"),), Applicability.SAFE), True),
        (Fix("", (Edit(Span(0, 3), "b\n"),), Applicability.SAFE), False),
        (Fix("", (Edit(Span(0, 1), "b"),), Applicability.SAFE, FixKind.PART), True),
        (Fix("", (Edit(Span(0, 1), "b"),), Applicability.SAFE, imports=(ImportEdit("math"),)), True),
        (Fix("", (Edit(Span(0, 1), "b"),), Applicability.SAFE, signature=True), True),
    ],
)
def test_longer_code_imports_and_signatures_serve_a_block(fix: Fix, serves: bool) -> None:
    assert fix.serves_block("a\na\n") is serves


@pytest.mark.parametrize(
    ("before", "after", "serves"),
    [
        ("x.T", "x.transpose()", False),
        ("mx.nd.exp(x)", "F.exp(x)", False),
        ("x.reshape(y.shape)", "x.reshape_like(y)", False),
        ("x + y", "F.broadcast_add(x, y)", True),
        ("x[:, 0]", "F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)", True),
    ],
)
def test_a_line_that_reads_worse_serves_a_block(before: str, after: str, serves: bool) -> None:
    fix = Fix("", (Edit(Span(0, len(before)), after),), Applicability.SAFE)
    assert fix.serves_block(before) is serves


MEAN = """class {name}(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {value}
"""
TABLE = "x - x.mean(axis=1, keepdims=True){rest}"


def test_operators_broadcast_only_where_the_block_compiles_then() -> None:
    whole = MEAN.format(name="Net", value=TABLE.format(rest=""))
    left = MEAN.format(name="Net", value=TABLE.format(rest=" + self.table[x.shape]"))
    assert "F.broadcast_sub(x, x.mean(" in _fixed(HEAD + whole).source.text
    assert "x - x.mean(axis=1, keepdims=True)" in _fixed(HEAD + left).source.text


def test_a_block_whose_child_raises_is_not_whole() -> None:
    child = LEFT.lstrip().replace("soft(x.T)", "x")
    parent = PARENT.replace("self.left(x.T)", "self.left(x.T) + (x - x.mean(axis=1, keepdims=True))")
    assert "self.left(x.transpose()) + (x - x.mean(" in _fixed(HEAD + child + parent).source.text


UNUSUAL = """class Net(nn.HybridBlock):
    def __init__(self, table=None):
        super().__init__()
        self.table = table

    def hybrid_forward(self, F, x):
        if self.table is not None:
            x = x - x.mean(axis=1, keepdims=True){rest}
        return x * 2
"""


def test_code_of_other_settings_is_repaired_where_it_compiles_then() -> None:
    assert "F.broadcast_sub(" in _fixed(HEAD + UNUSUAL.format(rest="")).source.text
    left = "\n            x = x * nd.exp(x)[self.table[x.shape]]"
    assert "F.broadcast_sub(" not in _fixed(HEAD + UNUSUAL.format(rest=left)).source.text


RULE = Rule("hybridlint.rules.for_tests", code="HYB999", summary="for tests")


def test_a_part_is_kept_though_something_is_possible() -> None:
    text = "class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n        return part + left\n"

    def analyze(source: SourceFile, *, possible: bool) -> list[Finding]:
        names = {n.id: n for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
        found: list[Finding] = []
        if "part" in names:
            fix = Fix("", (Edit(source.span(names["part"]), "done"),), Applicability.SAFE, FixKind.PART)
            found.append(RULE.at(names["part"], "part", fix=fix))
        if possible and "left" in names:
            fix = Fix("", (Edit(source.span(names["left"]), "right"),), Applicability.UNSAFE)
            found.append(RULE.at(names["left"], "left", severity=Severity.POSSIBLE, fix=fix))
        return found

    source = SourceFile(Path("net.py"), text)
    certain, doubts = (partial(analyze, possible=possible) for possible in (False, True))
    assert "done + left" in fix_source(source, certain, doubts=doubts, unsafe=False).source.text


GRAPHS_ALONE = ["x.reshape(-1, 2)", "x.detach()", "x - x.mean(axis=1, keepdims=True)"]


@pytest.mark.parametrize("code", GRAPHS_ALONE)
def test_what_only_a_graph_needs_is_written_where_there_is_one(code: str) -> None:
    whole = MEAN.format(name="Net", value=code)
    left = MEAN.format(name="Net", value=f"{code}, x[self.table[x.shape]]")
    assert code not in _fixed(HEAD + whole).source.text
    assert code in _fixed(HEAD + left).source.text


def test_a_name_scope_stays_where_the_block_would_still_raise() -> None:
    scope = "with self.name_scope():\n            y = x * 2\n        return y{rest}"
    text = MEAN.replace("return {value}", scope)
    assert "with" not in _fixed(HEAD + text.format(name="Net", rest="")).source.text
    assert "with" in _fixed(HEAD + text.format(name="Net", rest=" + self.table[x.shape]")).source.text
