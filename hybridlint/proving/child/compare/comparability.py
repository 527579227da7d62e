"""Checks whether runs can be compared: each raises NotRunError if no verdict is possible."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hybridlint.proving.child import directive_text, run_advice
from hybridlint.proving.child.compare.differences import Mismatch, first_mismatch
from hybridlint.proving.child.errors import (
    STORED,
    NotRunError,
    SizesError,
    check_stopped,
    instead,
    lack_reason,
)
from hybridlint.proving.child.runs.runs import Observation
from hybridlint.proving.child.runs.variants import EAGER
from hybridlint.proving.child.specs.spec import Spec, TensorSpec

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison_state import Comparison

#: Ranges of input values to try if no output is finite.
_RANGES = ((0.0, 1.0), (1.0, 2.0), (-1.0, 1.0), (2.0, 10.0), (10.0, 100.0), (-100.0, -10.0))


def check_engine(trial: Comparison, mismatch: Mismatch) -> None:
    """Raise NotRunError if a run failed for lack of a module or of a feature, or because the sandbox stopped it."""
    check_stopped(mismatch.failure)
    needed = None if mismatch.failure is None else run_advice.needed_module(mismatch.failure.sentence)
    if mismatch.failure is not None and needed is not None:
        reason = f"{trial.label(mismatch.variant)}: running it needs {needed.lacking}"
        raise NotRunError(reason, needed.add, mismatch.failure.row, fixed=trial.after is not None)
    if mismatch.failure is not None and mismatch.failure.engine_lacks:
        reason = f"{trial.label(mismatch.variant)}: {lack_reason(mismatch.failure.sentence)}"
        add = instead(mismatch.failure.sentence)
        raise NotRunError(reason, add, mismatch.failure.row, fixed=trial.after is not None)


def check_repeatable(trial: Comparison) -> None:
    """Raise NotRunError if the eager run gives another result when it is repeated."""
    if first_mismatch(trial.reference, trial.run(trial.before, EAGER), EAGER) is not None:
        raise NotRunError(
            "the same eager code gives another result for the same inputs, parameters and seeds",
            "Take the source of the differences (the clock, files, global state) out of the forward pass.",
        )


def check_finite(trial: Comparison, reference: list[Observation]) -> None:
    """Raise NotRunError if no output is finite, because then all runs would seem to agree."""
    if any_finite(reference):
        return
    directive = _finite(trial)
    raise NotRunError(
        f"all outputs are nan or infinite on the inputs tried {trial.setup.text}",
        run_advice.out_of_range(list(trial.setup.inputs), directive),
        directive=directive,
    )


def any_finite(observations: list[Observation]) -> bool:
    """Whether some output is finite, or none is a float."""
    outputs = [
        value
        for o in observations
        for name, value in o.results.items()
        if name.startswith("output") and isinstance(value, np.ndarray) and value.dtype.kind == "f"
    ]
    return not outputs or any(np.isfinite(value).any() for value in outputs)


def _finite(trial: Comparison) -> str | None:
    """Return a directive with a range of inputs that makes an output finite; None if none is found in time."""
    for low, high in _RANGES:
        if trial.late():
            return None
        inputs = {name: _within(spec, low, high) for name, spec in trial.setup.inputs.items()}
        plan = trial.plan._replace(inputs=inputs, calls=trial.calls[:1])
        ran = trial.runner.run(trial.before, EAGER, plan)
        if ran[0].failure is None and any_finite(ran):
            return directive_text.directive(trial.setup._replace(inputs=inputs))
    return None


def _within(spec: Spec, low: float, high: float) -> Spec:
    if isinstance(spec, list):
        return [_within(item, low, high) for item in spec]
    if isinstance(spec, TensorSpec) and spec.dtype.startswith("float") and not spec.integers:
        return replace(spec, low=low, high=high)
    return spec


def check_modes(trial: Comparison, reference: list[Observation]) -> None:
    """Raise NotRunError if guessed inputs work in predict mode only, SizesError if the first sizes work in all modes.

    In-place stores are an exception: autograd cannot record them, whatever the inputs are.
    """
    failures = [(o.call, o.failure) for o in reference if o.failure is not None and not o.ran]
    if not trial.guessed or not failures or STORED.search(failures[0][1].sentence):
        return
    call, found = failures[0]
    kind = NotRunError if call.sizes == reference[0].call.sizes else SizesError
    raise kind(
        f"on the inputs tried {trial.setup.text} it runs in predict mode only; with {call}: {found.sentence}",
        run_advice.call_advice(list(trial.setup.inputs), "those that were tried run in predict mode only"),
        found.row,
    )
