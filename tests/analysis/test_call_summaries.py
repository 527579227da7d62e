"""Calls of helpers that equal an earlier one: not interpreted again, and nothing else is found for that."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax import call_summaries, functions
from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """\
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn


def outer(F, x, n=2):
    return x * n if n > 1 else x[0]


class Net(HybridBlock):
    def __init__(self, deep=True):
        super().__init__()
        self.deep = deep
        self.norm = nn.BatchNorm()
        self.dense = nn.Dense(4)

    def step(self, F, x{more}):
        {step}

    def hybrid_forward(self, F, x, y):
        {body}
"""
#: What a helper does, the rest of its parameters, and how it is called.
CALLS = {
    "the shape of an array": (
        "return x * x.shape[0]",
        "",
        "return self.step(F, x) + self.step(F, y) + self.step(F, x)",
    ),
    "one array is not the other": (
        "return F.relu(x)",
        "",
        "a = self.step(F, x); b = self.step(F, x); a += 1; return a + b",
    ),
    "an array of the caller": ("return x", "", "a = self.step(F, x); b = self.step(F, y); b += a; return a * b"),
    "a number or a flag": (
        "return x * n.shape[0] if n is True else x",
        ", n",
        "return self.step(F, x, 1) + self.step(F, y, True) + self.step(F, y, 1)",
    ),
    "an array or nothing": (
        "return x if n is None else x + n.shape[0]",
        ", n=None",
        "return self.step(F, x, y) + self.step(F, x) + self.step(F, y, x) + self.step(F, y)",
    ),
    "lists that are filled": (
        "n.append(x); return x",
        ", n",
        "a = []; b = []; self.step(F, x, a); self.step(F, x, b); return b[0] * a[0].shape[0]",
    ),
    "an attribute that a call stores": (
        "self.last = x; return x",
        "",
        "self.step(F, x); a = self.last; self.step(F, y); return a + self.last.shape[0]",
    ),
    "an attribute that the caller stores": (
        "return x + self.last",
        "",
        "self.last = x; a = self.step(F, x); self.last = 3; return a + self.step(F, x) + self.step(F, y)",
    ),
    "the train mode": ("return self.norm(x)", "", "self.step(F, x); return self.step(F, y)"),
    "a list of arrays": (
        "return F.concat(*n) + x",
        ", n",
        "return self.step(F, x, [x, y]) + self.step(F, x, [y]) + self.step(F, y, (x, y)) + self.step(F, x, [y, x])",
    ),
    "the scope around it": (
        "return x * x.shape[0] if autograd.is_training() else x",
        "",
        "with autograd.train_mode(): a = self.step(F, x)\n        return a + self.step(F, x)",
    ),
    "the loops around it": (
        "for part in [x, x]: x = x + part.shape[0]\n        return x",
        "",
        "a = self.step(F, x); for _ in range(2): a = self.step(F, x)\n        return a * a.shape[0]",
    ),
    "what a test lets through": (
        "return x[0] if self.deep else x",
        "",
        "if self.deep: x = self.step(F, x)\n        y = self.step(F, y); return x + y",
    ),
    "what a handler catches": (
        "return x.asnumpy()",
        "",
        "a = self.step(F, x); try: a = self.step(F, x)\n        except AttributeError: a = x.shape\n        return a",
    ),
    "what comes before a handler": (
        "return x.sum().asscalar()",
        "",
        "try: a = self.step(F, x)\n        except AttributeError: a = x\n        return a + self.step(F, x)",
    ),
    "a function of the module": (
        "return outer(F, x, 1)",
        "",
        "return outer(F, x, 1) + self.step(F, y) + outer(F, y, 3)",
    ),
    "several outputs": ("return F.split(x, 2)", "", "a, b = self.step(F, x); return a + b + self.step(F, y)"),
    "a function as an argument": ("return n(x)", ", n", "return self.step(F, x, F.relu) + self.step(F, x, self.dense)"),
    "a helper that calls itself": (
        "return x if len(x) else self.step(F, x)",
        "",
        "return self.step(F, self.step(F, y))",
    ),
}
Findings = list[tuple[Any, ...]]


def findings(text: str) -> Findings:
    """Return all that is found in a text, with the calls that led there."""
    found = analyze_file(SourceFile(Path("net.py"), text), possible=True)
    return [
        (f.rule.code, f.severity, ast.dump(f.node, include_attributes=True), f.message, f.fix, f.notes) for f in found
    ]


def reusing_all(text: str, monkeypatch: pytest.MonkeyPatch) -> Findings:
    """Return what is found where every equal call is reused."""
    with monkeypatch.context() as patch:
        patch.setattr(call_summaries, "LEAST_STEPS", 0)
        return findings(text)


def interpreting_all(text: str, monkeypatch: pytest.MonkeyPatch) -> Findings:
    """Return what is found where each call is interpreted."""
    with monkeypatch.context() as patch:
        patch.setattr(functions, "summarized_call", lambda _act, _inner, _function, _args, go: go())
        return findings(text)


def without_notes(found: Findings) -> Findings:
    """Return findings without the calls that led there: equal ones are listed once."""
    return [row[:-1] for row in found]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_found_is_what_interpreting_each_call_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step, more, body = (part.replace("; ", "\n        ") for part in CALLS[name])
    text = HEAD.format(step=step, more=more, body=body)
    found = interpreting_all(text, monkeypatch)
    assert without_notes(reusing_all(text, monkeypatch)) == without_notes(found)
    assert findings(text) == found


def nested(depth: int, width: int) -> str:
    """Return a block whose helpers call each other so deep, each the next one so many times."""
    calls = [
        f"    def step{k}(self, F, x):\n        return {' + '.join([f'self.step{k + 1}(F, x)'] * width)}\n"
        for k in range(depth)
    ]
    last = f"    def step{depth}(self, F, x):\n        return F.relu(x) * x.shape[0]\n"
    forward = "    def hybrid_forward(self, F, x):\n        y = self.step0(F, x)\n        return y[0]\n"
    return f"from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n{''.join(calls)}{last}{forward}"


def test_work_grows_with_different_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[str] = []

    def may_enter(run: AnalysisRun, node: ast.AST) -> bool:
        entered.append(getattr(node, "name", "a lambda"))
        return ask(run, node)

    ask = AnalysisRun.may_enter
    monkeypatch.setattr(AnalysisRun, "may_enter", may_enter)
    monkeypatch.setattr(call_summaries, "LEAST_STEPS", 0)
    assert [row[0] for row in findings(nested(7, 6))] == ["HYB101", "HYB201"]
    assert len(entered) < 8 * 6 * 3


@pytest.mark.parametrize(("depth", "width"), [(6, 5), (8, 3)])
def test_helpers_that_nest_deep_are_analysed_whole(depth: int, width: int) -> None:
    assert [row[0] for row in findings(nested(depth, width))] == ["HYB101", "HYB201"]
