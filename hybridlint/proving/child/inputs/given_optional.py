"""Optional inputs of a block that runs without them: what else to call it with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from hybridlint.proving.child.build.begun import states
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.optional import left_out_last
from hybridlint.proving.child.inputs.specs import BATCH, Spec, TensorSpec, ValueSpec

#: Shapes of images beside other inputs, and most optional inputs that are given.
_IMAGE, _MOST = (BATCH, 3, 8, 10), 3


def left_out(block: Any, inputs: Mapping[str, Spec]) -> list[str]:
    """Return the optional inputs that default to None and are not among the given inputs."""
    function = shapes.forward_of(block)
    none = [p.name for p in inspect.signature(function).parameters.values() if p.default is None]
    return [name for name in shapes.signature(block).optional if name in none and name not in inputs][:_MOST]


def with_one(block: Any, inputs: Mapping[str, Spec], name: str) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with an optional one, the likeliest first; those before it are left out as None."""
    takes = shapes.signature(block)
    before = takes.optional[: takes.optional.index(name)]
    none: dict[str, Spec] = {other: ValueSpec("None") for other in before if other not in inputs}
    for spec in _likely(block, inputs, name):
        yield {**left_out_last(inputs, none), name: spec}


def _likely(block: Any, inputs: Mapping[str, Spec], name: str) -> Iterator[Spec]:
    for known in states(block, [name]):
        yield known[name]
    first = next((spec for spec in inputs.values() if isinstance(spec, TensorSpec)), None)
    if first is None:
        return
    plain = TensorSpec(first.shape)
    sizes = [*shapes.shapes_of_mask(first.shape)] if "mask" in name.lower() else []
    for shape in dict.fromkeys([*sizes, first.shape, first.shape[:1], first.shape[:2], _IMAGE]):
        yield shapes.typed(name, plain.reshaped(shape))
