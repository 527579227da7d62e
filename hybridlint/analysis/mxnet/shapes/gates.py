"""Gates: tensors of one channel or feature that scale all channels of another tensor."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Binary, CodeContext
from hybridlint.analysis.model.shapes import features
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.analysis.mxnet.argument_dependence import computed_from
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import Shape
from hybridlint.text.syntax import walk


def is_gated(event: Binary) -> bool:
    """Return whether one operand has a single channel that is probably meant for all those of the other.

    The layer before the gate has one output. The other operand has as many as another layer gives, or is the argument
    that the gate is computed from.
    """
    if event.symbol not in {"*", "+", "-"}:
        return False
    left, right = (event.left_node, event.left), (event.right_node, event.right)
    return _scales(event, *left, *right) or _scales(event, *right, *left)


def _scales(event: Binary, node: ast.expr, gate: Value, other_node: ast.expr, other: Value) -> bool:
    if not isinstance(gate, Tensor) or not isinstance(other, Tensor) or gate.origin != "operator":
        return False
    if gate.type.shape is None:
        return features(gate) == 1 and (features(other) == 0 or _weighs(event, node, other_node, other))
    if not (_is_of_places(gate.type.shape) or _is_only_output(gate)):
        return False
    if other.type.shape is None or _is_only_ranked(event.frame, other):
        return 1 in gate.type.shape and _weighs(event, node, other_node, other)
    if other.origin != "operator" or len(other.type.shape) != len(gate.type.shape):
        return False
    pairs = list(zip(gate.type.shape, other.type.shape, strict=True))
    return any(a == 1 and isinstance(b, Dim) for a, b in pairs) and not any(b == 1 for _, b in pairs)


def _is_only_ranked(frame: CodeContext, tensor: Tensor) -> bool:
    """Return whether a tensor has the shape of an argument of which nothing but the number of axes is known."""
    shape = tensor.type.shape
    if shape is None or not all(isinstance(size, Dim) and size.anonymous for size in shape):
        return False
    names = (frame.seen.value(n) for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name))
    return any(isinstance(v, Tensor) and v.origin == "argument" and v.type.shape == shape for v in names)


def _weighs(event: Binary, node: ast.expr, other_node: ast.expr, other: Tensor) -> bool:
    """Return whether a product multiplies an argument by a value computed from it, like attention weights."""
    if event.symbol != "*" or other.origin != "argument" or _weighs_itself(event, other_node):
        return False
    return _is_made_from(event, node, other_node)


def _weighs_itself(event: Binary, node: ast.expr) -> bool:
    """Return whether the statement mixes two terms by a name's value: ``x * F.log(y) + (1 - x) * F.log(1 - y)``."""
    for part in walk(event.frame.statement or ast.Pass()):
        match part:
            case ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=ast.Name(id=name)):
                if isinstance(node, ast.Name) and name == node.id:
                    return True
    return False


def _is_of_places(shape: Shape) -> bool:
    """Return whether a shape has an axis of unknown size besides the batch: time, or the sides of an image."""
    return any(isinstance(size, Dim) for size in shape[1:])


def _is_only_output(tensor: Tensor) -> bool:
    """Return whether a tensor is a layer's only output for each row of a batch, as in a value function."""
    return tensor.lineage is not None and tensor.lineage.steps[-1:] in {("single",), ("narrowed",)}


def _is_made_from(event: Binary, node: ast.expr, source: ast.expr) -> bool:
    """Return whether a name is an argument of the function from which an expression is computed, perhaps indirectly."""
    function = event.frame.function
    if not isinstance(source, ast.Name) or function is None:
        return False
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    rebound = event.frame.flow.rebindings_of(source.id)
    return not rebound and not names.isdisjoint(computed_from(function, {source.id}))
