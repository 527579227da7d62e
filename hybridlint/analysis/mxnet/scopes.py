"""Autograd scopes, and other context managers that enter one."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import callee
from hybridlint.analysis.model.events import ArgumentsEvent, ScopeEvent
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    LibraryInstance,
    ScopeMaker,
    ScopeOf,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.syntax.scope_stacks import STACK, enter_scope, is_stack, stack_scope
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_SCOPES = frozenset({"record", "pause", "train_mode", "predict_mode"})
#: Arguments that set the train mode, and scopes whose first argument does.
_MODE_ARGUMENTS = frozenset({"train_mode", "is_train"})
_WITH_MODE = frozenset({"record", "pause"})
_SETTERS = frozenset({"mxnet.autograd.set_training", "mxnet.autograd.set_recording"})


def modes_given(call: ast.Call) -> Sequence[ast.expr]:
    """Return the arguments of a call that set the mode in the scope which it makes."""
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
    first = call.args[:1] if name in _WITH_MODE else []
    return [*first, *(keyword.value for keyword in call.keywords if keyword.arg in _MODE_ARGUMENTS)]


def scope_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call that returns an autograd scope or switches recording or train mode; None for other functions."""
    base = name.rpartition(".")[2]
    if name.startswith("mxnet.autograd.") and base in _SCOPES:
        return ScopeOf(base, keeps_mode=_keeps_mode(base, args), made=(node, act.module))
    if name == STACK:
        return LibraryInstance(f"{name}()", name)
    if name not in _SETTERS:
        return None
    if args.values and isinstance(args.values[0], StaticValue) and isinstance(args.values[0].value, bool):
        act.emit(ScopeEvent, node, name=base, modal=True, flows=True)
    return StaticValue(STATIC_UNKNOWN)


@callee(ScopeMaker)
def _made_scope(act: Activation, node: ast.Call, maker: ScopeMaker, args: ArgumentsEvent) -> Value:
    return replace(maker.scope, made=(node, act.module))


def _keeps_mode(name: str, args: ArgumentsEvent) -> bool:
    """Return whether a scope is given the train mode around it as its own."""
    first = args.values[:1] if name in _WITH_MODE else ()
    given = [*first, *(value for word, value in args.keywords.items() if word in _MODE_ARGUMENTS)]
    return any(isinstance(value, StaticValue) and value.asked.endswith(".is_training") for value in given)


def entering_call(act: Activation, node: ast.Call, owner: Value, method: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate ``scope.__enter__()`` or ``stack.enter_context(scope)``; None for other methods."""
    if method == "enter_context" and is_stack(owner):
        return stack_scope(act, node, args)
    if method != "__enter__" or not isinstance(owner, ScopeOf):
        return None
    enter_scope(act, node, owner)
    return Unknown()
