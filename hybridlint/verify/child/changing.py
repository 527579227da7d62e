"""Where compiled runs part from eager ones once a setting of the block is changed between the calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.verify.child.blocks import build
from hybridlint.verify.child.changes import MOST, Change, changed_calls, changes_of, named, settings_of
from hybridlint.verify.child.gaps import Gap, first_gap
from hybridlint.verify.child.runs import Observation
from hybridlint.verify.child.stages import Stage
from hybridlint.verify.child.variants import CHANGED, EAGER, Side
from hybridlint.verify.child.verdicts import so_far

if TYPE_CHECKING:
    from hybridlint.verify.child.comparison import Comparison


def settings_gap(trial: Comparison, side: Side) -> Gap | None:
    """Return where the runs part once a setting is changed, None where they agree or none could be changed.

    The proof is only for those settings unchanged that no run has changed.
    """
    block = build(side.world, side.cls, *trial.setup.arguments)
    found = settings_of(side, block)
    trial.unchanged = list(dict.fromkeys(named(cls, setting, block) for cls, setting in found))
    for cls, setting in found[:MOST]:
        if CHANGED.name in trial.without or trial.late():
            return None
        agrees, gap = _changed(trial, side, block, changes_of(side.world, block, cls, setting))
        if gap is not None:
            return gap
        if agrees:
            trial.seen[CHANGED.name] = None
            name = named(cls, setting, block)
            trial.unchanged = [other for other in trial.unchanged if other != name]
    return None


def _changed(trial: Comparison, side: Side, block: Any, changes: Sequence[Change]) -> tuple[bool, Gap | None]:
    """Return whether the runs agree for the first of the changes that the eager run takes, and where they part."""
    for change in changes:
        told = change.told(side.world, block)
        calls = changed_calls(trial.calls, told)
        trial.changed = trial.plan._replace(calls=calls, changes={told: change.make})
        trial.say(Stage("running it eagerly with changed settings", optional=CHANGED.name, verdict=so_far(trial)))
        expected = trial.runner.run(trial.before, EAGER, trial.changed)
        if len(expected) < len(calls) or not all(map(_usable, expected)):
            continue
        gap = first_gap(expected, trial.judged_run(side, CHANGED, trial.changed), CHANGED)
        # What parts before the change draws random numbers in another order.
        return gap is None, gap if gap is not None and gap.call.changed else None
    return False, None


def _usable(observation: Observation) -> bool:
    if observation.failure is not None:
        return observation.ran
    values = [value for name, value in observation.results.items() if name.startswith("output")]
    return all(np.isfinite(v).all() for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f")
