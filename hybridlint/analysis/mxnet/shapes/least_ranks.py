"""How many dimensions tensors of unknown shape have at least, as the operators that take them show."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.types import TensorType, unknown_shape

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.runtime.facts.abstract.layers import Layer
    from hybridlint.runtime.facts.registry import Operator


#: No array has more dimensions.
_MOST_AXES = 64


def note_rank(act: Activation, operator: Operator | None, params: Mapping[str, Any] | None, data: Value | None) -> None:
    """Remember that a tensor has the axis that an operator names, which it does not add.

    Only what each call of the block runs tells it: a branch may be taken for tensors of more dimensions alone.
    """
    axis = None if params is None else params.get("axis")
    if operator is None or params is None or type(axis) is not int or not 1 <= axis < _MOST_AXES:
        return
    if not _runs_each_time(act):
        return
    root = _root(data)
    if root is None or not _needs(operator, params, axis):
        return
    known = act.run.blocks.least_ranks
    known[root] = max(known.get(root, 0), axis + 1)


def least_rank(act: Activation, layer: Layer, data: Value) -> int:
    """Return how many dimensions a layer's result has at least, 0 if nothing is known of it."""
    root = _root(data)
    given = act.run.blocks.least_ranks.get(root, 0) if root is not None else 0
    made = layer.type_of(TensorType(unknown_shape(given))).shape if given else None
    return len(made or ())


def _root(data: Value | None) -> int | None:
    """Return the identity of a tensor's unknown shape, None for other values."""
    if not isinstance(data, Tensor) or data.type.shape is not None or data.lineage is None or data.lineage.steps:
        return None
    return data.lineage.root


def _needs(operator: Operator, params: Mapping[str, Any], axis: int) -> bool:
    shapes = (TensorType(unknown_shape(rank)) for rank in (axis, axis + 1))
    without, with_axis = (properties.first_output(operator, (one,), params) for one in shapes)
    return without is None and with_axis is not None


def _runs_each_time(act: Activation) -> bool:
    own = act.role.entry and isinstance(act.node, ast.FunctionDef) and act.place.block is act.node.body
    statement = act.place.statement
    return (
        own and isinstance(statement, ast.Assign | ast.Expr) and not isinstance(statement.value, ast.IfExp | ast.BoolOp)
    )
