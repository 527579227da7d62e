"""Inputs with a default value, passed to a block that also runs without them: a proof covers both calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.initial_states import states
from hybridlint.proving.child.inputs.missing_optional_inputs import left_out_last
from hybridlint.proving.child.inputs.source.usage import usage
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, ValueSpec

if TYPE_CHECKING:
    _Shape = tuple[int | str, ...]

#: The shape tried for an optional input that is an image, and the most optional inputs of one block that are tried.
_IMAGE, _MOST = (BATCH, 3, 8, 10), 3


def left_out(block: Any, inputs: Mapping[str, Spec]) -> list[str]:
    """Return the names of inputs that default to None and are not in `inputs`, three at most."""
    function = signatures.forward_of(block)
    none = [p.name for p in inspect.signature(function).parameters.values() if p.default is None]
    return [name for name in signatures.signature(block).optional if name in none and name not in inputs][:_MOST]


def with_one(
    block: Any, inputs: Mapping[str, Spec], name: str, outcomes: Callable[[], Sequence[_Shape]]
) -> Iterator[dict[str, Spec]]:
    """Yield `inputs` together with guesses for the optional input `name`, the likeliest first.

    Optional inputs that precede `name` in the signature are passed as None. `outcomes` returns the shapes of what the
    block gives without them.
    """
    takes = signatures.signature(block)
    before = takes.optional[: takes.optional.index(name)]
    none: dict[str, Spec] = {other: ValueSpec("None") for other in before if other not in inputs}
    for spec in _likely(block, inputs, name, outcomes):
        yield {**left_out_last(inputs, none), name: spec}


def _likely(
    block: Any, inputs: Mapping[str, Spec], name: str, outcomes: Callable[[], Sequence[_Shape]]
) -> Iterator[Spec]:
    for known in states(block, [name]):
        yield known[name]
    first = next((spec for spec in inputs.values() if isinstance(spec, TensorSpec)), None)
    if first is None:
        return
    plain = TensorSpec(first.shape)
    if name in usage(block, signatures.forward_of(block)).lists:
        yield [plain, plain]
    sizes = [*shapes.shapes_of_mask(first.shape)] if "mask" in name.lower() else []
    usual = dict.fromkeys([*sizes, first.shape, first.shape[:1], first.shape[:2], _IMAGE])
    for shape in usual:
        yield shapes.spec_for_name(name, plain.reshaped(shape))
    for shape in outcomes():
        if shape not in usual:
            yield shapes.spec_for_name(name, plain.reshaped(shape))
