"""Instances of classes: ``__init__`` is interpreted once per class, with unknown arguments."""

from __future__ import annotations

from dataclasses import replace

from hybridlint.analysis.model.values import Function, Items, ProjectClass, This
from hybridlint.analysis.project.instances import Instance, class_attributes
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.numbering import numbers_in
from hybridlint.analysis.run.run import Run
from hybridlint.analysis.syntax.functions import enter


def instance_of(run: Run, info: ProjectClass) -> Instance:
    """Return the instance that a class's ``__init__`` makes; it is interpreted once and cached."""
    known: Instance | None = run.blocks.instances.get(id(info))
    if known is None:
        known = run.blocks.instances[id(info)] = Instance(info)
        known.attributes |= class_attributes(info)
        _build(run, known)
    return known


def _build(run: Run, instance: Instance) -> None:
    found = instance.info.method("__init__")
    if found is None:
        return
    method, owner = found
    this = This(instance)
    act = Activation(run, owner.module, None, owner=owner, this=this, role=Role(building=True), mode=owner.mode)
    modal = run.trail.modal
    with run.reporting.silently(), run.budget.afresh():
        enter(act, Function(method, owner, (this,)), None, method)
        instance.unfinished = run.budget.exhausted
    # What `__init__` calls does not run with the code that happens to need the instance first.
    run.trail.modal = modal
    stored = {k.removeprefix("self."): v for k, v in act.flow.names.items() if k.startswith("self.")}
    instance.attributes |= {k: replace(v, kept=True) if isinstance(v, Items) else v for k, v in stored.items()}
    run.blocks.kept |= numbers_in(instance.declared.values())
