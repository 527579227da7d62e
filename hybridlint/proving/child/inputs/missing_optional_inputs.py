"""Repairs for a block that fails because an input with a default value was not passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, ValueSpec


def with_optional(block: Any, inputs: Mapping[str, Spec], failed: Failure) -> Iterator[dict[str, Spec]]:
    """Yield `inputs` with those optional inputs added that the failing statement names: all of them, then one each."""
    first = next(iter(inputs.values()), None)
    if not failed.blame.own or not isinstance(first, TensorSpec):
        return
    takes = signatures.signature(block)
    together = [name for name in takes.optional if name in failed.blame.names and name not in inputs]
    if len(together) > 1:
        for shape in dict.fromkeys([first.shape, first.shape[:1], first.shape[:2]]):
            more = {name: shapes.spec_for_name(name, first.reshaped(shape)) for name in together}
            left = {name: more.get(name, ValueSpec("None")) for name in takes.optional}
            yield left_out_last({**inputs, **more}, left)
    for place, name in enumerate(takes.optional):
        if name in failed.blame.names and name not in inputs:
            left_out: dict[str, Spec] = {other: ValueSpec("None") for other in takes.optional[:place]}
            for shape in dict.fromkeys([first.shape, first.shape[:1], first.shape[:2]]):
                yield {**left_out_last(inputs, left_out), name: shapes.spec_for_name(name, first.reshaped(shape))}


def left_out_last(inputs: Mapping[str, Spec], left_out: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return the inputs in call order: the optional ones named in `left_out` come last, None unless they are given."""
    needed = {name: spec for name, spec in inputs.items() if name not in left_out}
    return {**needed, **{name: inputs.get(name, none) for name, none in left_out.items()}}
