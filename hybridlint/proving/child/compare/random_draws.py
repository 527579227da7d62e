"""Runs that draw random numbers in different orders: compared once more with draws that do not depend on each other.

A graph may draw the noise of a later line first. With the bundled runtime, each draw of such a run then depends on its
own arguments alone, its shape among them; MXNet itself has no such draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.proving.child.build.blocks import can_unorder
from hybridlint.proving.child.compare.comparability import check_engine
from hybridlint.proving.child.compare.differences import Mismatch, same_calls
from hybridlint.proving.child.errors import DrawsError, NotRunError
from hybridlint.proving.child.runs.runs import CallPlan, Observation
from hybridlint.proving.child.runs.variants import EAGER, BlockVersion, Variant

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison_state import Comparison

#: What a proof says of such draws.
ALIKE = "random numbers drawn by their shapes alone, as their order differs"
#: What a proof says of a fix that lets MXNet draw what Python or numpy drew.
BY_MXNET = "where Python and numpy draw the numbers that MXNet draws"


def without_order(
    trial: Comparison, side: BlockVersion, mismatch: Mismatch, reference: Sequence[Observation]
) -> Mismatch | None:
    """Return the difference that is left where draws have no order; `mismatch` itself if it depends on none.

    Raises NotRunError, DrawsError in train mode, if the difference may be one of order: where the engine has no such
    draws, and where a fix may have replaced a draw by one of another kind.
    """
    if not depends_on_draws(trial, side, mismatch, reference):
        return mismatch
    # A GPU has numbers of its own.
    able = mismatch.variant.gpu is None and can_unorder(trial.before.world.mx)
    left = unordered_mismatch(trial, side, mismatch.variant, trial.plan) if able else mismatch
    if left is not None:
        check_engine(trial, left)
    if left is not None and left.failure is None and (trial.after is not None or not able):
        kind = DrawsError if mismatch.call.mode == "train" else NotRunError
        raise kind(f"it draws random numbers in another order ({side.label}), which no seed makes equal")
    return left


def replaces_draws(
    trial: Comparison, after: BlockVersion, before: Sequence[Observation], fixed: Sequence[Observation]
) -> bool:
    """Whether only the fixed code depends on mxnet's random numbers: Python or numpy may have drawn them before.

    A draw that decides between two results changes few calls.
    """
    if len(same_calls(before, trial.run(trial.before, EAGER, engine=1))) < len(before):
        return False
    return len(same_calls(fixed, trial.run(after, EAGER, engine=1))) < len(fixed)


def mismatch_by_mxnet(trial: Comparison, after: BlockVersion, fixed: Sequence[Observation]) -> Mismatch | None:
    """Return the first difference of the fixed code from that before it, whose numbers MXNet draws from now on.

    Draws have no order if they differ otherwise, as a graph may draw more: Dropout, which tells the mode.
    """
    trial.plan = trial.plan._replace(by_mxnet=True)
    trial.reference = trial.run(trial.before, EAGER)
    mismatch = trial.mismatch(trial.reference, fixed, after, EAGER, trial.plan)
    if mismatch is None or mismatch.failure is not None or not can_unorder(trial.before.world.mx):
        return mismatch
    return unordered_mismatch(trial, after, EAGER, trial.plan)


def unordered_mismatch(trial: Comparison, side: BlockVersion, variant: Variant, plan: CallPlan) -> Mismatch | None:
    """Return the first difference of a variant from the eager run with unordered draws; None without one."""
    trial.unordered = True
    plan = plan._replace(unordered=True)
    expected = trial.runner.run(trial.before, EAGER, plan)
    return trial.mismatch(expected, trial.judged_run(side, variant, plan), side, variant, plan)


def depends_on_draws(
    trial: Comparison, side: BlockVersion, mismatch: Mismatch, reference: Sequence[Observation]
) -> bool:
    """Whether both runs of the call that differs depend on mxnet's random numbers."""
    if mismatch.call in same_calls(reference, trial.run(trial.before, EAGER, engine=1)):
        return False
    # A run that is random eagerly and no longer random in the variant has lost its noise: its mode was frozen at the
    # trace.
    first, second = trial.run(side, mismatch.variant), trial.run(side, mismatch.variant, engine=1)
    return mismatch.call not in same_calls(first, second)
