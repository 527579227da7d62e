"""The operator of ``cond``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.control_flow.subgraph import Subgraph
from hybridlint.runtime.control_flow.subgraph_operators import is_true, make_operator
from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import InferError, TensorType


def cond_operator(
    condition: Subgraph, branches: tuple[Subgraph, Subgraph], layout: tuple[tuple[int, ...], ...]
) -> Operator:
    """Return the operator of a branch: it runs the first graph if the condition is true, else the second.

    `layout` gives, for the condition and each branch, the positions of its inputs among the operator's inputs.
    """

    def infer_branches(ins: Sequence[TensorType]) -> list[tuple[list[TensorType], list[TensorType]]]:
        pairs = zip(branches, layout[1:], strict=True)
        return [branch.infer([ins[k] for k in places]) for branch, places in pairs]

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        _, (answer,) = condition.infer([ins[k] for k in layout[0]])
        _require_type(answer, "float32", "the condition of a traced branch")
        (_, first), (_, second) = infer_branches(ins)
        for one, other in zip(first, second, strict=True):
            _require_type(other, one.dtype, "an output where the condition does not hold")
        return tuple(a if a.shape is not None else b for a, b in zip(first, second, strict=True))

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        found: list[TensorType | None] = [None] * len(ins)
        for (refined, _), places in zip(infer_branches(ins), layout[1:], strict=True):
            for place, t in zip(places, refined, strict=True):
                before = found[place]
                found[place] = t if before is None or not before.known else before
        return tuple(found)

    def chosen(ins: Sequence[Raw], training: bool, rng: Any) -> tuple[Subgraph, tuple[int, ...]]:
        (answer,) = condition.run([ins[k] for k in layout[0]], training=training, rng=rng)
        return (branches[0], layout[1]) if is_true(answer) else (branches[1], layout[2])

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        branch, places = chosen(ins, training, rng)
        return list(branch.run([ins[k] for k in places], training=training, rng=rng))

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        branch, places = chosen(ins, training, rng)
        given = [ins[k] for k in places]
        _, residuals = branch.run_recorded(given, training=training, rng=rng)
        gradients: list[Raw | None] = [None] * len(ins)
        for place, gradient in zip(places, branch.pull(given, residuals, heads, training=training), strict=True):
            gradients[place] = gradient
        return gradients

    return make_operator(
        "_cond", outputs=branches[0].outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )


def _require_type(found: TensorType, dtype: str | None, what: str) -> None:
    if None not in {found.dtype, dtype} and found.dtype != dtype:
        raise InferError("pred", f"{what} is expected to be {dtype}, got {found.dtype}: cast it")
