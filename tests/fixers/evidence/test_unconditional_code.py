"""Code that runs in every call, told apart from what settings, modes and data lead to."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.evidence.unconditional_code import always_runs, called_beside, function_around, wrappers_of
from hybridlint.text.source import SourceFile

ALWAYS = [
    "mark()",
    "y = x * mark()",
    "for n in range(3):\n    y = mark()",
    "if mark():\n    y = 1",
    "y = 1 if mark() else 2",
    "y = mark() and x",
    "with scope():\n    mark()",
    "y = [mark() for n in range(3)]",
    "y = [n for n in range(3) if mark()]",
    "y = mark() < x < 3",
    "while mark():\n    x = x / 2",
    "if x:\n    y = 1\nmark()",
    "return mark()",
]
SOMETIMES = [
    "if x:\n    mark()",
    "if x:\n    return 1\nmark()",
    "y = 1 if x else mark()",
    "y = x and mark()",
    "y = 1 < x < mark()",
    "for n in x:\n    if n:\n        continue\n    mark()",
    "for n in x:\n    if n:\n        return n\nmark()",
    "while x:\n    mark()",
    "try:\n    mark()\nexcept ValueError:\n    pass",
    "y = lambda: mark()",
    "y = [mark() for n in x if n]",
    "y = [n for n in x if n if mark()]",
    "def inner():\n    mark()",
]


def runs(body: str) -> bool:
    tree = ast.parse(f"def call(x):\n{textwrap.indent(body, '    ')}")
    (mark,) = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "mark")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    return always_runs(function, mark)


@pytest.mark.parametrize("body", ALWAYS)
def test_code_that_always_runs(body: str) -> None:
    assert runs(body)


@pytest.mark.parametrize("body", SOMETIMES)
def test_code_that_runs_sometimes(body: str) -> None:
    assert not runs(body)


def test_the_function_around_is_the_innermost() -> None:
    tree = ast.parse("def outer():\n    def inner():\n        pass\n    pass")
    (within, beside) = (n for n in ast.walk(tree) if isinstance(n, ast.Pass))
    names = {getattr(function_around(tree, node), "name", None) for node in (within, beside)}
    assert names == {"inner", "outer"}
    assert function_around(tree, ast.Pass()) is None


QUEUE = """\
from mxnet.gluon import HybridBlock

class Queue:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def mean(self):
        return sum(self.items) / len(self.items)

class Counted(HybridBlock):
    def forward(self, x, *args):
        self.calls += 1
        return super().forward(x, *args)

class Net(Counted):
    def __init__(self):
        super().__init__()
        self.queue, self.other = Queue(), Queue()

    def hybrid_forward(self, F, x):
        self.queue.push(x)
        return self.queue.mean() + self.other.mean()
"""


def test_methods_of_the_object_that_a_call_changes() -> None:
    source = SourceFile(Path("net.py"), QUEUE)
    event = next(e for e in module_events(source) if isinstance(e, SideEffect))
    found = [(caller.name, ast.unparse(call), method.name) for caller, call, method in called_beside(event.frame)]
    assert found == [("hybrid_forward", "self.queue.mean()", "mean")]


def test_the_forward_around_a_traced_method() -> None:
    tree = ast.parse(QUEUE)
    (entry,) = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "hybrid_forward")
    assert [method.lineno for method in wrappers_of(tree, entry)] == [14]
