"""Whether stopping a gradient leaves a layer without any gradient: MXNet crashes in such a recorded backward pass.

Measured on MXNet 1.9.1: ``F.BlockGrad(F.relu(dense(x)))``, recorded eagerly, ends the process in the backward pass
unless another gradient reaches the output of `dense`, and so do other operators on outputs of Dense, convolutions and
normalizations. ``x.detach()`` and graphs do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef
from hybridlint.fixers.toolkit.names import values_bound
from hybridlint.text.syntax import walk


def leaves_layer_without_gradient(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression is the only reader of a layer's output: without its gradient the layer has none."""
    parts = _computed_from(frame, node)
    inside = {id(n) for part in parts for n in walk(part)}
    read = {
        n.id
        for n in walk(frame.function or ast.Pass())
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside
    }
    kept = {id(value) for name in read for value in values_bound(frame, ast.Name(name, ast.Load()))}
    return any(id(call) not in kept for part in parts for call in _layers(frame, part))


def _computed_from(frame: CodeContext, node: ast.expr) -> list[ast.expr]:
    """Return an expression and, for the names that it reads, the expressions bound to them, transitively."""
    found, seen = [node], {id(node)}
    for part in found:
        for name in walk(part):
            if isinstance(name, ast.Name):
                new = [value for value in values_bound(frame, name) if id(value) not in seen]
                found += new
                seen |= set(map(id, new))
    return found


def _layers(frame: CodeContext, node: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls of blocks in an expression, and of all that belongs to the block itself."""
    for call in walk(node):
        if isinstance(call, ast.Call) and (_is_own(call.func) or isinstance(frame.seen.value(call.func), BlockRef)):
            yield call


def _is_own(node: ast.expr) -> bool:
    """Whether an expression reads something of ``self``: a child, one of a list of children, a method."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self"
