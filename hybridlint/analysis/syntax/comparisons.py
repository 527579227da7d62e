"""Comparisons ``==``, ``is`` and ``in``, and their effect on tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from hybridlint.analysis import semantics
from hybridlint.analysis.flow.lookups import find_compared, position
from hybridlint.analysis.flow.truth import certain, outcome
from hybridlint.analysis.model import options
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.lattice import in_world, per_world
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    Namespace,
    OperatorRef,
    Outputs,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.analysis.syntax.arithmetic import Operand, binary
from hybridlint.analysis.syntax.hashing import emit_hashing
from hybridlint.analysis.syntax.special_methods import special

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def compare(act: Activation, node: ast.Compare, op: ast.cmpop, left: Operand, right: Operand) -> Value:
    """Evaluate one comparison."""
    if isinstance(op, ast.Is | ast.IsNot):
        found = semantics.library.identity(left[1], right[1])
        return _negated(found) if isinstance(op, ast.IsNot) else found
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(act, node, left[1], right[1])
    if isinstance(op, ast.Eq | ast.NotEq) and _is_namespace_test(left[1], right[1]):
        same = semantics.library.identity(left[1], right[1])
        return _negated(same) if isinstance(op, ast.NotEq) else same
    result = binary(act, node, op, left, right)
    known = options.compare_options(op, left[1], right[1])
    return result if known is None else StaticValue(known, certain=True)


def _membership(act: Activation, node: ast.Compare, left: Value, right: Value) -> Value:
    negated = isinstance(node.ops[0], ast.NotIn)
    if isinstance(right, DataDependentValue):
        return right
    if isinstance(left, EagerTracePair) or isinstance(right, EagerTracePair):
        sides = {world: (in_world(left, world), in_world(right, world)) for world in act.flow.worlds}
        with act.run.reporting.silently():
            return per_world({world: certain(_membership(act, node, *pair)) for world, pair in sides.items()})
    if isinstance(right, Tensor) and not right.optional:
        act.emit(Branch, node, kind="in", condition=node, value=right)
    elif isinstance(right, Outputs) and right.mode == "legacy" and isinstance(left, Tensor):
        act.emit(Branch, node, kind="in", condition=node, value=left)
    elif isinstance(right, ContainerValue) and right.kind in {"dict", "set"}:
        emit_hashing(act, node, left)
    elif isinstance(right, ContainerValue) and (tensor := find_compared(left, right)) is not None:
        act.emit(Branch, node, kind="in", condition=node, value=tensor)
    named = isinstance(left, Tensor | Namespace | External | OperatorRef)
    if named and isinstance(right, ContainerValue) and right.items is not None:
        at = [position(left, right.items, world) for world in ("eager", "traced")]
        return outcome(*(None if place is None else (place < len(right.items)) is not negated for place in at))
    special(act, node, right, "__contains__", left)
    sure = options.is_contained(left, right)
    if sure is not None:
        return StaticValue(sure is not negated, certain=True)
    if right == External("os.environ") and isinstance(left, StaticValue):
        # Environment variables are assumed to be unset.
        return StaticValue(negated, certain=True)
    known = _contained(left, right, negated=negated)
    return TRUE_OR_FALSE if known is STATIC_UNKNOWN else StaticValue(known)


def _contained(item: Value, container: Value, *, negated: bool) -> Any:
    if not isinstance(item, StaticValue) or item.value is STATIC_UNKNOWN:
        return STATIC_UNKNOWN
    if isinstance(container, StaticValue) and isinstance(container.value, str) and isinstance(item.value, str):
        return (item.value in container.value) is not negated
    values = container.items if isinstance(container, ContainerValue) and container.kind != "dict" else None
    if values is None or not all(isinstance(v, StaticValue) and v.value is not STATIC_UNKNOWN for v in values):
        return STATIC_UNKNOWN
    return (item.value in [v.value for v in values if isinstance(v, StaticValue)]) is not negated


def _is_namespace_test(left: Value, right: Value) -> bool:
    return (
        isinstance(left, Namespace)
        or isinstance(right, Namespace)
        or (isinstance(left, EagerTracePair) and isinstance(left.eager, External))
    )


def _negated(value: Value) -> Value:
    match value:
        case StaticValue(value=bool() as known):
            return StaticValue(not known, value.certain)
        case EagerTracePair():
            return EagerTracePair(_negated(value.eager), _negated(value.traced))
        case _:
            return value
