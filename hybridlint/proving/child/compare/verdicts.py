"""The verdict "proved" or "refuted" on a block whose runs were compared, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.compare.comparability import check_engine, check_repeatable
from hybridlint.proving.child.compare.differences import Mismatch
from hybridlint.proving.child.compare.divergence_location import DivergenceLocation, LocatedVersion, locate
from hybridlint.proving.child.compare.proof_restrictions import in_words, scope
from hybridlint.proving.child.compare.random_draws import ALIKE, BY_MXNET
from hybridlint.proving.child.compare.timing import call_seconds
from hybridlint.proving.child.directive_text import directive
from hybridlint.proving.child.graph_diagram import graph_nodes
from hybridlint.proving.child.proof_case import PROVED, REFUTED
from hybridlint.proving.child.runs.executed_rows import executed_rows
from hybridlint.proving.child.runs.half_precision import half_plan
from hybridlint.proving.child.runs.prelu_gradients import restrictions
from hybridlint.proving.child.runs.runs import CallPlan, Observation, inputs_of
from hybridlint.proving.child.runs.variants import CHANGED, COMPILED, BlockVersion, Variant
from hybridlint.proving.child.stages import LATE, PLACE, Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison_state import Comparison


def agreement(trial: Comparison) -> str:
    """Return a short text that says which runs agree."""
    if trial.stays_eager:
        same = "the same" if trial.after is None else "eager before = eager after"
        return f"{same}, eagerly and with its children compiled; itself it stays eager, by its own `hybridize`"
    same = "compiled = eager" if trial.after is None else "eager before = eager after = compiled after"
    there = all(variant.name in trial.seen and trial.seen[variant.name] is None for variant in trial.elsewhere)
    drawn = (f", {BY_MXNET}" if trial.plan.by_mxnet else "") + (f", {ALIKE}" if trial.unordered else "")
    return f"{same}{trial.runner.share}{', on the GPU too' if trial.elsewhere and there else ''}{drawn}"


def so_far(trial: Comparison) -> dict[str, Any] | None:
    """Return the verdict to use if time runs out now, None if there is none yet."""
    agrees = COMPILED.name in trial.seen and trial.seen[COMPILED.name] is None
    return proof_verdict(trial, trial.reference, agreement(trial), finished=False) if agrees else None


def proof_verdict(
    trial: Comparison, reference: Sequence[Observation], what: str, *, finished: bool = True
) -> dict[str, Any]:
    """Return the verdict for runs that all agree; `what` says which. `finished` is False if some were left out."""
    gradients = any(name.startswith("gradient") for o in reference for name in o.results)
    ran = [o.call for o in reference if o.failure is None]
    only = [*scope(trial.setup, ran), *(f"unchanged {name}" for name in trial.unchanged)]
    only += restrictions(list(trial.slopes))
    if all(call.mode == "predict" for call in trial.calls):
        what += f"; its gradient was not compared: {LATE}"
    failed = next((o.failure for o in reference if o.failure is not None), None)
    if failed is not None:
        what += f"; its gradient was not compared, which fails eagerly too: {failed.sentence}"
    return {
        "status": PROVED,
        "trial": trial.evidence.number,
        "reason": f"{in_words(only)}{what}",
        "only": only,
        "rows": _executed(trial) if finished else [],
        "runs": len(ran),
        "rounds": [dict(r) for r in trial.setup.rounds],
        "gradients": gradients,
        "setup": trial.setup.text,
        "directive": directive(trial.setup),
        "variants": _variants(trial),
        "graph": graph_nodes(trial.runner.graph, trial.runner.shapes),
        "seconds": call_seconds(trial) if finished and trial.timed else None,
    }


def _executed(trial: Comparison) -> list[int]:
    """Return the rows executed when the block is built and first called compiled; empty if no time is left."""
    if trial.late():
        return []
    trial.report_stage(Stage("running it compiled once more"))
    world = trial.judged.world

    def run() -> None:
        block = build(world, trial.judged.cls, *trial.setup.arguments)
        block.hybridize()
        block(*inputs_of(world, trial.setup.inputs, trial.calls[0]))

    return executed_rows(trial.path, run)


def refutation_verdict(trial: Comparison, mismatch: Mismatch, *, fault: bool) -> dict[str, Any]:
    """Return the verdict for a run that differs; `fault` says that the fix may be the cause.

    Raises NotRunError if the engine lacks a feature, or if the eager run itself is not repeatable.
    """
    check_engine(trial, mismatch)
    check_repeatable(trial)
    variant = trial.label(mismatch.variant)
    reason = f"{variant}: {mismatch.sentence}"
    if trial.after is not None and not fault:
        reason += "; before the fix it differed too"
    verdict = {
        "status": REFUTED,
        "reason": reason,
        "row": None if mismatch.failure is None else mismatch.failure.row,
        "fixed": trial.after is not None,
        "fault": fault,
        "call": str(mismatch.call),
        "variant": variant,
        "difference": None if mismatch.difference is None else mismatch.difference._asdict(),
        "setup": trial.setup.text,
        "variants": _variants(trial),
    }
    location = _location(trial, mismatch, trial.before if trial.after is not None and fault else trial.judged, verdict)
    return {**verdict, "parting": location.parting, "graph": location.graph}


def _location(
    trial: Comparison, mismatch: Mismatch, expected: BlockVersion, verdict: Mapping[str, Any]
) -> DivergenceLocation:
    if PLACE in trial.without:
        return DivergenceLocation(None, [])
    trial.report_stage(Stage("looking for the place where the runs part", optional=PLACE, verdict=verdict))
    return locate(
        _version(trial, expected, mismatch.variant),
        _version(trial, trial.judged, mismatch.variant),
        _plan(trial, mismatch),
        mismatch.call,
        compiled=mismatch.variant.flags is not None,
        gradient=mismatch.difference is not None and mismatch.difference.what.startswith("gradient"),
    )


def _plan(trial: Comparison, mismatch: Mismatch) -> CallPlan:
    if mismatch.variant is CHANGED and trial.changed is not None:
        return trial.changed
    if mismatch.variant.half:
        return half_plan(trial.plan)
    plan = trial.reordered() if mismatch.call.turn else trial.plan
    return plan._replace(unordered=trial.unordered)


def _variants(trial: Comparison) -> list[dict[str, Any]]:
    return [{"name": name, "note": note} for name, note in trial.seen.items()]


def _version(trial: Comparison, side: BlockVersion, variant: Variant) -> LocatedVersion:
    return LocatedVersion(side.world, side.cls, trial.setup.arguments, trial.path, side.text, variant.dtype)
