"""Guesses whether two expressions of unknown shape have the same shape."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Static
from hybridlint.fixers.toolkit.names import dotted, required_inputs
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text.syntax import walk


def keeps_shape(name: str) -> bool:
    """Whether a function or method of tensors returns the shape of its first tensor."""
    operator = lookup.of_tensors(name)
    return operator is not None and properties.keeps_shape(operator)


def _keeps_one_shape(name: str) -> bool:
    """Whether a function of several tensors of one shape returns that shape."""
    operator = lookup.function((), name)
    return operator is not None and properties.is_elementwise(operator)


def may_have_one_shape(frame: Frame, left: ast.expr, right: ast.expr) -> bool:
    """Whether two expressions may have the same shape.

    They may if both are element-wise in inputs, or if both are outputs of children.
    """
    sources = {_source(frame, side, frozenset()) for side in (left, right)}
    return len(sources) == 1 and not sources & {None, "number"}


def root_of(node: ast.expr) -> str | None:
    """Return the tensor's name in an expression that is element-wise in that tensor alone; None otherwise.

    The expression then has the tensor's shape.
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, right=ast.Constant(value=int() | float())):
            return root_of(left)
        case ast.BinOp(left=ast.Constant(value=int() | float()), right=right):
            return root_of(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return root_of(operand)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=args) if keeps_shape(method):
            return root_of(receiver) if all(isinstance(a, ast.Constant) for a in args) else None
    return None


def _source(frame: Frame, node: ast.expr, within: frozenset[str]) -> str | None:
    """Return where an expression's shape comes from: "input", "child" or "number"; None if it is unknown."""
    parts: list[ast.expr] = []
    match node:
        case ast.Constant(value=int() | float()):
            return "number"
        case ast.Attribute() if isinstance(frame.seen.value(node), Static):
            return "number"
        case ast.Name(id=name):
            return _of_name(frame, name, within)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            parts = [inner]
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(value=receiver, attr=name) as function, args=args):
            path = dotted(function) or ("",)
            if path[0] == "self" and len(path) == 2:
                return "child"
            if path[0] == frame.functions and _keeps_one_shape(name):
                parts = args
            elif path[0] != frame.functions and keeps_shape(name):
                parts = [receiver]
    return _joined({_source(frame, part, within) for part in parts}) if parts else None


def _joined(sources: set[str | None]) -> str | None:
    known = sources - {"number"}
    if not known:
        return "number"
    return known.pop() if len(known) == 1 else None


def _of_name(frame: Frame, name: str, within: frozenset[str]) -> str | None:
    nodes = list(walk(frame.function or ast.Pass()))
    stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    made = [n for n in nodes if isinstance(n, ast.Assign | ast.AugAssign)]
    targets = [(n.targets if isinstance(n, ast.Assign) else [n.target], n.value) for n in made]
    values = [value for group, value in targets for target in group if any(target is store for store in stores)]
    if len(values) != len(stores) or (not stores and name not in required_inputs(frame)):
        return None
    sources = {_source(frame, value, within | {name}) for value in values} if name not in within else set()
    return _joined({*sources, *(["input"] if name in required_inputs(frame) else [])})
