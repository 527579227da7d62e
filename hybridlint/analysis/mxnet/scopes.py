"""Autograd scopes, and other context managers that enter one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import Arguments, Scope
from hybridlint.analysis.model.values import STATIC_UNKNOWN, Made, ScopeOf, Static, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_STACK = "contextlib.ExitStack"
_SCOPES = frozenset({"record", "pause", "train_mode", "predict_mode"})
_SETTERS = frozenset({"mxnet.autograd.set_training", "mxnet.autograd.set_recording"})


def scope_call(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value | None:
    """Evaluate a call that returns an autograd scope or switches recording or train mode; None for other functions."""
    base = name.rpartition(".")[2]
    if name.startswith("mxnet.autograd.") and base in _SCOPES:
        return ScopeOf(base, made=(node, act.module))
    if name == _STACK:
        return Made(f"{name}()", name)
    if name not in _SETTERS:
        return None
    if args.values and isinstance(args.values[0], Static) and isinstance(args.values[0].value, bool):
        act.emit(Scope, node, name=base, modal=True, flows=True)
    return Static(STATIC_UNKNOWN)


def enter_scope(act: Activation, node: ast.Call, owner: Value, method: str, args: Arguments) -> Value | None:
    """Evaluate ``scope.__enter__()`` or ``stack.enter_context(scope)``; None for other methods.

    What is told stands where the scope is made, as that is what to change.
    """
    if isinstance(owner, Made) and owner.maker == _STACK and method == "enter_context" and args.values:
        owner = args.values[0]
    elif method != "__enter__":
        return None
    if not isinstance(owner, ScopeOf):
        return None
    made, where = owner.made or (node, act.module)
    place = made if where is act.module else node
    act.emit(Scope, place, name=owner.name, modal=True, flows=True, sure=owner.sure)
    return Unknown()
