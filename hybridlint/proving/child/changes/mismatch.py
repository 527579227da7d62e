"""Comparison of compiled and eager runs in which a setting of the block changes between two calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.changes import environment
from hybridlint.proving.child.changes.change import (
    MOST,
    Change,
    changed_calls,
    changes_of,
    own_classes,
    setting_name,
    settings_of,
)
from hybridlint.proving.child.changes.environment import Variable
from hybridlint.proving.child.changes.layers import LayerChange, layer_changes
from hybridlint.proving.child.changes.mutable_fields import ObjectChange, object_changes
from hybridlint.proving.child.changes.nondeterminism import unforeseen
from hybridlint.proving.child.changes.outside_changes import outside_changes
from hybridlint.proving.child.changes.parameters import ParameterChange, parameter_changes
from hybridlint.proving.child.changes.self_modified_state import moving
from hybridlint.proving.child.compare.differences import Mismatch, first_mismatch
from hybridlint.proving.child.compare.verdicts import so_far
from hybridlint.proving.child.runs.runs import CallPlan, Observation, inputs_of
from hybridlint.proving.child.runs.variants import CHANGED, EAGER, BlockVersion
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from typing import Union

    from hybridlint.proving.child.compare.comparison_state import Comparison

    _Change = Union[Change, LayerChange, ObjectChange, Variable, ParameterChange]  # noqa: UP007 - the child also runs under Python 3.8

#: Prefixes of variables that MXNet itself reads.
_ENGINE = ("MXNET_", "DMLC_", "OMP_")


class _Setting(NamedTuple):
    """A setting that may change between calls: its names for the user, and the changes to try.

    They are `enough` if no other change makes a difference where these make none. `counted` says that the calls
    themselves go on from the value that a change sets.
    """

    names: tuple[str, ...]
    changes: Sequence[_Change]
    enough: bool = True
    counted: bool = False


def settings_mismatch(trial: Comparison, side: BlockVersion) -> Mismatch | None:
    """Return the first difference between runs after a setting changes; None if there is none or nothing could change.

    `side` is the version that runs compiled. Settings that no run has changed become restrictions of the proof, and so
    do those that the calls themselves have changed without a difference that could show. Nothing is looked for if
    another proof of the block does that.
    """
    if not trial.alone:
        return None
    block = build(side.world, side.cls, *trial.setup.arguments)
    outside = _outside(trial, side)
    found = [*_own(side, block, outside), *_of_layers(side, block), *_of_objects(trial, side)]
    found += [*_of_environment(trial, side), *_of_data(side, block)]
    settled: set[int] = set()
    frozen = [] if trial.stays_eager else [*unforeseen(side, block), *_decisions(side, block)]
    kept = [*moving(trial, side, block), *frozen]
    # A value that each call stores anew hides whatever change was made of it.
    moved = [name for name in kept if not any(name in setting.names for setting in found if setting.counted)]
    found += [_Setting((name,), (), enough=False) for name in moved]
    known = {name for setting in found for name in setting.names}
    found += [_Setting((name,), (), enough=False) for name in outside or () if name not in known]
    _restrict(trial, found, settled)
    for number, setting in enumerate(found[:MOST]):
        if CHANGED.name in trial.without or trial.late():
            return None
        agrees, mismatch = _changed(trial, side, block, setting)
        if mismatch is not None:
            return mismatch
        if agrees:
            trial.seen[CHANGED.name] = None
            settled.add(number)
            _restrict(trial, found, settled)
    return None


def _restrict(trial: Comparison, found: Sequence[_Setting], settled: Collection[int]) -> None:
    """Restrict the proof to unchanged values of those settings that are not settled."""
    left = (setting for number, setting in enumerate(found) if number not in settled)
    trial.unchanged = list(dict.fromkeys(name for setting in left for name in setting.names))


def _decisions(side: BlockVersion, block: Any) -> Iterator[str]:
    """Yield the conditions by numbers in arrays by which a pass goes on, in the user's words.

    Only eager calls decide by them: no graph does. Calls that agree only show that it did not matter for their inputs.
    """
    for cls in own_classes(side.world, block):
        yield from (f"answers to `{test}`" for test in side.changes.of(cls.__name__).tests)


def _own(side: BlockVersion, block: Any, outside: Collection[str] | None) -> Iterator[_Setting]:
    """Yield the settings that code may change; `outside` names the changes by other code, None if unknown."""
    for cls, setting in settings_of(side, block):
        if outside is not None and not setting.counted and setting_name(cls, setting, block) not in outside:
            continue
        changes, enough = changes_of(side, block, cls, setting)
        # What the pass counts, and compares with nothing, is told by the calls themselves.
        if changes or not setting.counted:
            yield _Setting((setting_name(cls, setting, block),), changes, enough, setting.counted)


def _of_layers(side: BlockVersion, block: Any) -> Iterator[_Setting]:
    yield from (_Setting((name,), changes) for name, changes in layer_changes(side, block))


def _of_objects(trial: Comparison, side: BlockVersion) -> Iterator[_Setting]:
    """Yield the parts of the block's objects that may change, after watching a call read them."""
    block = build(side.world, side.cls, *trial.setup.arguments)

    def run() -> None:
        inputs = inputs_of(side.world, trial.setup.inputs, trial.calls[0])
        trial.report_stage(Stage("watching its objects", optional=CHANGED.name, verdict=so_far(trial)))
        with suppress(Exception):
            block(*inputs)

    if not trial.late():
        yield from (_Setting(found.names, found.changes) for found in object_changes(side, block, run))


def _outside(trial: Comparison, side: BlockVersion) -> list[str] | None:
    """Return the names of state that a pass reads and other code changes; None without time to observe.

    A block that stays eager keeps nothing.
    """
    if trial.stays_eager:
        return []
    if trial.late() or CHANGED.name in trial.without:
        return None
    block = build(side.world, side.cls, *trial.setup.arguments)
    trial.report_stage(Stage("watching what it reads", optional=CHANGED.name, verdict=so_far(trial)))

    def run() -> None:
        inputs = inputs_of(side.world, trial.setup.inputs, trial.calls[0])
        with suppress(Exception):
            block(*inputs)
            # The first call also determines deferred shapes, and what is kept from then on.
            with side.world.mx.autograd.record():
                block(*inputs)

    return outside_changes(side, block, run)


def _of_data(side: BlockVersion, block: Any) -> Iterator[_Setting]:
    # Each change of a parameter makes a difference, so that none of them speaks for the others.
    for name, changes in parameter_changes(side, block):
        yield from (_Setting((name,), [change]) for change in changes)


def _of_environment(trial: Comparison, side: BlockVersion) -> Iterator[_Setting]:
    for name in _variables(trial, side):
        yield _Setting((f"the environment variable {name}",), environment.changes_of(name))


def _variables(trial: Comparison, side: BlockVersion) -> list[str]:
    """Return the environment variables that a block reads in a call; empty if its source reads none."""
    if not environment.speaks_of_it(side.text) or trial.late():
        return []
    block = build(side.world, side.cls, *trial.setup.arguments)
    inputs = inputs_of(side.world, trial.setup.inputs, trial.calls[0])
    trial.report_stage(Stage("reading the environment", optional=CHANGED.name, verdict=so_far(trial)))
    block(*inputs)
    # The first call also determines deferred shapes.
    with environment.watch_environment() as read, suppress(Exception):
        block(*inputs)
    return [name for name in read if not name.startswith(_ENGINE)]


def _changed(trial: Comparison, side: BlockVersion, block: Any, setting: _Setting) -> tuple[bool, Mismatch | None]:
    """Return (settled, difference) for the first change that the eager run accepts; (False, None) if none is.

    A change that makes a difference to the eager run goes before one that makes none, which settles only what has
    changes enough.
    """
    idle: tuple[CallPlan, Sequence[Observation]] | None = None
    for change in setting.changes:
        if trial.late():
            break
        plan = _plan(trial, side, block, change)
        expected = trial.runner.run(trial.before, EAGER, plan)
        if len(expected) < len(plan.calls) or not all(map(_usable, expected)):
            continue
        if _makes_a_difference(trial, plan, expected):
            return _compared(trial, side, plan, expected)
        idle = idle or (plan, expected)
    if idle is None:
        return False, None
    agrees, mismatch = _compared(trial, side, *idle)
    return agrees and setting.enough, mismatch


def _plan(trial: Comparison, side: BlockVersion, block: Any, change: _Change) -> CallPlan:
    """Return the plan of calls before and after a change, and report it."""
    description = change.description(side.world, block)
    calls = changed_calls(trial.calls, description)
    trial.report_stage(Stage("running it eagerly with changed settings", optional=CHANGED.name, verdict=so_far(trial)))
    return trial.plan._replace(calls=calls, changes={description: change.make})


def _makes_a_difference(trial: Comparison, plan: CallPlan, expected: Sequence[Observation]) -> bool:
    """Whether the eager run differs from one without the change."""
    unchanged = trial.runner.run(trial.before, EAGER, plan._replace(changes={}))
    return first_mismatch(unchanged, expected, EAGER) is not None


def _compared(
    trial: Comparison, side: BlockVersion, plan: CallPlan, expected: Sequence[Observation]
) -> tuple[bool, Mismatch | None]:
    trial.changed = plan
    found = trial.judged_run(side, CHANGED, plan)
    mismatch = first_mismatch(expected, found, CHANGED)
    if mismatch is None:
        trial.evidence.agreed(CHANGED.name, side.label, expected, found)
    # A difference before the change comes from random numbers drawn in another order.
    return mismatch is None, mismatch if mismatch is not None and mismatch.call.changed else None


def _usable(observation: Observation) -> bool:
    if observation.failure is not None:
        return observation.ran
    values = [value for name, value in observation.results.items() if name.startswith("output")]
    return all(np.isfinite(v).all() for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f")
