"""The operator of ``while_loop``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridlint.runtime.control_flow.subgraph import Subgraph, add_gradients, zeros_for
from hybridlint.runtime.control_flow.subgraph_operators import is_true, make_operator
from hybridlint.runtime.control_flow.taped_conditions import require_first
from hybridlint.runtime.control_flow.unwritten import Unwritten
from hybridlint.runtime.core.imperative import Raw, type_of
from hybridlint.runtime.facts.registry import Facts, Operator
from hybridlint.runtime.facts.types import TensorType


@dataclass(frozen=True, slots=True)
class WhileLayout:
    """Positions of the subgraphs' inputs in the operator's inputs, and of loop variables in the step's inputs."""

    condition: tuple[int, ...]
    step: tuple[int, ...]
    variables: tuple[int, ...]

    @property
    def carried(self) -> tuple[int, ...]:
        """Positions of the loop variables in the operator's inputs."""
        return tuple(self.step[k] for k in self.variables)


def while_operator(condition: Subgraph, func: Subgraph, layout: WhileLayout, limit: int) -> Operator:
    """Return the operator of a loop with a condition. `func` returns the outputs of a step, then the loop variables.

    Rows after the last step are zeros. Without any step the outputs cannot be read.
    """
    outputs = func.outputs - len(layout.variables)

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, outs = func.infer([ins[k] for k in layout.step])
        stacked = [t.with_shape(None if t.shape is None else (limit, *t.shape)) for t in outs[:outputs]]
        return (*stacked, *outs[outputs:])

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        found: list[TensorType | None] = [None] * len(ins)
        for graph, places in ((condition, layout.condition), (func, layout.step)):
            refined, _ = graph.infer([ins[k] for k in places])
            for place, t in zip(places, refined, strict=True):
                found[place] = t
        return tuple(found)

    def goes_on(values: Sequence[Raw], training: bool, rng: Any) -> bool:
        (answer,) = condition.run([values[k] for k in layout.condition], training=training, rng=rng)
        return is_true(answer)

    def carry(values: list[Raw], results: Sequence[Raw]) -> None:
        for place, result in zip(layout.carried, results[outputs:], strict=True):
            values[place] = result

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        values = list(ins)
        rows: list[tuple[Raw, ...]] = []
        while len(rows) < limit:
            require_first(condition.symbol, len(rows))
            if not goes_on(values, training, rng):
                break
            results = func.run([values[k] for k in layout.step], training=training, rng=rng)
            rows.append(results[:outputs])
            carry(values, results)
        last = [values[k].copy() for k in layout.carried]
        if not rows:
            return [*map(_unwritten, infer(*map(type_of, ins))[:outputs]), *last]
        return [*(_padded(column, limit) for column in zip(*rows, strict=True)), *last]

    def recorded_steps(ins: Sequence[Raw], training: bool, rng: Any) -> list[Any]:
        values = list(ins)
        steps: list[Any] = []
        while len(steps) < limit and goes_on(values, training, rng):
            step = [values[k] for k in layout.step]
            results, residuals = func.run_recorded(step, training=training, rng=rng)
            steps.append((step, residuals, results))
            carry(values, results)
        return steps

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        steps = recorded_steps(ins, training, rng)
        gradients: list[Raw | None] = [None] * len(ins)
        for place, head in zip(layout.carried, heads[outputs:], strict=True):
            gradients[place] = head
        for k in reversed(range(len(steps))):
            step, residuals, results = steps[k]
            after = [zeros_for(gradients[p], r) for p, r in zip(layout.carried, results[outputs:], strict=True)]
            found = func.pull(step, residuals, [*(h[k] for h in heads[:outputs]), *after], training=training)
            for place in layout.carried:
                gradients[place] = None
            for place, gradient in zip(layout.step, found, strict=True):
                gradients[place] = add_gradients(gradients[place], gradient)
        return gradients

    return make_operator(
        "_while_loop",
        outputs=func.outputs,
        infer=infer,
        complete=complete,
        forward=forward,
        backward=backward,
        facts=Facts(read_by_condition=layout.condition),
    )


def _unwritten(t: TensorType) -> Raw:
    shape = [d for d in t.shape or () if isinstance(d, int)]
    return Unwritten(shape, np.dtype(t.dtype or "float32"))


def _padded(column: Sequence[Raw], limit: int) -> Raw:
    stacked = np.zeros((limit, *column[0].shape), column[0].dtype)
    stacked[: len(column)] = column
    return stacked
