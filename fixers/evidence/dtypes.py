"""Comparison of unknown dtypes: whether two tensors surely have the same one, by how they are computed."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Tensor, Value
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts import lookup, properties


def keeps_dtype(node: ast.Call, name: str) -> bool:
    """Whether a function or method returns the dtype of its tensor arguments; false if the call names a dtype."""
    operator = lookup.of_tensors(name) or lookup.function((dotted_parts(node.func) or ())[1:-1], name)
    chosen = any(keyword.arg in {"dtype", "out_dtype"} for keyword in node.keywords)
    return operator is not None and properties.keeps_dtype(operator) and not chosen


def of_one_dtype(frame: CodeContext, left: Value, right: Value, nodes: tuple[ast.expr, ast.expr]) -> bool:
    """Whether two tensors surely have the same dtype: both are known, or follow from one same argument or name."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return False
    if left.type.dtype is not None or right.type.dtype is not None:
        return left.type.dtype == right.type.dtype
    first, second = (_sources(frame, node, frozenset()) for node in nodes)
    return first is not None and first == second and len(first) == 1


def _sources(frame: CodeContext, node: ast.expr, within: frozenset[str]) -> frozenset[str] | None:
    """Return the names of the arguments that determine an expression's dtype; None if anything else determines it."""
    match node:
        case ast.Constant(value=int() | float()):
            return frozenset()
        case ast.Name(id=name):
            return _of_name(frame, name, within)
        case ast.BinOp(left=left, right=right):
            return _all(frame, [left, right], within)
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Subscript(value=inner):
            return _sources(frame, inner, within)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name) as function, args=args) if keeps_dtype(node, name):
            own = (dotted_parts(function) or ("",))[0] == frame.functions
            tensors = [a for a in args if not isinstance(frame.seen.value(a), StaticValue)]
            return _all(frame, tensors if own else [receiver, *tensors], within)
    return None


def _all(frame: CodeContext, nodes: list[ast.expr], within: frozenset[str]) -> frozenset[str] | None:
    found = [_sources(frame, node, within) for node in nodes]
    known = [part for part in found if part is not None]
    return frozenset().union(*known) if len(known) == len(found) else None


def _of_name(frame: CodeContext, name: str, within: frozenset[str]) -> frozenset[str] | None:
    """Return the names of the arguments that determine the dtype of a name, over all values bound to it.

    A name that is bound once, to something else, represents itself.
    """
    if name in within:
        return frozenset()
    bindings = frame.flow.bindings_of(name) if frame.function is not None else ()
    made = [b.assigned for b in bindings if b.assigned is not None]
    given = any(b.kind is BindingKind.PARAMETER for b in bindings)
    if not bindings or len(made) + given != len(bindings):
        return None
    found = _all(frame, made, within | {name})
    if found is None and len(made) == 1 and not given:
        # What determines it is the same for all that is computed from the name.
        return frozenset({name})
    return None if found is None else found | ({name} if given else frozenset())
