"""Guesses whether two expressions of unknown shape have one shape."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.sizes.shape_guesses import (
    is_one_element,
    keeps_shape,
    may_have_one_shape,
    root_of,
    share_a_leaf,
    shared_leaf,
)
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import met, named


@pytest.mark.parametrize(
    ("name", "keeps"),
    [("relu", True), ("clip", True), ("softmax", True), ("sum", False), ("reshape", False), ("f", False)],
)
def test_functions_whose_result_has_the_shape_of_their_data(name: str, keeps: bool) -> None:
    assert keeps_shape(name) is keeps


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("x", "x"),
        ("-x * 2 + 1", "x"),
        ("2 / x.exp()", "x"),
        ("x.clip(0, 1)", "x"),
        ("x * y", None),
        ("x.sum()", None),
        ("x[0]", None),
    ],
)
def test_the_only_tensor_of_an_expression_that_is_element_wise_in_it(text: str, root: str | None) -> None:
    assert root_of(ast.parse(text, mode="eval").body) == root


@pytest.mark.parametrize(
    ("body", "one"),
    [
        ("return x * 2 + y", True),
        ("z = F.relu(x)\nreturn z + y", True),
        ("return self.first(x) + self.second(y)", True),
        ("return self.first(x) + y", False),
        ("return x.sum() + y", False),
        ("z = x\nz = x.reshape((-1,))\nreturn z + y", False),
        ("return 2 + 3", False),
        ("return x.sum() + F.mean(y)", True),
        ("return x.sum(axis=1) + F.mean(y, axis=1)", True),
        ("return x.sum(axis=1) + F.mean(y, axis=0)", False),
        ("return x.sum(axis=1) / y.sum() + F.mean(y, axis=1)", True),
    ],
)
def test_expressions_that_may_have_one_shape(body: str, one: bool) -> None:
    frame = met(f"a = x + 0\n{body}")
    assert isinstance(frame.statement, ast.Return)
    whole = frame.statement.value
    assert isinstance(whole, ast.BinOp)
    assert may_have_one_shape(frame, whole.left, whole.right) is one


@pytest.mark.parametrize(
    ("value", "one"),
    [
        ("x.sum()", True),
        ("-F.mean(x) / 2 + y.max()", True),
        ("F.sum(x, keepdims=True)", False),
        ("x.sum(axis=0)", False),
        ("x", False),
        ("2", False),
    ],
)
def test_expressions_of_one_element(value: str, one: bool) -> None:
    frame = met(f"a = x + 0\nreturn {value}")
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    assert is_one_element(frame, frame.statement.value) is one


METHODS = """\
from mxnet.gluon import HybridBlock

class Net(HybridBlock):
    def valid(self, y):
        return y >= 0

    def score(self, F, guess, truth):
        return (F.abs(guess - truth) * truth).sum()

    def hybrid_forward(self, F, x, y):
        return self.score(F, x, y) * (x * self.valid(y)).sum()
"""


@pytest.mark.parametrize(
    ("left", "right"),
    [("F.abs(guess - truth)", "truth"), ("x", "self.valid(y)")],
    ids=["arguments of a helper", "a method that keeps the shape"],
)
def test_methods_of_the_block(left: str, right: str) -> None:
    source = SourceFile(Path("net.py"), METHODS)
    frames = [event.frame for event in module_events(source)]
    nodes = {ast.unparse(n): n for n in ast.walk(source.tree) if isinstance(n, ast.expr)}
    inside = [f for f in frames if f.function is not None and any(n is nodes[left] for n in ast.walk(f.function))]
    assert may_have_one_shape(inside[0], nodes[left], nodes[right])


@pytest.mark.parametrize(
    ("left", "right", "leaf"),
    [
        ("x", "F.relu(x + self.body(x))", "x"),
        ("F.relu(x) * 2", "y.tanh() - x", "x"),
        ("x", "F.broadcast_add(x, y)", None),
        ("x", "F.sum(x)", None),
        ("x", "y", None),
        ("x * rate", "y * rate", None),
    ],
)
def test_a_tensor_whose_shape_two_expressions_share(left: str, right: str, leaf: str | None) -> None:
    frame = met(f"rate = self.rate + 0.5\nif x.sum() > 0:\n    z = {left}\nelse:\n    z = {right}\nreturn z")
    one, other = (named(frame, ast.unparse(ast.parse(text, mode="eval").body)) for text in (left, right))
    assert shared_leaf(frame, one, other) == leaf


def test_what_both_compute_alike_has_one_shape() -> None:
    frame = met("if x.sum() > 0:\n    z = F.zeros_like(y.sum(axis=1))\nelse:\n    z = y.sum(axis=1) / 2\nreturn z")
    zeros, sums = named(frame, "F.zeros_like(y.sum(axis=1))"), named(frame, "y.sum(axis=1) / 2")
    assert share_a_leaf(frame, zeros, sums)
    assert shared_leaf(frame, zeros, sums) is None
