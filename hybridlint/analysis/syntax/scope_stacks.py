"""Stacks of scopes, ``contextlib.ExitStack``: leaving the stack leaves every scope that it entered."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import ArgumentsEvent, ScopeEvent
from hybridlint.analysis.model.values import LibraryInstance, ScopeOf, SelfRef, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: The class of stacks of scopes.
STACK = "contextlib.ExitStack"


def is_stack(value: Value) -> bool:
    """Return whether a value is a stack of scopes, or an object of a project class derived from it."""
    match value:
        case LibraryInstance(maker=maker):
            return maker == STACK
        case SelfRef(instance=instance):
            return STACK in instance.info.foreign_bases
        case _:
            return False


def stack_scope(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``stack.enter_context(scope)``: where a ``with`` has entered the stack, the scope ends with it."""
    scope = args.values[0] if args.values else Unknown()
    if isinstance(scope, ScopeOf):
        enter_scope(act, node, scope)
    return Unknown()


def enter_scope(act: Activation, node: ast.Call, scope: ScopeOf) -> None:
    """Enter a scope by a call. The ``with`` around the call ends it; without a ``with`` it stays open."""
    around, place = act.run.surroundings, place_of_scope(act, node, scope)
    if around.stacked is None:
        act.emit(ScopeEvent, place, name=scope.name, modal=True, flows=True, sure=scope.sure)
        return
    around.stacked.append((scope, place))
    around.scopes += [scope.name] if scope.sure else []


def place_of_scope(act: Activation, node: ast.expr, scope: ScopeOf) -> ast.AST:
    """Return the expression to change for a scope: its creation, or the call if the creation is in another file."""
    made, where = scope.made or (node, act.module)
    return made if where is act.module else node
