"""Settings that hooks of a whole block, or code around its parts, change eagerly at each call, unlike the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import invoke
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    ContainerValue,
    Function,
    Hook,
    SelfRef,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.analysis.mxnet.blocks.eager_callers import as_arrays
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import drops_graph
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.run import HookedSetting, StoredValue
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.text.syntax import each, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass
    from hybridlint.analysis.run.run import AnalysisRun


def hooked_settings(run: AnalysisRun, info: ProjectClass) -> list[HookedSetting]:
    """Return the settings of a class, its ancestors or its descendants that code around its calls stores.

    That are hooks of whole blocks of the file, and methods of other blocks that run eagerly at each call.
    """
    stored = run.blocks.hooked
    if stored is None:
        hooked = _all_hooked(run) if "register_forward" in run.module.source.text else ()
        stored = run.blocks.hooked = [*hooked, *_all_moved(run)]
    return [one for one in stored if info in one.info.lineage or one.info in info.lineage]


def _all_hooked(run: AnalysisRun) -> Iterator[HookedSetting]:
    for node in run.module.survey.classes:
        info = run.module.class_info(node)
        if info.block and info.hybrid:
            this = SelfRef(instance_of(run, info))
            for hook in this.instance.around:
                if hook.given and hook.module is run.module:
                    yield from _stored_by(run, this, hook)


def _stored_by(run: AnalysisRun, this: SelfRef, hook: Hook) -> Iterator[HookedSetting]:
    if isinstance(hook.function, Function) and drops_graph(hook.function.node):
        return
    data = as_arrays(Tensor())
    values = (this, ContainerValue("tuple", (data,)), data)[: hook.given]
    stored = _stored_in(run, this, hook.node, hook.function, values)
    by = _name(hook.function, hook.target)
    names = {one.name for one in stored}
    for one in stored:
        if not _is_constant(one, names):
            for owner in _owners(one.owner):
                yield HookedSetting(owner, one.name, one.place, by)


def _all_moved(run: AnalysisRun) -> Iterator[HookedSetting]:
    """Yield the settings that eager methods update at each call in the blocks that they reach."""
    for method, info in run.blocks.eager:
        if not _stores_on_others(method) or drops_graph(method) or info.module is not run.module:
            continue
        this = SelfRef(instance_of(run, info))
        place = ast.copy_location(ast.Call(ast.Name(method.name, ast.Load()), [], []), method)
        given = tuple(as_arrays(Tensor()) for _ in method.args.args[1:])
        stored = _stored_in(run, this, place, Function(method, info, (this,)), given)
        names = {one.name for one in stored}
        for one in stored:
            if one.owner != this and _moves_on(one, method, names):
                for owner in _owners(one.owner):
                    yield HookedSetting(owner, one.name, one.place, f"{info.node.name}.{method.name}")


def _stores_on_others(method: ast.FunctionDef) -> bool:
    """Return whether a method stores attributes of other objects than self."""
    stored = (n.value for n in each(method, ast.Attribute) if isinstance(n.ctx, ast.Store))
    return any(not isinstance(holder, ast.Name) or holder.id != "self" for holder in stored)


def _moves_on(one: StoredValue, method: ast.FunctionDef, stored: set[str]) -> bool:
    """Return whether a statement computes an attribute from its old value, a changing attribute, or the inputs."""
    if isinstance(one.place, ast.AugAssign):
        return True
    given = {argument.arg for argument in method.args.args[1:]}
    read = [n for n in walk(one.place) if isinstance(n, ast.Attribute | ast.Name) and isinstance(n.ctx, ast.Load)]
    return any(n.attr in stored if isinstance(n, ast.Attribute) else n.id in given for n in read)


def _stored_in(
    run: AnalysisRun, this: SelfRef, place: ast.Call, function: Value, values: tuple[Value, ...]
) -> list[StoredValue]:
    """Return the attributes that a call of a block's function stores. The call is not part of any trace."""
    info = this.instance.info
    act = Activation(run, run.module, None, this=this, mode=info.mode, role=Role(inner=True))
    stored: list[StoredValue] = []
    outer, run.trail = run.trail, EffectLog()
    with run.reporting.silently(), run.budget.afresh(), TemporaryAttribute(run.blocks, "stored", stored):
        invoke(act, place, function, ArgumentsEvent((place,) * len(values), values, {}, {}))
    run.trail = outer
    return stored


def _owners(owner: Value) -> Iterator[ProjectClass]:
    match owner:
        case SelfRef(instance=instance) if instance.info.block:
            yield instance.info
        case BlockRef():
            yield from (one.info for one in owner.alternatives or (owner,) if one.info is not None)


def _is_constant(one: StoredValue, stored: set[str]) -> bool:
    """Return whether a hook stores the same each time: a constant, computed from nothing that the hook stores."""
    if (
        not isinstance(one.value, StaticValue)
        or one.value.value is STATIC_UNKNOWN
        or isinstance(one.place, ast.AugAssign)
    ):
        return False
    read = {n.attr for n in walk(one.place) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    return read.isdisjoint(stored)


def _name(function: Value, otherwise: str) -> str:
    match function:
        case Function(node=ast.FunctionDef(name=name)):
            return name
        case SelfRef(instance=instance):
            return instance.info.node.name
        case _:
            return otherwise
