"""Calls of child blocks that are like an earlier one: not gone into again, and nothing else is found for that."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from hybridlint.analysis.mxnet.blocks import calls as blocks
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.repeated_calls import repeated_call
from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

from ..constructs.sections import constructs

HEAD = """\
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn


class Child(HybridBlock):
    def __init__(self, units=4):
        super().__init__()
        self.units = units
        self.norm = nn.BatchNorm()
        with self.name_scope():
            self.scale = self.params.get("scale", shape=(units, 0), allow_deferred_init=True)
{child}

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.first = Child(4)
        self.other = Child(8)
{net}"""
CHILD = "    def hybrid_forward(self, F, x{more}, scale=None):\n        {body}\n"
NET = "    def hybrid_forward(self, F, x, y):\n        {body}\n"
STEP = "return self.step(F, x)\n\n    def step(self, F, x):\n        return F.relu(x)"
#: What a child does, the rest of its arguments, and what its parent does with it.
CALLS = {
    "one array is not the other": (
        "return F.relu(x)",
        "",
        "a = self.first(x); b = self.first(x); a += 1; return a + b",
    ),
    "an array of the caller": ("return x", "", "a = self.first(x); b = self.first(y); b += a; return a * b"),
    "sizes of two calls": ("return F.dot(x, scale)", "", "return self.first(x) * self.other(self.first(y))"),
    "shapes of two calls": ("return F.mean(x, axis=1)", "", "return self.first(x) + x + self.other(y)"),
    "rows": ("return x.shape[0]", "", "return self.first(x) + self.first(y)"),
    "a number or a flag": (
        "return x * n.shape[0] if n is True else x",
        ", n",
        "return self.first(x, 1) + self.first(y, True)",
    ),
    "an array or nothing": (
        "return x if n is None else x + n.shape[0]",
        ", n",
        "return self.first(x, y) + self.first(x, None)",
    ),
    "lists that are filled": (
        "n.append(x); return x",
        ", n",
        "a = []; b = []; self.first(x, a); self.first(x, b); return b[0] * b[0].shape[0]",
    ),
    "the train mode": ("return self.norm(x)", "", "self.first(x); return self.first(y)"),
    "another child": ("return x * x.shape[0]", "", "return self.other(self.first(x)) * self.first(self.other(y))"),
    "a list of arrays": (
        "return F.concat(*n) + x",
        ", n",
        "return self.first(x, [x, y]) + self.first(x, [y]) + self.first(y, (x, y))",
    ),
    "a list spread over the arguments": (
        "return F.concat(x, *n)",
        ", *n",
        "z = [x, y]; return self.first(*z) * self.first(x, *z) + self.first(z) + self.first(*z).shape[0]",
    ),
    "a part of an unknown size": (
        "n = F.split(x, 2, axis=1); return n[0] + n[1]",
        "",
        "a = self.first(x); b = self.first(a); c = self.first(y); return self.first(b) + self.first(c) + a + b",
    ),
    "the place of a dimension": (
        "return F.relu(x)",
        "",
        "a = self.first(F.expand_dims(x, axis=0)); b = self.first(F.expand_dims(x, axis=1)); return a + b",
    ),
    "a function that MXNet 1.9.1 lacks": (
        "return F.shuffled_rows(x)",
        "",
        "if self.first.units: a = self.first(x)\n        else: a = self.first(y)\n        return a * x.shape[0]",
    ),
    "the scope around it": (
        "return x * x.shape[0] if autograd.is_training() else x",
        "",
        "with autograd.train_mode(): a = self.first(x)\n        return a + self.first(x)",
    ),
    "the loops around it": (
        "for part in [x, x]: x = x + part.shape[0]\n        return x",
        "",
        "a = self.first(x); for _ in range(2): a = self.first(x)\n        return a * a.shape[0]",
    ),
    "several outputs": ("return F.split(x, 2)", "", "a, b = self.first(x); return a + b + self.first(y)"),
}


def _text(child: str, more: str, net: str) -> str:
    body = net.replace("; ", "\n        ")
    return HEAD.format(child=CHILD.format(more=more, body=child.replace("; ", "\n        ")), net=NET.format(body=body))


def _findings(text: str) -> list[tuple[Any, ...]]:
    found = analyze_file(SourceFile(Path("net.py"), text), possible=True)
    return [(f.rule.code, f.severity, ast.dump(f.node, include_attributes=True), f.message, f.fix) for f in found]


def _going_into_each(act: Any, node: Any, function: Any, args: Any, go: Any) -> Any:
    return go()


@pytest.mark.parametrize("name", CALLS)
def test_what_is_found_is_what_going_into_each_call_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _text(*CALLS[name])
    found = _findings(text)
    monkeypatch.setattr(blocks, "repeated_call", _going_into_each)
    assert found == _findings(text)


def test_nothing_else_is_found_in_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        return repeated_call(*args)

    # A child block with code of its own is a second class.
    for construct in (each for each in constructs() if each.module.count("class ") > 1):
        asked = 0
        monkeypatch.setattr(blocks, "repeated_call", counted)
        found = _findings(construct.module)
        # Where none is called there is nothing to be gone into.
        if asked:
            monkeypatch.setattr(blocks, "repeated_call", _going_into_each)
            assert found == _findings(construct.module), construct.name


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that the interpreter goes into."""
    names: list[str] = []

    def may_enter(run: AnalysisRun, node: ast.AST) -> bool:
        names.append(getattr(node, "name", "a lambda"))
        return ask(run, node)

    ask = AnalysisRun.may_enter
    monkeypatch.setattr(AnalysisRun, "may_enter", may_enter)
    return names


def test_of_many_calls_alike_few_are_gone_into(entered: list[str]) -> None:
    _findings(_text(STEP, "", "x = self.first(x) + y; " * 50 + "return x"))
    # The first time the class is built meanwhile; besides the child is looked at for its own sake.
    assert entered.count("step") <= 4


def test_a_call_with_a_list_spread_over_its_arguments_may_be_like_an_earlier_one(entered: list[str]) -> None:
    text = _text(STEP, ", *n", "x = self.first(*y); " * 20 + "return x")
    _findings(text.replace("F, x, y)", "F, x, *y)"))
    assert entered.count("step") <= 4


def test_a_call_with_a_part_of_an_unknown_size_may_be_like_an_earlier_one(entered: list[str]) -> None:
    call = "x = x + self.first(F.reshape(F.reshape(y, shape=(-1, 3, 5)), shape=(-1, 2, 5))); "
    _findings(_text(STEP, "", call * 20 + "return x"))
    assert entered.count("step") <= 4


@pytest.mark.parametrize(
    ("around", "asked"),
    [
        ("with autograd.train_mode()", "F.relu(x) if autograd.is_training() else x"),
        ("for _ in range(3)", "[F.relu(part) for part in [x, x]][0]"),
    ],
)
def test_only_a_call_that_asks_for_what_is_around_it_is_gone_into_elsewhere(
    around: str, asked: str, entered: list[str]
) -> None:
    once, twice = "a = self.first(x)", f"a = self.first(x); {around}: a = a + self.first(x)"
    times = []
    for step in (STEP, STEP.replace("F.relu(x)", asked)):
        for calls in (once, twice):
            entered.clear()
            _findings(_text(step, "", f"{calls}\n        return a"))
            times.append(entered.count("step"))
    assert times[0] == times[1]
    assert times[2] < times[3]


def test_a_call_that_differs_is_gone_into(entered: list[str]) -> None:
    calls = "".join(f"x = self.first(x, {number}); " for number in range(20))
    _findings(_text(STEP, ", n", calls + "return x"))
    assert entered.count("step") >= 20


def test_once_an_object_holds_what_a_call_has_put_there_each_call_is_gone_into(entered: list[str]) -> None:
    text = _text(
        STEP,
        "",
        "self.kept.last = x; x = self.first(x); self.kept.last = x; x = self.first(x); x = self.first(x); return x",
    )
    text = text.replace(
        "        self.other = Child(8)\n", "        self.other = Child(8)\n        self.kept = Kept()\n"
    )
    _findings(text.replace("class Net", "class Kept:\n    last = None\n\n\nclass Net"))
    assert entered.count("step") >= 4


def test_a_call_deep_in_others_goes_no_farther_than_the_bound_lets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = "    def hybrid_forward(self, F, x):\n        {body}\n\n\n"
    init = "    def __init__(self):\n        super().__init__()\n        self.next = {name}()\n\n"
    body = "y = self.next(x)\n        return y * y.shape[0]"
    classes = ["class Net0(HybridBlock):\n" + forward.format(body="return F.relu(x)")]
    for depth in range(1, 15):
        head = f"class Net{depth}(HybridBlock):\n" + init.format(name=f"Net{depth - 1}")
        classes.append(head + forward.format(body=body))
    # What stands last is looked at first: there, calls are not yet deep.
    text = "".join(["from mxnet.gluon import HybridBlock\n\n\n", *reversed(classes)])
    found = _findings(text)
    monkeypatch.setattr(blocks, "repeated_call", _going_into_each)
    assert found == _findings(text)
