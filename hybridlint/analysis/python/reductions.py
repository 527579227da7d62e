"""Builtins that compare or add the elements of an iterable: ``sum``, ``max``, ``min``, ``any``, ``all``, ``sorted``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.lookups import compared_in_order
from hybridlint.analysis.flow.truth import outcome, truth
from hybridlint.analysis.model.events import ArgumentsEvent, Branch, Concretize
from hybridlint.analysis.model.lattice import join_all
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    Outputs,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.syntax.arithmetic import binary
from hybridlint.analysis.syntax.iteration import iterate, steps

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

REDUCTIONS = frozenset({"sum", "max", "min", "any", "all", "sorted"})


def is_tensor(value: Value | None) -> bool:
    """Return whether a value is known to be one tensor or the outputs of an operator."""
    return isinstance(value, Outputs) or (isinstance(value, Tensor) and not value.optional)


def emit_order(act: Activation, node: ast.Call, values: Sequence[Value]) -> None:
    """Emit an event for comparing values with each other, if that tests the truth of a tensor."""
    for left, right in pairwise(values):
        tensor = next(filter(is_tensor, (left, right)), None) or compared_in_order(left, right)
        if tensor is not None:
            act.emit(Branch, node, kind="or", condition=node, value=tensor)
            return


def emit_order_in(act: Activation, node: ast.Call, container: Value, each: Value) -> None:
    """Emit an event for comparing the elements of a container; `each` is their join."""
    known = container.items if isinstance(container, ContainerValue) and container.kind != "dict" else None
    emit_order(act, node, (each, each) if known is None else known)


def reduction(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a builtin that reduces, searches or sorts an iterable."""
    if len(args.values) > 1 and name in {"max", "min"}:
        for value in args.values:
            _apply_key(act, node, value, args)
        return _choice(act, node, name, args)
    value = args.values[0]
    if isinstance(value, Tensor) and is_tensor(value):
        act.emit(Concretize, node, how=name, value=value)
        if name in {"any", "all"}:
            act.emit(Branch, node, kind="not", condition=args.nodes[0], value=value)
        return ContainerValue("list", None, act.tensor()) if name == "sorted" else act.tensor()
    inner = iterate(act, value, node, name)
    _apply_key(act, node, inner, args)
    if name in {"any", "all"} and isinstance(inner, Tensor) and not isinstance(value, Outputs):
        act.emit(Branch, node, kind="or", condition=node, value=inner)
    if name in {"max", "min", "sorted"} and "key" not in args.keywords and not isinstance(value, Outputs):
        emit_order_in(act, node, value, inner)
    if name == "sorted":
        return ContainerValue("list", None, inner)
    if name == "sum":
        return _sum(act, node, inner, args)
    return _answer(name, value) if name in {"any", "all"} else inner


def _answer(name: str, value: Value) -> Value:
    """Return the result of ``any`` or ``all`` of a container in each run."""
    if not isinstance(value, ContainerValue) or value.items is None:
        return TRUE_OR_FALSE
    decisive = name == "any"
    truths = [[truth(item, world) for item in value.items] for world in ("eager", "traced")]
    return outcome(*(decisive if decisive in known else None if None in known else not decisive for known in truths))


def _apply_key(act: Activation, node: ast.Call, value: Value, args: ArgumentsEvent) -> None:
    """Emit an event if the ``key`` function, whose results are compared, returns a tensor for a value."""
    if "key" in args.keywords:
        key = apply(act, node, args.keywords["key"], (value,))
        if is_tensor(key):
            act.emit(Branch, node, kind="or", condition=node, value=key)


def _choice(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate ``max(a, b)``: with a tensor among the arguments it tests the truth of a comparison."""
    if "key" not in args.keywords:
        emit_order(act, node, args.values)
    if any(isinstance(v, DataDependentValue) for v in args.values):
        return next(v for v in args.values if isinstance(v, DataDependentValue))
    return join_all(list(args.values))


def _sum(act: Activation, node: ast.Call, inner: Value, args: ArgumentsEvent) -> Value:
    """Evaluate ``sum``: each element added to the start."""
    data, *start = args.values
    known = steps(data)
    arrays = any(isinstance(item, Tensor | CapturedArray) for item in known or ())
    if known is not None and (arrays or not isinstance(inner, DataDependentValue | Unknown) or not known):
        total: Value = start[0] if start else args.keywords.get("start", StaticValue(0))
        with act.run.reporting.rewriting():
            for item in known:
                total = binary(act, node, ast.Add(), (node, total), (node, item))
        return total
    if isinstance(inner, Tensor):
        return act.tensor(type=inner.type, lineage=inner.lineage)
    if isinstance(inner, StaticValue):
        return StaticValue(STATIC_UNKNOWN)
    return inner if isinstance(inner, DataDependentValue | CapturedArray) else Unknown()
