"""Gradients across a scope: the values made in it that are used after it, and whether they let gradients pass."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import (
    CapturedArray,
    ContainerValue,
    EagerTracePair,
    Outputs,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import each, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.analysis.run.flow import StatementFlow


def made_in(act: Activation, scope: ast.With, before: StatementFlow) -> Iterator[tuple[str, Value]]:
    """Yield the name and value of each tensor that a scope makes and later code may use.

    These are the attributes of self that the scope stores and the names it binds that are read after it. New names for
    tensors that existed before the scope are left out.
    """
    read = flow_of(act.node).live_names_after(scope) if act.node is not None else frozenset()
    bound = names_in(scope).stores
    there = {value.identity for value in before.names.values() if isinstance(value, Tensor)} - {None}
    for name, value in act.flow.names.items():
        if isinstance(value, Tensor) and value.identity in there:
            # Another name of an array that was there before.
            continue
        if name in read and name not in bound and not isinstance(value, ContainerValue):
            # The scope only narrows what is known of the name; it does not bind it.
            continue
        if (name in read or name.startswith("self.")) and before.names.get(name) is not value:
            yield name, value


def blocked_behind(function: ast.AST | None, scope: ast.With, rest: Sequence[ast.stmt] = ()) -> frozenset[str]:
    """Return the names that are read after a scope only as the argument of an operator that stops gradients.

    `rest` are the statements behind it in its block, of which one may give a name what is behind such an operator.
    """
    stopped = dict(_stopped(rest))
    read: Counter[str] = Counter()
    blocked: Counter[str] = Counter()
    for node in walk(function or scope):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if node.lineno > (scope.end_lineno or scope.lineno):
                read[name] += name not in stopped or node.lineno <= stopped[name]
            case ast.Call(func=ast.Attribute(attr=called), args=[ast.Name(id=name)]) if lookup.stops_gradient(called):
                blocked[name] += name not in stopped or node.lineno <= stopped[name]
    return frozenset(name for name, count in blocked.items() if count == read[name])


def stopped_by_callers(act: Activation, scope: ast.With, names: Sequence[str]) -> bool:
    """Return whether all visible calls of a helper pass its result to an operator that stops gradients.

    `names` are the names that a scope binds; an empty name means the returned value. The helper only returns it.
    """
    function = act.node
    kept = any("." in name for name in names)
    if kept or act.role.entry or not isinstance(function, ast.FunctionDef):
        return False
    returned = {id(node.value) for node in each(function, ast.Return)}
    behind = (node for node in each(function, ast.Name) if node.lineno > (scope.end_lineno or scope.lineno))
    if any(node.id in names and id(node) not in returned for node in behind):
        return False
    tree = act.module.source.tree
    taken = {id(call.args[0]) for call in each(tree, ast.Call) if call.args and _stops(call)}
    calls = [call for call in each(tree, ast.Call) if _called(call) == function.name]
    return bool(calls) and all(id(call) in taken or _is_stopped_by_name(tree, call, taken) for call in calls)


def _is_stopped_by_name(tree: ast.AST, call: ast.Call, taken: Set[int]) -> bool:
    """Return whether a call is bound to a name of which each read is among the expressions in `taken`."""
    for function in each(tree, ast.FunctionDef):
        for node in each(function, ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
                    return all(id(read) in taken for read in flow_of(function).reads_of(name))
                case _:
                    pass
    return False


def _stops(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and lookup.stops_gradient(call.func.attr)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _stopped(rest: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield the names that ``x = F.BlockGrad(x)`` binds again, each with the last line on which gradients passed."""
    for statement in reversed(rest):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=bound)],
                value=ast.Call(func=ast.Attribute(attr=called), args=[ast.Name(id=name)]),
            ) if bound == name and lookup.stops_gradient(called):
                yield name, statement.end_lineno or statement.lineno


def lets_gradients_pass(value: Value) -> bool:
    """Return whether a gradient can pass through a value; True for unknown values."""
    match value:
        case Tensor() | Outputs():
            return value.flows is True
        case ContainerValue(items=None):
            return lets_gradients_pass(element(value))
        case ContainerValue(items=items):
            return any(map(lets_gradients_pass, items or ()))
        case EagerTracePair():
            return lets_gradients_pass(value.eager) or lets_gradients_pass(value.traced)
        case _:
            return isinstance(value, Unknown | CapturedArray)
