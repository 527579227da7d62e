"""Blocks that no graph of theirs is right for, and children that work with graphs of their own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Event, SideEffect, TraceConstant
from hybridlint.fixers.evidence.eager.holders import holders_in
from hybridlint.fixers.evidence.eager.never_right_compiled import is_never_right_compiled, suits_own_graphs
from hybridlint.text.source import SourceFile

TEXT = """\
import random
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn

class Net(HybridBlock):
    def __init__(self, given):
        super().__init__()
        self.fc = nn.Dense(3)
        self.cell = nn.Dense(3)
        self.same = nn.HybridLambda(lambda F, x: x)
        self.given = given
        self.kept = None

    def draw(self):
        return random.random()

    def hybrid_forward(self, F, x, states, mask=None):
        {body}
"""


def events(body: str) -> list[Event]:
    source = SourceFile(Path("net.py"), TEXT.format(body=body))
    return list(module_events(source))


def net_of(event: Event) -> ast.ClassDef:
    return next(n for n in event.frame.source.tree.body if isinstance(n, ast.ClassDef))


def never_right(body: str) -> bool:
    event = next(e for e in events(body) if isinstance(e, TraceConstant) and e.source_of_value == "random.random")
    reached = holders_in(event.frame.source).reached(net_of(event))
    assert reached is not None
    return is_never_right_compiled(event, reached)


@pytest.mark.parametrize("body", ["return self.fc(x) * random.random()", "return self.fc(x) * self.draw()"])
def test_a_draw_in_each_call(body: str) -> None:
    assert never_right(body)


@pytest.mark.parametrize(
    "body",
    [
        "return self.fc(x) * (random.random() if autograd.is_training() else 1)",
        "y = self.draw() if self.noisy else 1; return self.fc(x) * y",
    ],
)
def test_a_draw_in_some_calls(body: str) -> None:
    assert not never_right(body)


STATE = """\
from mxnet.gluon import HybridBlock, nn

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
        self.mean = None
        self.calls = 0
        self.table = {{}}

    @property
    def rate(self):
        return min(1.0, self.calls / 9)

    def hybrid_forward(self, F, x):
        {body}
"""


def state_never_right(body: str) -> bool:
    source = SourceFile(Path("net.py"), STATE.format(body=body.replace("\n", "\n        ")))
    event = next(e for e in module_events(source) if isinstance(e, SideEffect))
    reached = holders_in(source).reached(net_of(event))
    assert reached is not None
    return is_never_right_compiled(event, reached)


@pytest.mark.parametrize(
    "body",
    [
        "self.calls += 1\nreturn self.fc(x) * self.calls",
        "self.calls += 1\nreturn self.fc(x) * self.rate",
        "y = self.rate * self.fc(x)\nself.calls += 1\nreturn y",
        "if self.mean is None:\n    self.mean = x.mean()\nelse:\n    self.mean = self.mean + x\nreturn x / self.mean",
        "self.mean, y = (x if self.mean is None else self.mean * 2), self.fc(x)\nreturn y + self.mean",
        "y = self.table.get(0, 1)\nself.table[0] = x.mean()\nreturn self.fc(x) * y",
    ],
    ids=[
        "changed and read",
        "read by a property",
        "read before",
        "changed in both branches",
        "changed beside another",
        "an item",
    ],
)
def test_state_that_each_call_changes_and_reads(body: str) -> None:
    assert state_never_right(body)


@pytest.mark.parametrize(
    "body",
    [
        "if self.fc:\n    self.calls += 1\nreturn self.fc(x) * self.calls",
        "self.calls += 1\nreturn self.fc(x)",
        "if self.mean is None:\n    self.mean = x.mean()\nelse:\n    y = self.mean\nreturn self.fc(x) / self.mean",
        "self.calls += 1\nreturn self.fc(x) * (self.rate if self.fc else 1)",
    ],
    ids=["changed in one branch", "read by nothing", "kept after the first call", "read in one branch"],
)
def test_state_that_not_every_call_changes_and_reads(body: str) -> None:
    assert not state_never_right(body)


def suits(body: str) -> bool:
    plain = TEXT if "self.same" in body else TEXT.replace("nn.HybridLambda(lambda F, x: x)", "nn.Dense(2)")
    event = list(module_events(SourceFile(Path("net.py"), plain.format(body=body))))[-1]
    return suits_own_graphs(event.frame, net_of(event))


@pytest.mark.parametrize(
    "body",
    [
        "return self.fc(x * 2)",
        "return self.cell(self.fc(x), [x, x])",
        "h, (states,) = self.given(x); return self.cell(h, [states])",
        "y, z = self.given(x); return self.cell(y, states) * z",
        "if self.kept is None: self.kept = [x]\n        return self.cell(x, self.kept)",
        "return self.given(x)",
    ],
)
def test_children_that_take_the_same_tensors_in_each_call(body: str) -> None:
    assert suits(body)


@pytest.mark.parametrize(
    "body",
    [
        "return self.fc(x, self.kept) * 2",
        "y = self.kept; return self.fc(x, y) * 2",
        "return self.same(x) * 2",
        "return self.fc(x, flag=True) * 2",
    ],
)
def test_children_that_may_not_work_alone(body: str) -> None:
    assert not suits(body)


@pytest.mark.parametrize(
    ("body", "alike"),
    [
        ("return x", False),
        ("if self.p == 0:\n            return x\n        return x * 2", False),
        ("if self.p:\n            x = x * 2\n        return x", False),
        ("x = x * 2\n        return x", True),
        ("return x * 2", True),
    ],
)
def test_a_child_that_may_return_its_input_does_not_work_alone(body: str, alike: bool) -> None:
    text = TEXT.replace("nn.HybridLambda(lambda F, x: x)", "nn.Dense(2)").format(body="return self.fc(x)")
    child = f"\nclass Child(HybridBlock):\n    def hybrid_forward(self, F, x):\n        {body}\n"
    event = list(module_events(SourceFile(Path("net.py"), text + child)))[-1]
    assert suits_own_graphs(event.frame, net_of(event)) is alike
