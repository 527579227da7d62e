"""Fixes of last resort: tried where another fix of the same finding is a step that leads nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability, Edit, Fix, FixKind
from hybridlint.text.source import SourceFile

RULE = Rule("hybridlint.rules.for_tests", code="HYB999", summary="for tests")
#: Names with a finding -> what a step writes, and what the last resort writes.
STEPS = {"vain": ("vain_still", "kept"), "vain_still": ("vain_still", "kept"), "useful": ("half", "kept")}
#: What a step leads to -> its repair.
REPAIRS = {"half": "whole"}


def _analyze(source: SourceFile) -> list[Finding]:
    names = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name)]
    found = [_step(source, node) for node in names if node.id in STEPS]
    return found + [
        RULE.at(node, "left", fix=_renamed(source, node, REPAIRS[node.id])) for node in names if node.id in REPAIRS
    ]


def _step(source: SourceFile, node: ast.Name) -> Finding:
    step, last = STEPS[node.id]
    fix = _renamed(source, node, step, FixKind.STEP) if step != node.id else None
    return RULE.at(node, "left", fix=fix, otherwise=lambda: _renamed(source, node, last, FixKind.KEEP_EAGER))


def _renamed(source: SourceFile, node: ast.Name, new: str, kind: FixKind = FixKind.REPAIR) -> Fix:
    edit = Edit(source.span(node), new)
    return Fix(f"Write `{new}`", (edit,), Applicability.UNSAFE, kind)


def _fixed(text: str, *, unsafe: bool = True) -> FixOutcome:
    return fix_source(SourceFile(Path("x.py"), text), _analyze, unsafe=unsafe, keep_eager=True)


@pytest.mark.parametrize(
    ("before", "after"), [("vain\n", "kept\n"), ("useful\n", "whole\n"), ("vain\nuseful\n", "kept\nwhole\n")]
)
def test_steps_come_first(before: str, after: str) -> None:
    assert _fixed(before).source.text == after


def test_the_repair_is_told_with_the_fix_that_did_it() -> None:
    assert [f.fix.message for f in _fixed("vain\n").kept_eager if f.fix is not None] == ["Write `kept`"]


def test_what_is_not_permitted_is_not_tried() -> None:
    assert _fixed("vain\n", unsafe=False).source.text == "vain\n"


def test_it_can_be_refused() -> None:
    (done,) = _fixed("vain\n").applied
    refused = fix_source(SourceFile(Path("x.py"), "vain\n"), _analyze, unsafe=True, refused={done.id: "for the test"})
    assert refused.source.text == "vain\n"


def test_the_code_of_a_class_that_stays_eager_is_left_as_it_was_written() -> None:
    halves = """

class Halves(HybridBlock):
    def __init__(self):
        super().__init__()
        self.half = nn.Conv2D(4, 1)

    def hybrid_forward(self, F, x):
        n = x.shape[1] // 3
        return F.concat(x[:, :n], self.half(x[:, n:]), dim=1)
"""
    flat = """

class Flat(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.reshape((x.shape[0], -1))
"""
    text = "from mxnet.gluon import HybridBlock, nn\n" + halves + flat
    after = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True, keep_eager=True).source.text
    assert "    def hybridize(self, active=True, **kwargs):" in after
    assert halves[halves.index("    def hybrid_forward") :] in after
    assert "return x.reshape((0, -1))" in after


def test_a_size_is_not_moved_to_code_that_no_trace_runs() -> None:
    text = """from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def rows(self, x, length):
        count = x.shape[0]
        if length is not None:
            mask = length
        else:
            mask = nd.ones((count, 2))
        if len(x.shape) == 2:
            mask = mask.expand_dims(0)
        return mask

    def hybrid_forward(self, F, x, length):
        return self.rows(x, length)
"""
    assert fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=False).source.text == text


def test_nothing_is_repaired_in_a_statement_that_raises_all_the_same() -> None:
    text = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, bound):
        y = F.multiply(x, x)
        return F.greater(x[self.row], bound) * y
"""
    after = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True)
    assert after.source.text == text.replace("F.multiply(x, x)", "x * x")
    assert [(one.row, one.code) for one in after.dropped] == [(7, "HYB501")]
