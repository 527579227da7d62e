"""The operator of ``foreach``, a loop over the first dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.control_flow.subgraph import Subgraph, add_gradients, zeros_for
from hybridlint.runtime.control_flow.subgraph_operators import make_operator
from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import InferError, TensorType


def foreach_operator(body: Subgraph, data: int, states: int) -> Operator:
    """Return the operator of a loop over slices.

    Its inputs, and the body's, are `data` arrays, `states` states, and outer values that the body uses. The body
    returns the outputs of a step, then the states.
    """
    outputs = body.outputs - states

    def sliced(ins: Sequence[TensorType]) -> list[TensorType]:
        found = []
        for k, t in enumerate(ins):
            if k < data and t.shape is not None:
                if not t.shape:
                    raise InferError("data", "a loop needs a dimension to go over")
                found.append(t.with_shape(t.shape[1:] or (1,)))
            else:
                found.append(t)
        return found

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, outs = body.infer(sliced(ins))
        length = next((t.shape[0] for t in ins[:data] if t.shape), None)
        stacked = [
            t.with_shape(None if length is None or t.shape is None else (length, *t.shape)) for t in outs[:outputs]
        ]
        return (*stacked, *outs[outputs:])

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        refined, outs = body.infer(sliced(ins))
        found: list[TensorType | None] = [None] * data
        for before, after in zip(refined[data : data + states], outs[outputs:], strict=True):
            found.append(after if before.shape is None and after.shape is not None else before)
        return (*found, *refined[data + states :])

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        rows: list[tuple[Raw, ...]] = []
        carried = tuple(ins[data : data + states])
        for k in range(ins[0].shape[0]):
            step = [*(_row(x, k) for x in ins[:data]), *carried, *ins[data + states :]]
            results = body.run(step, training=training, rng=rng)
            rows.append(results[:outputs])
            carried = results[outputs:]
        return [*(np.stack(column) for column in zip(*rows, strict=True)), *carried]

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        steps = _recorded_steps(ins, training, rng)
        gradients: list[Raw | None] = [np.zeros_like(x) if x.dtype.kind == "f" else None for x in ins[:data]]
        carried: list[Raw | None] = list(heads[outputs:])
        rest: list[Raw | None] = [None] * (len(ins) - data - states)
        for k in reversed(range(len(steps))):
            step, residuals, results = steps[k]
            state_heads = [zeros_for(g, r) for g, r in zip(carried, results[outputs:], strict=True)]
            found = body.pull(step, residuals, [*(h[k] for h in heads[:outputs]), *state_heads], training=training)
            for place, gradient in zip(gradients, found[:data], strict=True):
                if place is not None and gradient is not None:
                    place[k] = gradient.reshape(place.shape[1:])
            carried = found[data : data + states]
            rest = [add_gradients(total, more) for total, more in zip(rest, found[data + states :], strict=True)]
        return [*gradients, *carried, *rest]

    def _recorded_steps(ins: Sequence[Raw], training: bool, rng: Any) -> list[Any]:
        steps = []
        carried = tuple(ins[data : data + states])
        for k in range(ins[0].shape[0]):
            step = [*(_row(x, k) for x in ins[:data]), *carried, *ins[data + states :]]
            results, residuals = body.run_recorded(step, training=training, rng=rng)
            steps.append((step, residuals, results))
            carried = results[outputs:]
        return steps

    return make_operator(
        "_foreach", outputs=body.outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )


def _row(array: Raw, k: int) -> Raw:
    """Return a slice. A slice of a vector has shape (1,), because legacy arrays have no scalars."""
    row = np.asarray(array[k])
    return row if row.ndim else row.reshape(1)
