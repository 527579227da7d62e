"""Hooks on children, which ``__init__`` attaches and may detach again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.effects import may_have_effect
from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.values import Hook, ProjectObject, Static, Value
from hybridlint.analysis.mxnet.objects import HookHandle

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Methods of blocks that attach a hook.
HOOKS = frozenset({"register_forward_hook", "register_forward_pre_hook", "register_op_hook"})


def put_on(act: Activation, instance: ProjectObject, node: ast.Call, args: Arguments) -> Value:
    """Record that a hook is attached to a child, unless the hook does nothing, and return its handle."""
    target = act.module.source.code(node.func)
    if not args.values or may_have_effect(args.values[0]):
        instance.hooks.append(Hook(node, target))
    return HookHandle(target, node)


def take_off(act: Activation, handle: HookHandle, method: str) -> Value | None:
    """Evaluate ``handle.detach()``, which removes the hook again; None for other methods."""
    if method != "detach" or act.this is None:
        return None
    instance = act.this.instance
    instance.hooks = [hook for hook in instance.hooks if hook.node is not handle.node]
    return Static(None)
