"""Comparison of a block's eager run with the run of each variant: compiled, exported, reordered, in float16."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hybridlint.proving.child.build.blocks import can_unorder
from hybridlint.proving.child.compare.comparability import check_engine
from hybridlint.proving.child.compare.differences import Mismatch, best, first_mismatch, same_calls
from hybridlint.proving.child.compare.random_draws import unordered_mismatch, without_order
from hybridlint.proving.child.compare.verdicts import so_far
from hybridlint.proving.child.errors import DrawsError, NotRunError, lack_reason
from hybridlint.proving.child.runs.half_precision import half_plan, unusable
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall
from hybridlint.proving.child.runs.variants import (
    COMPILED,
    EAGER,
    EAGER_HALF,
    EXPORTED,
    FULL,
    HALF,
    REORDERED,
    BlockVersion,
    Variant,
)
from hybridlint.proving.child.stages import LATE, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.compare.comparison_state import Comparison


#: Why a run on another device that differs does not count.
_DRAWN = "the GPU draws random numbers of its own"
#: Why a run of an exported graph that differs does not count.
_PREPARED = "its own `{}` prepares the inputs, which no graph holds"


def compiled_mismatch(trial: Comparison, side: BlockVersion, reference: list[Observation]) -> Mismatch | None:
    """Return the first difference of a compiled variant from `reference`, None if there is none.

    `trial.seen` then has the reason for each variant that could not be compared.
    """
    for variant in (*FULL, *trial.elsewhere):
        if variant is not COMPILED and (variant.name in trial.without or trial.late()):
            trial.seen[variant.name] = trial.without.get(variant.name, LATE)
            continue
        if variant.exported and trial.unexported:
            trial.seen[variant.name] = trial.unexported
            continue
        mismatch = trial.mismatch(reference, trial.judged_run(side, variant), side, variant, trial.plan)
        if mismatch is None:
            trial.seen[variant.name] = None
            continue
        try:
            check_engine(trial, mismatch)
            if mismatch.failure is None:
                mismatch = without_order(trial, side, mismatch, reference)
        except NotRunError as error:
            if variant is not EXPORTED and variant.gpu is None:
                raise
            drawn = variant.gpu is not None and isinstance(error, DrawsError)
            trial.seen[variant.name] = _DRAWN if drawn else error.reason
            continue
        if mismatch is None:
            trial.seen[variant.name] = None
            continue
        if variant.exported and trial.prepares:
            trial.seen[variant.name] = _PREPARED.format(trial.prepares)
            continue
        return mismatch
    return order_mismatch(trial, side, trial.judged_run)


def order_mismatch(
    trial: Comparison, side: BlockVersion, run: Callable[[BlockVersion, Variant, CallPlan], list[Observation]]
) -> Mismatch | None:
    """Return the first difference between eager and compiled runs of the calls in another order, None if there is none.

    `run` runs `side` compiled. `trial.seen` has the reason if the runs could not be compared.
    """
    name = REORDERED.name
    if name in trial.without or trial.late():
        trial.seen[name] = trial.without.get(name, LATE)
        return None
    plan = trial.reordered()
    known = so_far(trial) if side is trial.judged else None
    trial.report_stage(Stage("running it eagerly in another order", optional=name, verdict=known))
    expected = trial.runner.run(trial.before, EAGER, plan)
    mismatch = trial.mismatch(expected, run(side, REORDERED, plan), side, REORDERED, plan)
    for engine in (0, 1) if mismatch is not None and mismatch.failure is None else ():
        again = trial.runner.run(trial.before, EAGER, plan, engine)
        if mismatch is not None and mismatch.call not in same_calls(expected, again):
            if engine and can_unorder(trial.before.world.mx):
                mismatch = unordered_mismatch(trial, side, REORDERED, plan)
                break
            trial.seen[name] = "it draws random numbers in another order"
            return None
    if mismatch is None:
        trial.seen[name] = None
    return mismatch


def earlier_mismatch(trial: Comparison, reference: list[Observation]) -> Mismatch | None:
    """Return the first difference between the eager and the compiled runs before the fix, None if there is none.

    The fix is not the cause of a difference that was there before.
    """
    trial.report_stage(Stage("running it compiled before the fix"))
    before = trial.before
    runs = ((variant, trial.run(before, variant)) for variant in FULL)
    mismatches = (trial.mismatch(reference, found, before, variant, trial.plan) for variant, found in runs)
    found = next((mismatch for mismatch in mismatches if mismatch is not None), None)
    return found or order_mismatch(trial, trial.before, trial.runner.run)


def half_mismatch(trial: Comparison, reference: Sequence[Observation]) -> Mismatch | None:
    """Return the first difference between runs in float16, None if there is none.

    `trial.seen` has the reason if the runs could not be compared.
    """
    if HALF.name in trial.without or trial.late():
        trial.seen[HALF.name] = trial.without.get(HALF.name, LATE)
        return None
    plan = half_plan(trial.plan)
    trial.report_stage(Stage(f"running it {EAGER_HALF.name}", optional=HALF.name, verdict=so_far(trial)))
    expected = trial.runner.run(trial.before, EAGER_HALF, plan)
    full = {observation.call: observation for observation in reference}
    if (why := unusable(expected, full)) is not None:
        trial.seen[HALF.name] = why
        return None
    for variant in (EAGER_HALF, HALF) if trial.after is not None else (HALF,):
        found = trial.judged_run(trial.judged, variant, plan)
        mismatch = first_mismatch(expected, found, variant, full, {seen.call: trial.slopes for seen in expected})
        if mismatch is None:
            trial.evidence.agreed(
                variant.name, trial.judged.label, expected, found, full=reference, slopes=trial.slopes
            )
        else:
            excuse = _excuse(trial, mismatch, expected, full, plan)
            if excuse is not None:
                trial.seen[HALF.name] = excuse
            return mismatch if excuse is None else None
        if variant is EAGER_HALF:
            expected = best(expected, found)
    # Only now: the verdict that is used if time runs out in these runs must not claim them.
    trial.seen[HALF.name] = None
    return None


def _excuse(
    trial: Comparison,
    mismatch: Mismatch,
    expected: list[Observation],
    full: Mapping[PlannedCall, Observation],
    plan: CallPlan,
) -> str | None:
    """Return why a difference in float16 does not count against the block or the fix, None if it does."""
    trial.report_stage(Stage("running it in float16 again", optional=HALF.name))
    other = trial.runner.run(trial.before, EAGER_HALF, plan, engine=1)
    if mismatch.failure is not None and mismatch.failure.engine_lacks:
        return lack_reason(mismatch.failure.sentence)
    if mismatch.failure is not None and trial.after is None:
        # Code written for float32 need not accept float16.
        return f"only eagerly it takes float16: {mismatch.failure.sentence}"
    if mismatch.failure is None and mismatch.call not in same_calls(expected, other):
        return "it draws random numbers in another order"
    if trial.after is not None and first_mismatch(expected, trial.runner.run(trial.before, HALF, plan), HALF, full):
        return f"compiled it differs, as it did before the fix: {mismatch.sentence}"
    return None
