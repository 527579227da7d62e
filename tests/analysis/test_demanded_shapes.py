"""What code demands of the shapes of arguments, so that a call runs through."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hybridlint.analysis.mxnet.shapes.demanded_shapes import Demand, demanded_shapes
from hybridlint.runtime.facts.abstract.layers import Layer, layer

LAYERS = {
    "self.conv": layer("Conv2D", (3, 1)),
    "self.dense": layer("Dense", (2,), (("in_units", 4), ("flatten", False))),
    "self.flat": layer("Dense", (2,), (("in_units", 4),)),
}
DEMANDS = {
    "an operator": ("return x.transpose((0, 2, 1))", {"x": Demand(3)}),
    "an operator that takes several ranks": ("return F.batch_dot(x, x)", {}),
    "behind other operators": ("y = F.relu(x) * 2\nreturn F.transpose(-y, axes=(0, 2, 1))", {"x": Demand(3)}),
    "behind a sum": ("n = F.sum(x * x, axis=2, keepdims=True)\nreturn n.transpose((0, 2, 1))", {"x": Demand(3)}),
    "behind a sum without keepdims": ("n = F.sum(x, axis=2)\nreturn n.transpose((0, 2, 1))", {"x": Demand(4)}),
    "behind two tensors": ("n = x + y\nreturn n.transpose((0, 2, 1))", {}),
    "unpacked": ("b, c, h, w = x.shape\nreturn x", {"x": Demand(4)}),
    "unpacked behind a star": ("*_, h, w = x.shape\nreturn x", {}),
    "a layer": ("return self.conv(x)", {"x": Demand(4)}),
    "a last axis": ("return self.dense(F.relu(x))", {"x": Demand(None, 4)}),
    "a flattening layer": ("return self.flat(x)", {}),
    "a rank and a last axis": ("y = self.dense(x)\nreturn x.transpose((0, 2, 1))", {"x": Demand(3, 4)}),
    "a name that is bound again": ("x = F.sum(x, axis=0)\nreturn x.transpose((0, 2, 1))", {"x": Demand(4)}),
    "a name that a branch binds again": ("if y is None:\n    x = y\nreturn x.transpose((0, 2, 1))", {}),
    "in a branch": ("if self.a:\n    y = x.transpose((0, 2, 1))\nreturn x", {}),
    "behind a branch": ("if self.a:\n    y = F.relu(y)\nreturn x.transpose((0, 2, 1))", {"x": Demand(3)}),
    "behind a branch that returns": ("if self.a:\n    return y\nreturn x.transpose((0, 2, 1))", {}),
    "in a scope": ("with autograd.pause():\n    z = x.transpose((0, 2, 1))\nreturn z", {"x": Demand(3)}),
    "a choice": ("return x.transpose((0, 2, 1)) if self.a else x", {}),
    "axes that a setting names": ("return x.transpose(self.axes)", {}),
    "a contradiction": ("y = x.transpose((0, 2, 1))\nreturn x.transpose((1, 0))", {"x": Demand()}),
}


def _layer_of(part: ast.expr) -> Layer | None:
    return LAYERS.get(ast.unparse(part))


@pytest.mark.parametrize(("body", "demands"), DEMANDS.values(), ids=DEMANDS.keys())
def test_demands(body: str, demands: dict[str, Demand]) -> None:
    function = ast.parse("def hybrid_forward(self, F, x, y):\n" + textwrap.indent(body, "    ")).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert demanded_shapes(function, "F", _layer_of) == demands
