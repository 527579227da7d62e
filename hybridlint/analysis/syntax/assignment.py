"""Assignments: binding targets to values."""

from __future__ import annotations

import ast
from typing import Any

from hybridlint.analysis import semantics
from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.dispatch import evaluate, expression, statement
from hybridlint.analysis.model.events import SideEffect
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Unknown, Value
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.syntax.arithmetic import in_place
from hybridlint.analysis.syntax.attributes import store_attribute
from hybridlint.analysis.syntax.iteration import elements, iterate
from hybridlint.analysis.syntax.subscripts import store


def assign(act: Activation, target: ast.expr, value: Value, node: ast.AST) -> None:
    """Bind a target to a value. Events are emitted at `node`."""
    match target:
        case ast.Name(id=name):
            if name in act.run.owners:
                for stale in [k for k in act.flow.names if k.startswith(f"{name}.")]:
                    del act.flow.names[stale]
            _bind(act, name, value, node)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            _unpack(act, parts, value, node)
        case ast.Starred(value=inner):
            assign(act, inner, value, node)
        case ast.Attribute():
            store_attribute(act, target, value, node)
        case ast.Subscript():
            store(act, target, value, node)
        case _:
            return


def _bind(act: Activation, name: str, value: Value, node: ast.AST) -> None:
    """Bind a name, emitting an event if it belongs to an enclosing function or to one that has already returned."""
    if name in act.nonlocals:
        _, body = act.holder(name)
        changes = body in act.run.project.dialect.runs_all or not _is_constant(value) or _reads(act.node, name)
        if changes and (act.is_kept(name) or body is not None):
            act.emit(SideEffect, node, kind="nonlocal", target=name, carried=body is None, body=body)
    act.bind(name, semantics.library.found_operators(act, name, value) if act.role.unreached else value)


def _is_constant(value: Value) -> bool:
    return isinstance(value, StaticValue) and value.value is not STATIC_UNKNOWN


def _reads(function: ast.FunctionDef | ast.Lambda | None, name: str) -> bool:
    """Return whether a function reads a name or augments its value."""
    return function is not None and name in names_in_body(function).reads


def _unpack(act: Activation, parts: list[ast.expr], value: Value, node: ast.AST) -> None:
    starred = next((i for i, p in enumerate(parts) if isinstance(p, ast.Starred)), None)
    if starred is None:
        for part, item in zip(parts, elements(act, value, len(parts), node), strict=False):
            assign(act, part, item, node)
        return
    if isinstance(value, ContainerValue) and value.items is not None and len(value.items) >= len(parts) - 1:
        after = len(parts) - starred - 1
        end = len(value.items) - after
        middle = ContainerValue("list", value.items[starred:end])
        for part, item in zip(parts, (*value.items[:starred], middle, *value.items[end:]), strict=True):
            assign(act, part, item, node)
        return
    each = iterate(act, value, node, "unpacking")
    for part in parts:
        assign(act, part, ContainerValue("list", None, each) if isinstance(part, ast.Starred) else each, node)


@statement(ast.Assign)
def _assign(act: Activation, node: ast.Assign) -> None:
    value = evaluate(act, node.value)
    for target in node.targets:
        assign(act, target, value, node)


@statement(ast.AnnAssign)
def _ann_assign(act: Activation, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(act, node.target, evaluate(act, node.value), node)


@statement(ast.AugAssign)
def _aug_assign(act: Activation, node: ast.AugAssign) -> None:
    target = evaluate(act, _reading(node.target)) if not isinstance(node.target, ast.Subscript) else Unknown()
    value = evaluate(act, node.value)
    if isinstance(node.target, ast.Subscript):
        store(act, node.target, _updated(act, node, value), node)
        return
    result = in_place(act, node, target, value)
    # `x += y` on an array in an attribute of self writes into it and stores it again: one event covers both.
    if isinstance(node.target, ast.Name):
        _bind(act, node.target.id, result, node)
    elif isinstance(node.target, ast.Attribute):
        assign(act, node.target, result, node)


@expression(ast.NamedExpr)
def _named_expr(act: Activation, node: ast.NamedExpr) -> Value:
    value = evaluate(act, node.value)
    act.flow.names[node.target.id] = value
    return value


def _updated(act: Activation, node: ast.AugAssign, value: Value) -> Value:
    """Evaluate ``a[i] op value`` for a container's element; for a tensor, emit an event for the store itself."""
    assert isinstance(node.target, ast.Subscript)
    holder = evaluate(act, node.target.value)
    if not isinstance(holder, ContainerValue):
        return value
    with act.run.reporting.silently():
        old = evaluate(act, _reading(node.target))
    return in_place(act, node, old, value)


def _reading(target: ast.expr) -> ast.expr:
    """Return the expression that reads the target of an assignment."""
    copied: Any = type(target)(**{f: getattr(target, f) for f in target._fields})
    copied.ctx = ast.Load()
    ast.copy_location(copied, target)
    return copied  # type: ignore[no-any-return]
