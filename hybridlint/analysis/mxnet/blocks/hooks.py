"""Hooks that ``__init__`` attaches, to children or to the block itself, and may detach again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.flow.effects import may_have_effect
from hybridlint.analysis.model.events import ArgumentsEvent, SideEffect, TraceConstant
from hybridlint.analysis.model.values import (
    BlockRef,
    ContainerValue,
    Hook,
    ProjectObject,
    SelfRef,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.blocks.objects import HookHandle
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo
    from hybridlint.analysis.run.run import AnalysisRun

#: Methods of blocks that attach a hook, with the number of arguments that it gets; None for hooks on operators.
HOOKS = {"register_forward_hook": 3, "register_forward_pre_hook": 2, "register_op_hook": 0}
#: How deeply blocks hold each other, as far as they are looked at.
_DEEPEST = 4


def put_on(act: Activation, node: ast.Call, name: str, block: Value, args: ArgumentsEvent) -> Value:
    """Record that a hook is attached to a child, unless the hook does nothing, and return its handle.

    It may be an object or a function that attaches it, for the block that is under construction.
    """
    target = act.module.source.code(node.func)
    function = args.values[0] if args.values else Unknown()
    instance = _attaching(act)
    attached = act.run.blocks.attached if instance is None else instance.hooks
    if attached is not None and may_have_effect(function):
        own = act.this is not None and act.this.instance is instance
        attached.append(Hook(node, target, function, block, HOOKS[name], act.module, own))
    return HookHandle(target, node)


def put_around(act: Activation, node: ast.Call, name: str, this: SelfRef, args: ArgumentsEvent) -> Value:
    """Record that a hook is attached to the block under construction itself."""
    function = args.values[0] if args.values else Unknown()
    target = act.module.source.code(node.func)
    hook = Hook(node, target, function, BlockRef("", None), HOOKS[name], act.module, own=True)
    this.instance.around.append(hook)
    return Unknown()


def take_off(act: Activation, handle: HookHandle, method: str) -> Value | None:
    """Evaluate ``handle.detach()``, which removes the hook again; None for other methods."""
    instance = _attaching(act)
    attached = act.run.blocks.attached if instance is None else instance.hooks
    if method != "detach" or attached is None:
        return None
    attached[:] = [hook for hook in attached if hook.node is not handle.node]
    return StaticValue(None)


def _attaching(act: Activation) -> ProjectObject | None:
    """Return the block whose ``__init__`` runs here."""
    if act.this is not None and act.this.instance.info.block:
        return act.this.instance
    made = act.run.blocks.constructed
    return made[-1] if made else None


def traced_hooks(run: AnalysisRun, info: ClassInfo, instance: ProjectObject) -> Iterator[Hook]:
    """Yield the hooks of a block that run during a trace; for an eager block, only hooks inside its children."""
    inside = None if info.hybrid else frozenset(_inside(run, instance))
    for hook in instance.hooks:
        blocks = [one for block in blocks_in(hook.block) for one in block.alternatives or (block,)]
        if hook.module is run.module and (inside is None or any(one.creation in inside for one in blocks)):
            yield hook


def run_hook(run: AnalysisRun, hook: Hook, instance: ProjectObject | None = None) -> None:
    """Emit the events of a hook's body, which gets Symbols.

    Code that runs once is left out, as it is reported where the hook is attached.

    `instance` is the block whose ``__init__`` attaches it, None for one that a function attaches.
    """
    if not hook.given or run.budget.exhausted:
        return
    act = Activation(run, run.module, None, mode=run.module.mode, role=Role(inner=True))
    if instance is not None:
        act.owner, act.this, act.mode = instance.info, SelfRef(instance), instance.info.mode
    data = act.tensor(origin="argument")
    values = (hook.block, ContainerValue("tuple", (data,)), act.tensor())[: hook.given]
    before = len(run.events)
    run.begin()
    run.reporting.attempts += 1
    invoke(act, hook.node, hook.function, ArgumentsEvent((hook.node,) * hook.given, values, {}, {}))
    run.reporting.attempts -= 1
    run.events[before:] = [one for one in run.events[before:] if not isinstance(one, SideEffect | TraceConstant)]


def inside_of(run: AnalysisRun, block: BlockRef) -> Iterator[ast.AST]:
    """Yield the calls that built the blocks inside of a hybrid block."""
    for one in block.alternatives or (block,):
        yield from _below(run, one, _DEEPEST)


def _inside(run: AnalysisRun, instance: ProjectObject) -> Iterator[ast.AST]:
    """Yield the calls that built the blocks inside of the hybrid children of a block that stays eager."""
    for child in instance.children:
        for block in blocks_in(child.value) if child.container is None else ():
            yield from inside_of(run, block)


def _below(run: AnalysisRun, block: BlockRef, depth: int) -> Iterator[ast.AST]:
    own = [child.value for child in instance_of(run, block.info).children] if block.info is not None else []
    for part in (*run.blocks.parts.of(block.creation), *own) if depth else ():
        for one in blocks_in(part):
            if block.hybrid and one.creation is not None:
                yield one.creation
            yield from _below(run, replace(one, hybrid=one.hybrid or block.hybrid), depth - 1)
