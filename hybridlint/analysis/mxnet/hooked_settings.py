"""Settings that hooks of a whole block change, eagerly around each of its calls, and the graph does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.values import STATIC_UNKNOWN, Block, Function, Hook, Items, Static, This, Unknown, Value
from hybridlint.analysis.mxnet.adjusted import drops_graph
from hybridlint.analysis.mxnet.around import as_arrays
from hybridlint.analysis.mxnet.hooks import HOOKS
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.during import During
from hybridlint.analysis.run.run import HookedSetting, Stored
from hybridlint.analysis.run.trail import Trail
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass
    from hybridlint.analysis.run.run import Run


def put_around(act: Activation, node: ast.Call, name: str, this: This, args: Arguments) -> Value:
    """Record that a hook is attached to the block under construction itself."""
    function = args.values[0] if args.values else Unknown()
    target = act.module.source.code(node.func)
    hook = Hook(node, target, function, Block("", None), HOOKS[name], act.module, own=True)
    this.instance.around.append(hook)
    return Unknown()


def hooked_settings(run: Run, info: ProjectClass) -> list[HookedSetting]:
    """Return the settings of a class, its ancestors or its descendants that hooks of whole blocks of the file store."""
    if "register_forward" not in run.module.source.text:
        return []
    stored = run.blocks.hooked
    if stored is None:
        stored = run.blocks.hooked = list(_all_hooked(run))
    return [one for one in stored if info in one.info.lineage or one.info in info.lineage]


def _all_hooked(run: Run) -> Iterator[HookedSetting]:
    for node in run.module.survey.classes:
        info = run.module.class_info(node)
        if info.block and info.hybrid:
            this = This(instance_of(run, info))
            for hook in this.instance.around:
                if hook.given and hook.module is run.module:
                    yield from _stored_by(run, this, hook)


def _stored_by(run: Run, this: This, hook: Hook) -> Iterator[HookedSetting]:
    info = this.instance.info
    if isinstance(hook.function, Function) and drops_graph(hook.function.node):
        return
    act = Activation(run, run.module, None, this=this, mode=info.mode, role=Role(inner=True))
    data = as_arrays(act.tensor())
    values = (this, Items("tuple", (data,)), data)[: hook.given]
    stored: list[Stored] = []
    # What a hook does is no part of any trace.
    outer, run.trail = run.trail, Trail()
    with run.reporting.silently(), run.budget.afresh(), During(run.blocks, "stored", stored):
        invoke(act, hook.node, hook.function, Arguments((hook.node,) * hook.given, values, {}, {}))
    run.trail = outer
    by = _name(hook.function, hook.target)
    names = {one.name for one in stored}
    for one in stored:
        if not _is_constant(one, names):
            for owner in _owners(one.owner):
                yield HookedSetting(owner, one.name, one.place, by)


def _owners(owner: Value) -> Iterator[ProjectClass]:
    match owner:
        case This(instance=instance) if instance.info.block:
            yield instance.info
        case Block():
            yield from (one.info for one in owner.alternatives or (owner,) if one.info is not None)


def _is_constant(one: Stored, stored: set[str]) -> bool:
    """Return whether a hook stores the same each time: a constant, computed from nothing that the hook stores."""
    if not isinstance(one.value, Static) or one.value.value is STATIC_UNKNOWN or isinstance(one.place, ast.AugAssign):
        return False
    read = {n.attr for n in walk(one.place) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    return read.isdisjoint(stored)


def _name(function: Value, otherwise: str) -> str:
    match function:
        case Function(node=ast.FunctionDef(name=name)):
            return name
        case This(instance=instance):
            return instance.info.node.name
        case _:
            return otherwise
