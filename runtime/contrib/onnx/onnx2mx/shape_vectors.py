"""Vectors of sizes: what graphs compute between `Shape` and `Reshape`, known without running them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.facts.dims import DimLike

_Sizes = tuple[DimLike, ...]


def sizes_of(node: Node) -> _Sizes | None:
    """Return the sizes that a node gives, None if it gives something else."""
    if node.kind == "Shape":
        return node.shape
    if node.kind not in _STEPS or not node.has(0):
        return None
    inputs = [node.values.sizes(name) for name in node.inputs if name]
    if any(sizes is None for sizes in inputs):
        return None
    # Vectors only: what has been made a symbol stays one.
    if any(node.values.knows(name) for name in node.inputs):
        return None
    return _STEPS[node.kind](node, [sizes for sizes in inputs if sizes is not None])


def _gather(node: Node, inputs: list[_Sizes]) -> _Sizes:
    return tuple(inputs[0][int(k)] for k in inputs[1] if isinstance(k, int))


def _slice(node: Node, inputs: list[_Sizes]) -> _Sizes:
    begin, end = (node.numbers(k, name) or (0,) for k, name in ((1, "starts"), (2, "ends")))
    steps = node.numbers(4, "steps") or (1,)
    return inputs[0][begin[0] : end[0] : steps[0]]


def _pairs(compute: Callable[[Any, Any], Any]) -> Callable[[Node, list[_Sizes]], _Sizes]:
    def step(node: Node, inputs: list[_Sizes]) -> _Sizes:
        left, right = inputs
        length = max(len(left), len(right))
        rows = zip(*(side * length if len(side) == 1 else side for side in (left, right)), strict=True)
        return tuple(compute(a, b) for a, b in rows)

    return step


_STEPS: dict[str, Callable[[Node, list[_Sizes]], _Sizes]] = {
    "Concat": lambda node, inputs: tuple(size for sizes in inputs for size in sizes),
    "Gather": _gather,
    "Slice": _slice,
    "Add": _pairs(lambda a, b: a + b),
    "Sub": _pairs(lambda a, b: a - b),
    "Mul": _pairs(lambda a, b: a * b),
    "Div": _pairs(lambda a, b: a // b),
    "Cast": lambda node, inputs: inputs[0],
    "Identity": lambda node, inputs: inputs[0],
    "Squeeze": lambda node, inputs: inputs[0],
    "Unsqueeze": lambda node, inputs: inputs[0],
}
