"""Hooks on children, which ``__init__`` attaches and may detach again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.effects import may_have_effect
from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.values import External, Hook, ProjectObject, Static, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Methods of blocks that attach a hook.
HOOKS = frozenset({"register_forward_hook", "register_forward_pre_hook", "register_op_hook"})
#: The prefix of the number of a handle.
_HANDLE = "hook:"


def put_on(act: Activation, instance: ProjectObject, node: ast.Call, args: Arguments) -> Value:
    """Record a hook, unless it does nothing, and return its handle."""
    if not args.values or may_have_effect(args.values[0]):
        instance.hooks.append(Hook(node, act.module.source.code(node.func)))
    return External(_handle(node))


def take_off(act: Activation, node: ast.Call, name: str, args: Arguments) -> Value | None:
    """Evaluate ``handle.detach()`` of a hook; None for other functions."""
    if not name.startswith(_HANDLE) or not name.endswith(".detach") or act.this is None:
        return None
    instance = act.this.instance
    instance.hooks = [hook for hook in instance.hooks if f"{_handle(hook.node)}.detach" != name]
    return Static(None)


def _handle(node: ast.AST) -> str:
    return f"{_HANDLE}{id(node)}"
