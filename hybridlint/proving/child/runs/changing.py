"""Comparison of compiled and eager runs in which a setting of the block changes between two calls."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.compare.differences import Mismatch, first_mismatch
from hybridlint.proving.child.compare.verdicts import so_far
from hybridlint.proving.child.runs import environment
from hybridlint.proving.child.runs.changes import MOST, Change, changed_calls, changes_of, named, settings_of
from hybridlint.proving.child.runs.environment import Variable
from hybridlint.proving.child.runs.runs import Observation, inputs_of
from hybridlint.proving.child.runs.variants import CHANGED, EAGER, Side
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison import Comparison

#: Prefixes of variables that MXNet itself reads.
_ENGINE = ("MXNET_", "DMLC_", "OMP_")


def settings_mismatch(trial: Comparison, side: Side) -> Mismatch | None:
    """Return the first difference between runs after a setting changes; None if there is none or nothing could change.

    `side` is the version that runs compiled. Settings that no run has changed become restrictions of the proof.
    """
    block = build(side.world, side.cls, *trial.setup.arguments)
    found: list[tuple[str, Sequence[Change | Variable]]] = [
        (named(cls, setting, block), changes_of(side.world, block, cls, setting))
        for cls, setting in settings_of(side, block)
    ]
    found += [(f"the environment variable {name}", environment.changes_of(name)) for name in _variables(trial, side)]
    trial.unchanged = list(dict.fromkeys(name for name, _ in found))
    for name, changes in found[:MOST]:
        if CHANGED.name in trial.without or trial.late():
            return None
        agrees, mismatch = _changed(trial, side, block, changes)
        if mismatch is not None:
            return mismatch
        if agrees:
            trial.seen[CHANGED.name] = None
            trial.unchanged = [other for other in trial.unchanged if other != name]
    return None


def _variables(trial: Comparison, side: Side) -> list[str]:
    """Return the environment variables that a block reads in a call; empty if its source reads none."""
    if not environment.speaks_of_it(side.text) or trial.late():
        return []
    block = build(side.world, side.cls, *trial.setup.arguments)
    inputs = inputs_of(side.world, trial.setup.inputs, trial.calls[0])
    trial.report_stage(Stage("reading the environment", optional=CHANGED.name, verdict=so_far(trial)))
    block(*inputs)
    # The first call also determines deferred shapes.
    with environment.watched() as read, suppress(Exception):
        block(*inputs)
    return [name for name in read if not name.startswith(_ENGINE)]


def _changed(
    trial: Comparison, side: Side, block: Any, changes: Sequence[Change | Variable]
) -> tuple[bool, Mismatch | None]:
    """Return (agree, difference) for the first of `changes` that the eager run accepts; (False, None) if none is."""
    for change in changes:
        description = change.description(side.world, block)
        calls = changed_calls(trial.calls, description)
        trial.changed = trial.plan._replace(calls=calls, changes={description: change.make})
        trial.report_stage(
            Stage("running it eagerly with changed settings", optional=CHANGED.name, verdict=so_far(trial))
        )
        expected = trial.runner.run(trial.before, EAGER, trial.changed)
        if len(expected) < len(calls) or not all(map(_usable, expected)):
            continue
        found = trial.judged_run(side, CHANGED, trial.changed)
        mismatch = first_mismatch(expected, found, CHANGED)
        if mismatch is None:
            trial.evidence.agreed(CHANGED.name, side.label, expected, found)
        # A difference before the change comes from random numbers drawn in another order.
        return mismatch is None, mismatch if mismatch is not None and mismatch.call.changed else None
    return False, None


def _usable(observation: Observation) -> bool:
    if observation.failure is not None:
        return observation.ran
    values = [value for name, value in observation.results.items() if name.startswith("output")]
    return all(np.isfinite(v).all() for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f")
