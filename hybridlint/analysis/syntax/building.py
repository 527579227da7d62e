"""Instances of classes: ``__init__`` is interpreted once per class, with unknown arguments."""

from __future__ import annotations

from collections.abc import Sequence

from hybridlint.analysis.model.lattice import as_kept
from hybridlint.analysis.model.values import Function, ProjectClass, SelfRef
from hybridlint.analysis.project.instances import Instance, class_attributes
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import numbers_in
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.run.shared import Built, stamp_of
from hybridlint.analysis.syntax.constructor_objects import keep_handed_objects
from hybridlint.analysis.syntax.functions import enter


def instance_of(run: AnalysisRun, info: ProjectClass) -> Instance:
    """Return the instance that a class's ``__init__`` makes; it is interpreted once for all files."""
    blocks = run.blocks
    blocks.asked[info] = None
    known = blocks.instances.get(info)
    if known is None:
        built = run.shared.whole(info)
        known = _taken_over(run, info, built) if built is not None and _fits(run, built) else _made(run, info)
    return known


def _fits(run: AnalysisRun, built: Built) -> bool:
    """Return whether an instance could be built here without exceeding the limits on calls."""
    return run.reaches(built.depth) and built.functions.isdisjoint(run.surroundings.stack)


def _taken_over(run: AnalysisRun, info: ProjectClass, built: Built) -> Instance:
    """Return an instance that another analysis has built, and do to this analysis what building it would do."""
    blocks = run.blocks
    blocks.instances[info] = built.instance
    for other in built.asked:
        instance_of(run, other)
    blocks.parts.again(built.changes)
    blocks.kept |= built.kept
    run.seen.calls |= built.calls
    run.trail.follow(EffectLog(functions=set(built.functions), depth=len(run.surroundings.stack) + built.depth))
    return built.instance


def _made(run: AnalysisRun, info: ProjectClass) -> Instance:
    """Interpret ``__init__``, and keep the instance for other files if it would be the same there."""
    blocks, here, seen = run.blocks, run.surroundings, run.seen
    instance = blocks.instances[info] = Instance(info)
    instance.attributes |= class_attributes(info)
    outer, run.trail = run.trail, EffectLog()
    asked, blocks.asked = blocks.asked, {}
    changes, blocks.parts.changes = blocks.parts.changes, []
    calls, seen.calls = seen.calls, set()
    refused = run.budget.refused
    # `__init__` ran before, in other scopes than the code that happens to need the instance first.
    run.surroundings = here.left()
    blocks.unfinished.add(info)
    blocks.constructed.append(instance)
    _build(run, instance)
    blocks.constructed.pop()
    blocks.unfinished.remove(info)
    run.surroundings = here
    kept = numbers_in(instance.declared.values())
    trail, run.trail = run.trail, outer
    trail.modal = trail.moving = 0
    others = tuple(other for other in blocks.asked if other is not info)
    alike = run.budget.refused == refused and not trail.child_calls and not trail.state_read
    if alike and _are_whole(run, others):
        reach = trail.functions, trail.depth - len(here.stack)
        done = seen.calls, tuple(blocks.parts.changes)
        run.shared.built[info] = Built(instance, stamp_of(instance), *reach, *done, kept, others)
    run.trail.follow(trail)
    blocks.kept |= kept
    blocks.asked = asked | blocks.asked
    blocks.parts.changes = changes
    seen.calls = calls | seen.calls
    return instance


def _are_whole(run: AnalysisRun, others: Sequence[ProjectClass]) -> bool:
    """Return whether the instances of other classes were there as their own ``__init__`` leaves them, and still are."""
    return run.blocks.unfinished.isdisjoint(others) and run.shared.all_whole(others)


def _build(run: AnalysisRun, instance: Instance) -> None:
    found = instance.info.method("__init__")
    if found is None:
        return
    method, owner = found
    this = SelfRef(instance)
    act = Activation(run, owner.module, None, owner=owner, this=this, role=Role(building=True), mode=owner.mode)
    with run.reporting.silently(), run.budget.afresh():
        try:
            enter(act, Function(method, owner, (this,)), None, method)
        except RecursionError:
            # Elsewhere it may be less deep.
            instance.too_deep, run.budget.refused = True, run.budget.refused + 1
        instance.unfinished = instance.too_deep or run.budget.exhausted
        stored = {k.removeprefix("self."): v for k, v in act.flow.names.items() if k.startswith("self.")}
        instance.attributes |= {name: as_kept(value) for name, value in stored.items()}
        keep_handed_objects(act, instance, method)
